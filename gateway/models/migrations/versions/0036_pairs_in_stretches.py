"""tallies of each status of charges and subscriptions together with what else they are filtered by, in each stretch too (ADR 0044)"""

from alembic import op
revision = '0036'
down_revision = '0035'
branch_labels = None
depends_on = None

ID_OF = {name: f'listed.{name}::text' for name in ('product_id', 'coupon_id', 'payment_link_id')}
PAID_ON = "to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD')"


def digits(count: int) -> str:
    """The first digits of an amount."""
    return f"lpad(trunc(listed.amount::numeric, {count} - length(listed.amount::text))::bigint::text, 12, '0')"


def with_status(values: dict[str, str]) -> dict[str, str]:
    return {
        f'status/{name}': f"case when listed.status <> 'pending' then listed.status || '/' || {value} end"
        for name, value in values.items()
    }


# As migration 0029 made them: by the name of a tally its value, of each stretch and of the whole list.
GROUPS = {'amount/digits_2': digits(2), 'amount/digits_1': digits(1), 'paid_at/day': PAID_ON}
IN_STRETCHES = {'status': "case when listed.status <> 'pending' then listed.status end"} | ID_OF | GROUPS
IN_ALL = {
    'amount': digits(3),
    'paid_at': f"coalesce({PAID_ON}, '')",
    'updated_at': "to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD')",
    'expires_at': "to_char(listed.expires_at at time zone 'UTC', 'YYYY-MM-DD')",
}
PAIRS = with_status({'amount': digits(3), 'paid_at': PAID_ON} | ID_OF)
PAIRS_IN_STRETCHES = with_status(ID_OF | GROUPS)
# Pages in the order of payment have those that weren't paid, too.
PAIRS_IN_ALL = with_status({'amount': digits(3), 'paid_at': f"coalesce({PAID_ON}, '')"})


OF_SUBSCRIPTIONS = {'status': 'listed.status', 'interval': 'listed.interval'}


def upgrade() -> None:
    tally('charges', IN_STRETCHES | PAIRS_IN_STRETCHES, IN_ALL | PAIRS_IN_ALL)
    tally('subscriptions', OF_SUBSCRIPTIONS | {'status/interval': "listed.status || '/' || listed.interval"})
    order_amounts_with('created_at', 'status')


def downgrade() -> None:
    tally('charges', IN_STRETCHES, IN_ALL | PAIRS)
    tally('subscriptions', OF_SUBSCRIPTIONS)
    order_amounts_with('created_at')


def tally(table: str, in_stretches: dict[str, str], in_all: dict[str, str] | None = None) -> None:
    """Tally these, of all there is anew: the sweep does, and until then totals are counted."""
    op.execute(f"delete from list_tallies where kind = '{table}'")
    op.execute(f"delete from list_tally_entries where kind = '{table}'")
    op.execute(f"update list_milestones set tallied = false where kind = '{table}'")
    told = [f"('{name}', {value}, stretch)" for name, value in in_stretches.items()]
    told += [f"('{name}', {value}, 0)" for name, value in (in_all or {}).items()]
    op.execute(f"""
        create or replace function tallies_of(listed {table}, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select * from (values {', '.join(told)}) told (name, value, stretch) where told.value is not null
        $$
    """)


def order_amounts_with(*included: str) -> None:
    op.drop_index('ix_charges_amount', table_name='charges')
    op.create_index('ix_charges_amount', 'charges', ['user_id', 'environment', 'amount', 'id'], unique=False, postgresql_include=[*included])
