"""charges: the indexes of when they changed and when they expire include what a period and a status are judged by"""

from alembic import op
revision = '0047'
down_revision = '0046'
branch_labels = None
depends_on = None

ORDERS = ('updated_at', 'expires_at')


def upgrade() -> None:
    for column in ORDERS:
        order_by(column, 'created_at', 'status', 'amount')


def downgrade() -> None:
    for column in ORDERS:
        order_by(column)


def order_by(column: str, *included: str) -> None:
    op.drop_index(f'ix_charges_{column}', table_name='charges')
    op.create_index(f'ix_charges_{column}', 'charges', ['user_id', 'environment', column, 'id'], unique=False, postgresql_include=[*included])
