"""how many deliveries an endpoint has, up to some moment, so that its log needn't count them"""

import sqlalchemy as sa
from alembic import op
revision = '0027'
down_revision = '0026'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('webhook_delivery_counts',
    sa.Column('endpoint_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('upto', sa.DateTime(timezone=True), server_default=sa.text("'-infinity'"), nullable=False),
    sa.Column('rows', sa.BigInteger(), server_default='0', nullable=False),
    sa.ForeignKeyConstraint(['endpoint_id'], ['webhook_endpoints.id'], name=op.f('fk_webhook_delivery_counts_endpoint_id_webhook_endpoints'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('endpoint_id', name=op.f('pk_webhook_delivery_counts'))
    )
    # The count is locked first, and read by a statement of its own, which sees what whoever had the lock has left. Several are locked in
    # the order of their endpoints.
    op.execute("""
        create function count_deliveries_gone() returns trigger language plpgsql as $$
        begin
            insert into webhook_delivery_counts (endpoint_id) select distinct endpoint_id from gone order by 1 on conflict do nothing;
            perform from webhook_delivery_counts c where c.endpoint_id in (select endpoint_id from gone) order by c.endpoint_id for update;
            update webhook_delivery_counts c set rows = c.rows - counted.rows
              from (
                select d.endpoint_id, count(*) as rows from gone d join webhook_delivery_counts k on k.endpoint_id = d.endpoint_id
                 where d.created_at <= k.upto group by d.endpoint_id
              ) counted
             where c.endpoint_id = counted.endpoint_id;
            return null;
        end
        $$
    """)
    op.execute("""
        create function count_delivery_late() returns trigger language plpgsql as $$
        begin
            insert into webhook_delivery_counts (endpoint_id) values (new.endpoint_id) on conflict do nothing;
            perform from webhook_delivery_counts c where c.endpoint_id = new.endpoint_id for update;
            update webhook_delivery_counts c set rows = c.rows + 1 where c.endpoint_id = new.endpoint_id and c.upto >= new.created_at;
            return null;
        end
        $$
    """)
    op.execute("""
        create trigger webhook_deliveries_go after delete on webhook_deliveries referencing old table as gone
        for each statement execute function count_deliveries_gone()
    """)
    op.execute("""
        create trigger webhook_deliveries_come_late after insert on webhook_deliveries
        for each row when (new.created_at < clock_timestamp() - interval '15 minutes') execute function count_delivery_late()
    """)


def downgrade() -> None:
    op.execute('drop trigger webhook_deliveries_go on webhook_deliveries')
    op.execute('drop trigger webhook_deliveries_come_late on webhook_deliveries')
    op.execute('drop function count_delivery_late()')
    op.execute('drop function count_deliveries_gone()')
    op.drop_table('webhook_delivery_counts')
