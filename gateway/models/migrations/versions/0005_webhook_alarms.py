"""what becomes of webhooks that nobody receives: reasons, alarms, replay; and tables that stay fast as they grow"""

import sqlalchemy as sa
from alembic import op
revision = '0005'
down_revision = "0004"
branch_labels = None
depends_on = None

# Every delivery is written three times within a second or so: due, leased, done. By default PostgreSQL vacuums when a
# fifth of a table is dead, which for a month of deliveries is days; the claim would wade through the dead meanwhile.
BUSY = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1'
# Rows come and go a month later, all of them; what is left is to find their places again soon.
GROWING = 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05'
# As many rows as endpoints, written with every failure: room on each page keeps their updates off the index.
SMALL = 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05'
SETTINGS = (
    ('webhook_deliveries', BUSY),
    ('webhook_events', GROWING),
    ('webhook_attempts', GROWING),
    ('webhook_endpoint_health', SMALL),
)


def upgrade() -> None:
    op.add_column('webhook_deliveries', sa.Column('canceled_reason', sa.Text(), nullable=True))
    op.create_check_constraint(
        op.f('ck_webhook_deliveries_canceled_reason'),
        'webhook_deliveries',
        "canceled_reason in ('gone', 'failing', 'inactive')",
    )
    op.create_index(
        'ix_webhook_deliveries_missed',
        'webhook_deliveries',
        ['endpoint_id', 'created_at', 'id'],
        unique=False,
        postgresql_where=sa.text('state in (2, 3)'),
    )
    op.create_index(
        'ix_webhook_deliveries_exhausted',
        'webhook_deliveries',
        ['endpoint_id', 'finished_at'],
        unique=False,
        postgresql_where=sa.text('state = 2'),
    )
    op.add_column('webhook_endpoint_health', sa.Column('last_attempt_at', sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        'webhook_endpoint_health', sa.Column('warned_hours', sa.SmallInteger(), server_default='0', nullable=False)
    )
    op.add_column(
        'webhook_endpoint_health', sa.Column('exhausted_told_until', sa.DateTime(timezone=True), nullable=True)
    )
    # What was given up before anybody was told of it is not told now, all at once.
    op.execute('update webhook_endpoint_health set exhausted_told_until = now()')
    for table, settings in SETTINGS:
        op.execute(f'alter table {table} set ({settings})')


def downgrade() -> None:
    for table, settings in SETTINGS:
        names = ', '.join(setting.partition(' = ')[0] for setting in settings.split(', '))
        op.execute(f'alter table {table} reset ({names})')
    op.drop_column('webhook_endpoint_health', 'exhausted_told_until')
    op.drop_column('webhook_endpoint_health', 'warned_hours')
    op.drop_column('webhook_endpoint_health', 'last_attempt_at')
    op.drop_index('ix_webhook_deliveries_exhausted', table_name='webhook_deliveries')
    op.drop_index('ix_webhook_deliveries_missed', table_name='webhook_deliveries')
    op.drop_constraint(op.f('ck_webhook_deliveries_canceled_reason'), 'webhook_deliveries', type_='check')
    op.drop_column('webhook_deliveries', 'canceled_reason')
