"""webhook deliveries: an index of those that failed, which searches of the log read"""

import sqlalchemy as sa
from alembic import op
revision = '0049'
down_revision = '0048'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('ix_webhook_deliveries_failed', 'webhook_deliveries', ['endpoint_id', 'created_at', 'id'], unique=False,
                    postgresql_include=['last_error'], postgresql_where=sa.text('last_error is not null'))


def downgrade() -> None:
    op.drop_index('ix_webhook_deliveries_failed', table_name='webhook_deliveries')
