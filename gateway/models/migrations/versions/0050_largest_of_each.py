"""charges: what was made for a customer, and from a product, a coupon or a link, in the orders of creation and of amounts (ADR 0058)"""

import sqlalchemy as sa
from alembic import op
revision = '0050'
down_revision = '0049'
branch_labels = None
depends_on = None

MADE_FROM = ('customer', 'product', 'coupon', 'payment_link')


def upgrade() -> None:
    op.drop_index('ix_charges_customer', table_name='charges')
    op.create_index('ix_charges_customer', 'charges', ['customer_id'], unique=False, postgresql_where=sa.text('customer_id is not null'))
    op.create_index('ix_charges_of_customer', 'charges', ['user_id', 'environment', 'customer_id', 'created_at', 'id'], unique=False,
                    postgresql_include=['amount', 'paid_at', 'status', 'updated_at', 'expires_at'], postgresql_where=sa.text('customer_id is not null'))
    for what in MADE_FROM:
        op.create_index(f'ix_charges_amount_of_{what}', 'charges', ['user_id', 'environment', f'{what}_id', 'amount', 'id'], unique=False,
                        postgresql_include=['created_at', 'paid_at', 'status'], postgresql_where=sa.text(f'{what}_id is not null and amount > 0'))


def downgrade() -> None:
    for what in MADE_FROM:
        op.drop_index(f'ix_charges_amount_of_{what}', table_name='charges')
    op.drop_index('ix_charges_of_customer', table_name='charges')
    op.drop_index('ix_charges_customer', table_name='charges')
    op.create_index('ix_charges_customer', 'charges', ['customer_id', 'created_at', 'id'], unique=False, postgresql_where=sa.text('customer_id is not null'))
