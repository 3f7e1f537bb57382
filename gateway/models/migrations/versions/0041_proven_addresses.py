"""accounts: whether anybody has proven the address (ADR 0051)"""

import sqlalchemy as sa
from alembic import op
revision = '0041'
down_revision = '0040'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('users', sa.Column('email_proven_at', sa.DateTime(timezone=True), nullable=True))
    op.execute("update users set email_proven_at = i.created_at from external_identities i where i.user_id = users.id")


def downgrade() -> None:
    op.drop_column('users', 'email_proven_at')
