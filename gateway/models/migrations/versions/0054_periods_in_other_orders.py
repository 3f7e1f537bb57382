"""customers, subscriptions: a period of creation in other orders, from indexes alone (ADR 0061)"""

import sqlalchemy as sa
from alembic import op
revision = '0054'
down_revision = '0053'
branch_labels = None
depends_on = None

BY_DATE = "coalesce(next_billing_at, '0001-01-02 00:00:00+00'::timestamptz)"
STRAYS = "updated_at - created_at not between interval '0' and interval '48 hours'"
INCLUDED = {
    ('customers', 'store', 'created_at'): ['updated_at'],
    ('customers', 'updated_at', 'updated_at'): ['created_at'],
    ('customers', 'name', 'name_order(name) collate "C"'): ['created_at', 'name'],
    ('subscriptions', 'store', 'created_at'): ['updated_at', 'next_billing_at', 'amount'],
    ('subscriptions', 'updated_at', 'updated_at'): ['created_at', 'status'],
    ('subscriptions', 'amount', 'amount'): ['created_at', 'status'],
    ('subscriptions', 'next_billing_at', BY_DATE): ['created_at', 'status', 'next_billing_at'],
}


def made_anew(included: bool) -> None:
    for (table, name, place), columns in INCLUDED.items():
        op.drop_index(f'ix_{table}_{name}', table_name=table)
        op.create_index(f'ix_{table}_{name}', table, ['user_id', 'environment', sa.text(place), 'id'], unique=False,
                        postgresql_include=columns if included else [])


def upgrade() -> None:
    made_anew(included=True)
    op.create_index('ix_customers_stray_updated_at', 'customers', ['user_id', 'environment', 'updated_at', 'id'], unique=False,
                    postgresql_include=['created_at'], postgresql_where=sa.text(STRAYS))


def downgrade() -> None:
    op.drop_index('ix_customers_stray_updated_at', table_name='customers')
    made_anew(included=False)
