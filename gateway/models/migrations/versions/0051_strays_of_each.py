"""charges: whom and what each stray is of (ADR 0059)"""

import sqlalchemy as sa
from alembic import op
revision = '0051'
down_revision = '0050'
branch_labels = None
depends_on = None

PLACES = {'paid_at': "coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)", 'updated_at': 'updated_at', 'expires_at': 'expires_at'}
MADE_FROM = ['customer_id', 'product_id', 'coupon_id', 'payment_link_id']


def made_anew(included: dict[str, list[str]]) -> None:
    for moment, place in PLACES.items():
        op.drop_index(f'ix_charges_stray_{moment}', table_name='charges')
        op.create_index(f'ix_charges_stray_{moment}', 'charges', ['user_id', 'environment', sa.text(place), 'id'], unique=False,
                        postgresql_include=included[moment],
                        postgresql_where=sa.text(f"{moment} - created_at not between interval '0' and interval '48 hours'"))


def upgrade() -> None:
    asked = ['created_at', 'amount', 'paid_at', 'status']
    made_anew({moment: [*asked, *(other for other in ('updated_at', 'expires_at') if other != moment), *MADE_FROM] for moment in PLACES})


def downgrade() -> None:
    made_anew({moment: ['created_at', *(['paid_at'] if moment == 'paid_at' else []), 'status', 'amount'] for moment in PLACES})
