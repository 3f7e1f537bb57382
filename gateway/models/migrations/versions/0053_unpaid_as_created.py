"""charges: by payment, what was never paid as it was created (ADR 0061)"""

import sqlalchemy as sa
from alembic import op
revision = '0053'
down_revision = '0052'
branch_labels = None
depends_on = None

STRAYS = "paid_at - created_at not between interval '0' and interval '48 hours'"
ASKED = ['created_at', 'paid_at', 'status', 'amount']
ASKED_OF_STRAYS = [
    'created_at', 'amount', 'paid_at', 'status', 'updated_at', 'expires_at', 'customer_id', 'product_id', 'coupon_id', 'payment_link_id'
]


def made_anew(place: str) -> None:
    for name, included, where in (('paid_at', ASKED, None), ('stray_paid_at', ASKED_OF_STRAYS, sa.text(STRAYS))):
        op.drop_index(f'ix_charges_{name}', table_name='charges')
        op.create_index(f'ix_charges_{name}', 'charges', ['user_id', 'environment', sa.text(place), 'id'], unique=False,
                        postgresql_include=included, postgresql_where=where)


def upgrade() -> None:
    made_anew("coalesce(paid_at, timezone('UTC', timezone('UTC', created_at) - interval '720000 days'))")


def downgrade() -> None:
    made_anew("coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)")
