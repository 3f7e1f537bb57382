"""idempotency_keys: their age is what their ids begin with; emptied, they keep their pages (ADR 0062)"""

from alembic import op
revision = '0057'
down_revision = '0056'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index('ix_idempotency_keys_created_at', table_name='idempotency_keys')
    op.execute('alter table idempotency_keys set (vacuum_truncate = off)')


def downgrade() -> None:
    op.execute('alter table idempotency_keys reset (vacuum_truncate)')
    op.create_index('ix_idempotency_keys_created_at', 'idempotency_keys', ['created_at'])
