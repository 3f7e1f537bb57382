"""an act writes its record into audit_pending, which has one index; the sealer moves it to audit_records, which has seven"""

from alembic import op
revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None

TOLD = """store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id,
    changes, created_at"""
NO_STORE = "'00000000-0000-0000-0000-000000000000'::uuid"


def upgrade() -> None:
    # What waits stays where lists find it, and is sealed from its copy; nobody writes meanwhile.
    op.execute("lock table audit_records, audit_pending in access exclusive mode")
    op.execute("alter table audit_pending rename to audit_pending_before")
    op.execute("alter table audit_pending_before drop constraint pk_audit_pending")
    op.execute(f"""
        create table audit_pending (
            chain_id uuid not null generated always as (coalesce(store_id, {NO_STORE})) stored,
            record_id uuid not null,
            store_id uuid,
            actor_type text not null constraint ck_audit_pending_actor_type
                check (actor_type in ('user', 'api_key', 'staff', 'system', 'engine', 'public')),
            actor_id text,
            actor_name text,
            action text not null,
            resource_type text,
            resource_id text,
            environment text,
            source text not null,
            ip text,
            user_agent text,
            request_id text,
            changes jsonb not null default '{{}}',
            created_at timestamptz not null,
            constraint pk_audit_pending primary key (chain_id, record_id)
        ) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)
    """)
    op.execute(f"""
        insert into audit_pending (record_id, {TOLD})
        select id, {TOLD} from audit_records where id in (select record_id from audit_pending_before)
    """)
    op.execute("drop table audit_pending_before")
    # What the sealer moves is queued already; what comes past it, from a process of before or from a hand, is not.
    op.execute(f"""
        create or replace function queue_audit_record() returns trigger language plpgsql as $$
        begin
            insert into audit_pending (record_id, {TOLD})
            select id, {TOLD} from recorded
             where not exists (
                select from audit_pending p where p.chain_id = coalesce(recorded.store_id, {NO_STORE}) and p.record_id = recorded.id
             );
            return null;
        end
        $$
    """)
    # Each is looked up by its id, however many the planner takes the batch or the trail to hold.
    op.execute(f"""
        create function refuse_audit_loss() returns trigger language plpgsql
        set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
        begin
            if exists (
                select from gone
                  left join audit_records r on r.id = gone.record_id
                 where r.id is null
                    or ({", ".join(f"r.{name}" for name in _names())}) is distinct from ({", ".join(f"gone.{name}" for name in _names())})
            ) then
                raise insufficient_privilege using message = 'a record leaves audit_pending for audit_records, and as it is';
            end if;
            return null;
        end
        $$
    """)
    op.execute("""
        create trigger audit_pending_leaves after delete on audit_pending
        referencing old table as gone for each statement execute function refuse_audit_loss()
    """)
    op.execute("create trigger audit_pending_append_only before update on audit_pending for each row execute function refuse_audit_change()")
    op.execute("create trigger audit_pending_kept before truncate on audit_pending for each statement execute function refuse_audit_change()")
    op.execute(f"""
        create view audit_trail as
        select id, {TOLD} from audit_records
        union all
        select record_id, {TOLD} from audit_pending p where not exists (select from audit_records r where r.id = p.record_id)
    """)


def downgrade() -> None:
    op.execute("lock table audit_records, audit_pending in access exclusive mode")
    op.execute("drop view audit_trail")
    op.execute("alter table audit_pending rename to audit_pending_after")
    op.execute("alter table audit_pending_after drop constraint pk_audit_pending")
    op.execute("""
        create table audit_pending (
            chain_id uuid not null,
            record_id uuid not null,
            constraint pk_audit_pending primary key (chain_id, record_id)
        ) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)
    """)
    # As it was in 0018. What is in `audit_records` already isn't inserted, and so isn't queued by its trigger.
    op.execute(f"""
        create or replace function queue_audit_record() returns trigger language plpgsql as $$
        begin
            insert into audit_pending (chain_id, record_id) select coalesce(store_id, {NO_STORE}), id from recorded;
            return null;
        end
        $$
    """)
    op.execute("""
        insert into audit_pending (chain_id, record_id)
        select chain_id, record_id from audit_pending_after where record_id in (select id from audit_records)
    """)
    op.execute(f"""
        insert into audit_records (id, {TOLD})
        select record_id, {TOLD} from audit_pending_after where record_id not in (select id from audit_records)
    """)
    op.execute("drop table audit_pending_after")
    op.execute("drop function refuse_audit_loss()")


def _names() -> list[str]:
    return [name.strip() for name in TOLD.split(",")]
