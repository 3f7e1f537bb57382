"""the audit trail in parts by month; what there is becomes the first part, unmoved"""

from alembic import op
revision = '0019'
down_revision = '0018'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The smallest UUIDv7 of a moment: its milliseconds, and nothing.
    op.execute("""
        create function audit_part_begin(moment timestamptz) returns uuid language sql immutable as $$
            select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
        $$
    """)
    # A part is made beside the table and then attached: that keeps nobody from writing, as making it in place would.
    op.execute("""
        create function make_audit_part(month date) returns boolean language plpgsql as $$
        declare
            part text := 'audit_records_' || to_char(month, 'YYYYMM');
            first uuid := audit_part_begin(month::timestamp at time zone 'UTC');
            next uuid := audit_part_begin((month + interval '1 month') at time zone 'UTC');
        begin
            if to_regclass(part) is not null then
                return false;
            end if;
            execute format('create table %I (like audit_records including all)', part);
            execute format('create trigger %I before truncate on %I for each statement execute function refuse_audit_change()', part || '_kept', part);
            execute format('alter table audit_records attach partition %I for values from (%L) to (%L)', part, first, next);
            return true;
        end
        $$
    """)
    # Detached, the default part has none of the triggers that it inherits, so that its rows can move.
    op.execute("""
        create function settle_audit_part(month date) returns bigint language plpgsql as $$
        declare
            part text := 'audit_records_' || to_char(month, 'YYYYMM');
            first uuid := audit_part_begin(month::timestamp at time zone 'UTC');
            next uuid := audit_part_begin((month + interval '1 month') at time zone 'UTC');
            moved bigint;
        begin
            lock table audit_records in access exclusive mode;
            alter table audit_records detach partition audit_records_default;
            create temporary table settling on commit drop as select * from audit_records_default where id >= first and id < next;
            get diagnostics moved = row_count;
            delete from audit_records_default where id >= first and id < next;
            perform make_audit_part(month);
            -- They were counted and queued when they came.
            execute format('alter table %I disable trigger user', part);
            execute format('insert into %I select * from settling', part);
            execute format('alter table %I enable trigger user', part);
            alter table audit_records attach partition audit_records_default default;
            return moved;
        end
        $$
    """)
    op.execute("lock table audit_records in access exclusive mode")
    op.execute("""
        do $$
        declare
            boundary uuid := audit_part_begin(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '1 month');
            definitions text[];
            one record;
        begin
            select array_agg(pg_get_indexdef(i.indexrelid)) into definitions
              from pg_index i where i.indrelid = 'audit_records'::regclass and not i.indisprimary;
            for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'audit_records'::regclass loop
                execute format('alter index %I rename to %I', one.relname, one.relname || '_before');
            end loop;
            drop trigger audit_records_queued on audit_records;
            drop trigger audit_records_append_only on audit_records;
            drop trigger audit_records_come_late on audit_records;
            alter table audit_records rename to audit_records_before;
            create table audit_records (like audit_records_before including defaults including constraints) partition by range (id);
            alter table audit_records add constraint pk_audit_records primary key (id);
            for one in select unnest(definitions) as definition loop
                execute one.definition;
            end loop;
            -- Known to hold, it spares attaching the look at every row.
            execute format('alter table audit_records_before add constraint before check (id < %L)', boundary);
            execute format('alter table audit_records attach partition audit_records_before for values from (minvalue) to (%L)', boundary);
            alter table audit_records_before drop constraint before;
        end
        $$
    """)
    # In a trigger of a part, `tg_table_name` is the part's, and milestones are the whole table's.
    _keep_listed("'audit_records'")
    _create_triggers()
    op.execute("create table audit_records_default partition of audit_records default")
    op.execute("create trigger audit_records_default_kept before truncate on audit_records_default for each statement execute function refuse_audit_change()")
    op.execute("""
        select make_audit_part((date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead))::date) from generate_series(1, 3) ahead
    """)


def downgrade() -> None:
    op.execute("alter table audit_records rename to audit_records_parted")
    op.execute("""
        do $$
        declare
            definitions text[];
            one record;
        begin
            select array_agg(replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), 'audit_records_parted', 'audit_records')) into definitions
              from pg_index i where i.indrelid = 'audit_records_parted'::regclass and not i.indisprimary;
            create table audit_records (like audit_records_parted including defaults including constraints);
            insert into audit_records select * from audit_records_parted;
            drop table audit_records_parted;
            alter table audit_records add constraint pk_audit_records primary key (id);
            for one in select unnest(definitions) as definition loop
                execute one.definition;
            end loop;
        end
        $$
    """)
    _keep_listed("tg_table_name")
    _create_triggers()
    op.execute("drop function settle_audit_part(date)")
    op.execute("drop function make_audit_part(date)")
    op.execute("drop function audit_part_begin(timestamptz)")


def _create_triggers() -> None:
    """Parts inherit those for each row, and what is said of a statement is said of the table that it names; one against TRUNCATE each needs for itself."""
    op.execute("""
        create trigger audit_records_queued after insert on audit_records
        referencing new table as recorded for each statement execute function queue_audit_record()
    """)
    op.execute("create trigger audit_records_append_only before update or delete on audit_records for each row execute function refuse_audit_change()")
    op.execute("create trigger audit_records_kept before truncate on audit_records for each statement execute function refuse_audit_change()")
    op.execute("""
        create trigger audit_records_come_late after insert on audit_records
        for each row when (new.created_at < clock_timestamp() - interval '15 minutes') execute function keep_audit_records_listed()
    """)


def _keep_listed(kind: str) -> None:
    op.execute(f"""
        create or replace function keep_audit_records_listed() returns trigger language plpgsql as $$
        begin
            perform pg_advisory_xact_lock_shared(list_number({kind}, new.store_id, new.environment));
            update list_milestones m set rows = m.rows + 1
             where m.kind = {kind} and m.user_id = new.store_id and m.environment = new.environment and m.upto >= new.created_at;
            return null;
        end
        $$
    """)
