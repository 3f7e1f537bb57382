"""charges: the indexes of when they changed and expire, and of what they were made from, include what rows are judged and ordered by (ADR 0054)"""

import sqlalchemy as sa
from alembic import op
revision = '0047'
down_revision = '0046'
branch_labels = None
depends_on = None

ORDERS = ('updated_at', 'expires_at')
MADE_FROM = ('product', 'coupon', 'payment_link')


def upgrade() -> None:
    for column in ORDERS:
        order_by(column, 'created_at', 'status', 'amount')
    for what in MADE_FROM:
        made_from(what, 'amount', 'paid_at', 'status', 'updated_at', 'expires_at')


def downgrade() -> None:
    for column in ORDERS:
        order_by(column)
    for what in MADE_FROM:
        made_from(what)


def order_by(column: str, *included: str) -> None:
    op.drop_index(f'ix_charges_{column}', table_name='charges')
    op.create_index(f'ix_charges_{column}', 'charges', ['user_id', 'environment', column, 'id'], unique=False, postgresql_include=[*included])


def made_from(what: str, *included: str) -> None:
    op.drop_index(f'ix_charges_of_{what}', table_name='charges')
    op.create_index(f'ix_charges_of_{what}', 'charges', ['user_id', 'environment', f'{what}_id', 'created_at', 'id'], unique=False,
                    postgresql_include=[*included], postgresql_where=sa.text(f'{what}_id is not null'))
