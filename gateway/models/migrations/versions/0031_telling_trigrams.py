"""searches: four digits in a row as well as three letters, and the trigrams that many rows have, which aren't asked for (ADR 0046)"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None

SEARCHED = ('charges', 'customers', 'subscriptions')
# A store's own: the hashes of two lists have nothing in common.
OF_LIST = '# (list & 2147483647)::integer'


def upgrade() -> None:
    op.add_column('list_milestones', sa.Column('common_grams', postgresql.ARRAY(sa.Integer()), server_default='{}', nullable=False))
    op.execute(f"""
        create or replace function grams_of(list bigint, texts text[]) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(gram) {OF_LIST}), '{{}}')
              from (
                select substr(low, place, 3) as gram from (select lower(one) as low from unnest(texts) one) lowered, generate_series(1, length(low) - 2) place
                union all
                select substr(run[1], place, 4) from regexp_matches(array_to_string(texts, ' '), '[0-9]{{4,}}', 'g') run, generate_series(1, length(run[1]) - 3) place
            ) grams
        $$
    """)
    # Four digits stand for the three that they begin and end with. Of a long text three pieces that are spread over it, since those beside
    # each other are found together; of a short one all.
    op.execute(f"""
        create function telling_grams(list bigint, typed text, common integer[]) returns integer[] language sql immutable strict parallel safe as $$
            with pieces as (
                select place, substr(low, place, 4) ~ '^[0-9]{{4}}$' as is_number,
                       lag(substr(low, place, 4) ~ '^[0-9]{{4}}$', 1, false) over (order by place) as ends_number, low
                  from lower(typed) low, generate_series(1, length(low) - 2) place
            ),
            grams as (
                select hashtext(substr(low, place, case when is_number then 4 else 3 end)) {OF_LIST} as gram, min(place) as place
                  from pieces where is_number or not ends_number
                 group by gram
            ),
            judged as (
                select gram, place, gram = any (common) as is_common, bool_and(gram = any (common)) over () as are_common from grams
            ),
            telling as (
                select gram, row_number() over (order by place) as nth, count(*) over () as found from judged
                 where is_common = are_common
            )
            select array_agg(gram) from telling where found <= 5 or nth in (1, found / 2 + 1, found)
        $$
    """)
    _begin_anew()


def downgrade() -> None:
    op.execute('drop function telling_grams(bigint, text, integer[])')
    op.execute(f"""
        create or replace function grams_of(list bigint, texts text[]) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(substr(low, place, 3)) {OF_LIST}), '{{}}')
              from (select lower(one) as low from unnest(texts) one) lowered, generate_series(1, length(low) - 2) place
        $$
    """)
    op.drop_column('list_milestones', 'common_grams')
    _begin_anew()


def _begin_anew() -> None:
    """The sweep makes them, and until then all of a list is younger than its last milestone."""
    op.execute("truncate search_grams")
    for table in ('list_milestones', 'list_tallies', 'list_tally_entries', 'search_waiting'):
        op.execute(f"delete from {table} where kind in {SEARCHED}")
