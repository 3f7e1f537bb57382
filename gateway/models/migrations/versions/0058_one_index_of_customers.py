"""charges: one index fewer of those made for a customer, whom every statement names with their store (ADR 0063)"""

import sqlalchemy as sa
from alembic import op
revision = '0058'
down_revision = '0057'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index('ix_charges_customer', table_name='charges')


def downgrade() -> None:
    op.create_index('ix_charges_customer', 'charges', ['customer_id'], unique=False, postgresql_where=sa.text('customer_id is not null'))
