"""tallies of what has expired, of the days of changes and expiries, and of amounts and payments in each stretch of the charges (ADR 0042)"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op
revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None

ID_OF = {name: f'listed.{name}::text' for name in ('product_id', 'coupon_id', 'payment_link_id')}
PAID_ON = "to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD')"
LATE = "new.created_at < clock_timestamp() - interval '15 minutes'"


def digits(count: int) -> str:
    """The first digits of an amount."""
    return f"lpad(trunc(listed.amount::numeric, {count} - length(listed.amount::text))::bigint::text, 12, '0')"


# As migration 0023 made them: by the name of a tally its value, of each stretch and of the whole list.
WERE = (
    {'status': "case when listed.status in ('paid', 'canceled', 'refunded') then listed.status end", **ID_OF},
    {'amount': digits(3), 'paid_at': f"coalesce({PAID_ON}, '')"},
)
# Pending charges aren't tallied: what is issued now and expires tomorrow is written when it does, and not before.
ARE = (
    {
        'status': "case when listed.status <> 'pending' then listed.status end",
        **ID_OF,
        'amount/digits_2': digits(2),
        'amount/digits_1': digits(1),
        'paid_at/day': PAID_ON,
    },
    {
        **WERE[1],
        'updated_at': "to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD')",
        'expires_at': "to_char(listed.expires_at at time zone 'UTC', 'YYYY-MM-DD')",
    },
)


BY_PAYMENT: sa.ColumnElement[datetime] = sa.literal_column("coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)")
OF_FILTERS = ['amount', 'paid_at', 'status', 'expires_at', 'product_id', 'coupon_id', 'payment_link_id']


def upgrade() -> None:
    tally(*ARE)
    include(store=OF_FILTERS, paid_at=['created_at', 'paid_at', 'status', 'amount'])


def downgrade() -> None:
    include(store=[], paid_at=['created_at', 'paid_at'])
    tally(*WERE)


def include(store: list[str], paid_at: list[str]) -> None:
    op.execute('drop index ix_charges_store')
    op.create_index('ix_charges_store', 'charges', ['user_id', 'environment', 'created_at', 'id'], unique=False, postgresql_include=store)
    op.execute('drop index ix_charges_paid_at')
    op.create_index('ix_charges_paid_at', 'charges', ['user_id', 'environment', BY_PAYMENT, 'id'], unique=False, postgresql_include=paid_at)


def tally(in_stretches: dict[str, str], in_all: dict[str, str]) -> None:
    """Tally these, of all there is anew: the sweep does, and until then totals are counted."""
    op.execute('drop trigger charges_change_late_tallied on charges')
    op.execute("delete from list_tallies where kind = 'charges'")
    op.execute("delete from list_tally_entries where kind = 'charges'")
    op.execute("update list_milestones set tallied = false where kind = 'charges'")
    told = [f"('{name}', {value}, stretch)" for name, value in in_stretches.items()]
    told += [f"('{name}', {value}, 0)" for name, value in in_all.items()]
    op.execute(f"""
        create or replace function tallies_of(listed charges, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select * from (values {', '.join(told)}) told (name, value, stretch) where told.value is not null
        $$
    """)
    # Those of a column with others by its side change with it, or not at all.
    values = [value for name, value in (in_stretches | in_all).items() if '/' not in name]
    changed = ' or '.join(f"{value.replace('listed.', 'new.')} is distinct from {value.replace('listed.', 'old.')}" for value in values)
    columns = [name for name in in_stretches | in_all if '/' not in name]
    op.execute(f"""
        create trigger charges_change_late_tallied after update of {', '.join(columns)} on charges
        for each row when ({LATE} and ({changed})) execute function keep_charges_tallied()
    """)
