"""tallies of each status of charges together with what else they are filtered by (ADR 0044)"""

from alembic import op
revision = '0029'
down_revision = '0028'
branch_labels = None
depends_on = None

ID_OF = {name: f'listed.{name}::text' for name in ('product_id', 'coupon_id', 'payment_link_id')}
PAID_ON = "to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD')"


def digits(count: int) -> str:
    """The first digits of an amount."""
    return f"lpad(trunc(listed.amount::numeric, {count} - length(listed.amount::text))::bigint::text, 12, '0')"


# As migration 0024 made them: by the name of a tally its value, of each stretch and of the whole list.
IN_STRETCHES = {
    'status': "case when listed.status <> 'pending' then listed.status end",
    **ID_OF,
    'amount/digits_2': digits(2),
    'amount/digits_1': digits(1),
    'paid_at/day': PAID_ON,
}
IN_ALL = {
    'amount': digits(3),
    'paid_at': f"coalesce({PAID_ON}, '')",
    'updated_at': "to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD')",
    'expires_at': "to_char(listed.expires_at at time zone 'UTC', 'YYYY-MM-DD')",
}
PAIRS = {
    f'status/{name}': f"case when listed.status <> 'pending' then listed.status || '/' || {value} end"
    for name, value in {'amount': digits(3), 'paid_at': PAID_ON, **ID_OF}.items()
}


def upgrade() -> None:
    tally(PAIRS)


def downgrade() -> None:
    tally({})


def tally(pairs: dict[str, str]) -> None:
    """Tally these, of all there is anew: the sweep does, and until then totals are counted. What they change with changes the others, too."""
    op.execute("delete from list_tallies where kind = 'charges'")
    op.execute("delete from list_tally_entries where kind = 'charges'")
    op.execute("update list_milestones set tallied = false where kind = 'charges'")
    told = [f"('{name}', {value}, stretch)" for name, value in IN_STRETCHES.items()]
    told += [f"('{name}', {value}, 0)" for name, value in (IN_ALL | pairs).items()]
    op.execute(f"""
        create or replace function tallies_of(listed charges, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select * from (values {', '.join(told)}) told (name, value, stretch) where told.value is not null
        $$
    """)
