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
    name_of_first('ix_charges_stray_id')


def downgrade() -> None:
    for table in INCLUDED:
        op.drop_index(f'ix_{table}_stray_id', table_name=table)


def name_of_first(index: str) -> None:
    """That of the first part has the name of the whole and its own, as migration 0059 gave them: it says so when the parts are joined again."""
    op.execute(f"""
        do $$
        declare
            first text := (select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_index x on x.indexrelid = c.oid
                            where i.inhparent = '{index}'::regclass and x.indrelid = to_regclass('charges_first'));
        begin
            if first is not null then
                execute format('alter index %I rename to {index}_first', first);
            end if;
        end
        $$
    """)
