"""an index of the deliveries that were never tried: a payment of a minute ago behind a night's retries"""

import sqlalchemy as sa
from alembic import op
revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        'ix_webhook_deliveries_fresh',
        'webhook_deliveries',
        ['endpoint_id', 'next_attempt_at'],
        unique=False,
        postgresql_where=sa.text('state = 0 and attempts = 0'),
    )


def downgrade() -> None:
    op.drop_index('ix_webhook_deliveries_fresh', table_name='webhook_deliveries')
