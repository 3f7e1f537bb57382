"""names in the order in which people look for them, and tallies of customers by the first letters of theirs (ADR 0045)"""

import sqlalchemy as sa
from alembic import op
revision = '0030'
down_revision = '0029'
branch_labels = None
depends_on = None

# In the whole list, as migration 0026 made them.
WERE = {'updated_at': "to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD')"}
ARE = {**WERE, 'name': 'left(name_order(listed.name), 3)'}
LATE = "new.created_at < clock_timestamp() - interval '15 minutes'"


def upgrade() -> None:
    # Each letter and its accents apart, and these left out.
    op.execute(r"""
        create function name_order(name text) returns text
        language sql immutable strict parallel safe return regexp_replace(normalize(lower(name), nfd), '[\u0300-\u036f]', '', 'g')
    """)
    index(sa.text('name_order(name) COLLATE "C"'))
    tally(ARE)


def downgrade() -> None:
    tally(WERE)
    index('name')
    op.execute("drop function name_order(text)")


def index(name: str | sa.TextClause) -> None:
    op.drop_index('ix_customers_name', table_name='customers')
    op.create_index('ix_customers_name', 'customers', ['user_id', 'environment', name, 'id'], unique=False)


def tally(tallies: dict[str, str]) -> None:
    """Tally these, of all there is anew: the sweep does, and until then a page passes by what is before it."""
    op.execute("drop trigger customers_change_late_tallied on customers")
    op.execute("delete from list_tallies where kind = 'customers'")
    op.execute("delete from list_tally_entries where kind = 'customers'")
    op.execute("update list_milestones set tallied = false where kind = 'customers'")
    told = ', '.join(f"('{name}', {value}, 0)" for name, value in tallies.items())
    op.execute(f"""
        create or replace function tallies_of(listed customers, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select * from (values {told}) told (name, value, stretch)
        $$
    """)
    changed = ' or '.join(f"{value.replace('listed.', 'new.')} is distinct from {value.replace('listed.', 'old.')}" for value in tallies.values())
    op.execute(f"""
        create trigger customers_change_late_tallied after update of {', '.join(tallies)} on customers
        for each row when ({LATE} and ({changed})) execute function keep_customers_tallied()
    """)
