"""charges: indexes of those that aren't paid, changed or expired soon after they were issued (ADR 0056)"""

import sqlalchemy as sa
from alembic import op
revision = '0048'
down_revision = '0047'
branch_labels = None
depends_on = None

ORDERS = {'paid_at': "coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)", 'updated_at': 'updated_at', 'expires_at': 'expires_at'}


def upgrade() -> None:
    for moment, place in ORDERS.items():
        included = ['created_at', *(['paid_at'] if moment == 'paid_at' else []), 'status', 'amount']
        op.create_index(f'ix_charges_stray_{moment}', 'charges', ['user_id', 'environment', sa.text(place), 'id'], unique=False,
                        postgresql_include=included,
                        postgresql_where=sa.text(f"{moment} - created_at not between interval '0' and interval '48 hours'"))


def downgrade() -> None:
    for moment in ORDERS:
        op.drop_index(f'ix_charges_stray_{moment}', table_name='charges')
