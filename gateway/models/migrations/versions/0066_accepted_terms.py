"""accounts: the address of the terms of production that were accepted"""

import sqlalchemy as sa
from alembic import op
revision = '0066'
down_revision = '0065'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('users', sa.Column('production_terms_url', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('users', 'production_terms_url')
