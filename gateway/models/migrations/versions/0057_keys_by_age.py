"""idempotency_keys: their age is what their ids begin with (ADR 0062)"""

from alembic import op
revision = '0057'
down_revision = '0056'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index('ix_idempotency_keys_created_at', table_name='idempotency_keys')


def downgrade() -> None:
    op.create_index('ix_idempotency_keys_created_at', 'idempotency_keys', ['created_at'])
