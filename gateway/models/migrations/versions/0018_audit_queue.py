"""audit records are queued by their statement, and no more one by one"""

from alembic import op
revision = '0018'
down_revision = '0017'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Both in one transaction, which nobody's record slips through: dropping a trigger locks the table.
    op.execute("drop trigger audit_records_queued on audit_records")
    op.execute("""
        create or replace function queue_audit_record() returns trigger language plpgsql as $$
        begin
            insert into audit_pending (chain_id, record_id)
            select coalesce(store_id, '00000000-0000-0000-0000-000000000000'), id from recorded;
            return null;
        end
        $$
    """)
    op.execute("""
        create trigger audit_records_queued after insert on audit_records
        referencing new table as recorded for each statement execute function queue_audit_record()
    """)


def downgrade() -> None:
    op.execute("drop trigger audit_records_queued on audit_records")
    op.execute("""
        create or replace function queue_audit_record() returns trigger language plpgsql as $$
        begin
            insert into audit_pending (chain_id, record_id)
            values (coalesce(new.store_id, '00000000-0000-0000-0000-000000000000'), new.id);
            return null;
        end
        $$
    """)
    op.execute("""
        create trigger audit_records_queued after insert on audit_records
        for each row execute function queue_audit_record()
    """)
