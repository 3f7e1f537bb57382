"""charges: what was made from a product, a coupon or a link in the order of amounts (ADR 0058)"""

import sqlalchemy as sa
from alembic import op
revision = '0050'
down_revision = '0049'
branch_labels = None
depends_on = None

MADE_FROM = ('product', 'coupon', 'payment_link')


def upgrade() -> None:
    for what in MADE_FROM:
        op.create_index(f'ix_charges_amount_of_{what}', 'charges', ['user_id', 'environment', f'{what}_id', 'amount', 'id'], unique=False,
                        postgresql_include=['created_at', 'paid_at', 'status'], postgresql_where=sa.text(f'{what}_id is not null'))


def downgrade() -> None:
    for what in MADE_FROM:
        op.drop_index(f'ix_charges_amount_of_{what}', table_name='charges')
