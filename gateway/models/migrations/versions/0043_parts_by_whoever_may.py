"""parts of the audit trail are made with the owner's rights, by whoever may (docs/audit.md)"""

from alembic import op
revision = '0043'
down_revision = '0042'
branch_labels = None
depends_on = None


# Rows come and go through the trail, whose triggers and rights are minded; default privileges must not open its parts.
_CLOSE = """
    create function close_audit_part(part regclass) returns void language plpgsql as $$
    declare
        writer record;
    begin
        for writer in
            select distinct case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as name
              from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = part and a.grantee <> c.relowner
        loop
            execute format('revoke insert, update, delete, truncate on %s from %s', part, writer.name);
        end loop;
    end
    $$
"""


def _function(month: str, rights: str, close: str) -> str:
    return f"""
        create or replace function make_audit_part(month date) returns boolean language plpgsql {rights} as $$
        declare
            part text := 'audit_records_' || to_char(month, 'YYYYMM');
            first uuid := audit_part_begin({month} at time zone 'UTC');
            next uuid := audit_part_begin(({month} + interval '1 month') at time zone 'UTC');
        begin
            if to_regclass(part) is not null then
                return false;
            end if;
            execute format('create table %I (like audit_records including all)', part);
            {close}
            execute format('create trigger %I before truncate on %I for each statement execute function refuse_audit_change()', part || '_kept', part);
            execute format('alter table audit_records attach partition %I for values from (%L) to (%L)', part, first, next);
            return true;
        end
        $$
    """


def upgrade() -> None:
    # Whatever day is given: with rights that aren't the caller's, a part is a whole month.
    op.execute(_CLOSE)
    op.execute(
        "comment on function close_audit_part(regclass) is "
        "'Leaves a part of the trail to its owner: others write to the trail alone.'"
    )
    op.execute(
        _function("date_trunc('month', month::timestamp)", "security definer", "perform close_audit_part(part::regclass);")
    )
    op.execute("select close_audit_part(inhrelid::regclass) from pg_inherits where inhparent = 'audit_records'::regclass")
    op.execute("""
        do $$
        declare
            writer record;
        begin
            -- Where the tables are; temporary ones come last, or a caller's would be taken for ours.
            execute format('alter function make_audit_part(date) set search_path = %I, pg_temp', current_schema());
            revoke execute on function make_audit_part(date) from public;
            -- Who was let write the trail makes its parts, without being granted that anew.
            for writer in
                select distinct r.rolname from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
                 where c.oid = 'audit_records'::regclass and a.privilege_type = 'INSERT'
            loop
                execute format('grant execute on function make_audit_part(date) to %I', writer.rolname);
            end loop;
        end
        $$
    """)


def downgrade() -> None:
    op.execute(_function("month::timestamp", "security invoker", ""))
    op.execute("drop function close_audit_part(regclass)")
    op.execute("grant execute on function make_audit_part(date) to public")
