"""charges, customers, subscriptions: the few rows of a period that aren't in its range of ids (ADR 0067)"""

import sqlalchemy as sa
from alembic import op
revision = '0062'
down_revision = '0061'
branch_labels = None
depends_on = None

STRAYS = "(uuid_extract_timestamp(id) - created_at between interval '-600 seconds' and interval '600 seconds') is not true"
INCLUDED = {
    'charges': ['amount', 'paid_at', 'status', 'customer_id', 'product_id', 'coupon_id', 'payment_link_id'],
    'customers': ['name'],
    'subscriptions': ['updated_at', 'next_billing_at', 'amount', 'status'],
}


def upgrade() -> None:
    for table, columns in INCLUDED.items():
        op.create_index(f'ix_{table}_stray_id', table, ['user_id', 'environment', 'created_at', 'id'], unique=False,
                        postgresql_include=columns, postgresql_where=sa.text(STRAYS))


def downgrade() -> None:
    for table in INCLUDED:
        op.drop_index(f'ix_{table}_stray_id', table_name=table)
