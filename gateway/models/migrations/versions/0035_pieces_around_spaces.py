"""searches: three characters on each side of a space are a piece, and what is asked for where there are any (ADR 0049)"""

from alembic import op
revision = '0035'
down_revision = '0034'
branch_labels = None
depends_on = None

SEARCHED = ('charges', 'customers', 'subscriptions')
# A store's own: the hashes of two lists have nothing in common.
OF_LIST = '# (list & 2147483647)::integer'
# What stands between words, and is not in them.
NO_WORD = r'\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f'
AROUND = """
                union all
                select substr(line, place - 3, 7) from string_to_table(texts || chr(10) || documents, chr(10)) line, generate_series(4, length(line) - 3) place where substr(line, place, 1) = ' '"""
# Four digits stand for the three that they begin and end with, and what is around spaces for all else that isn't a number. Of a long text
# three pieces that are spread over it, since those beside each other are found together; of a short one all.
TELLING = f"""
    with places as (
        select low, place, substr(low, place, 4) ~ '^[0-9]{{4}}$' as is_number,
               lag(substr(low, place, 4) ~ '^[0-9]{{4}}$', 1, false) over (order by place) as ends_number
          from lower(typed) low, generate_series(1, length(low) - 2) place
    ),
    pieces as (
        select place, substr(low, place, case when is_number then 4 else 3 end) as piece from places where is_number or not ends_number
        union all
        select place, substr(low, place, 7) from places where substr(low, place + 3, 1) = ' ' and length(low) >= place + 6
    ),
    grams as (
        select hashtext(piece) {OF_LIST} as gram, min(place) as place, max(length(piece)) as length from pieces group by gram
    ),
    judged as (
        select gram, place, length, gram = any (common) as is_common, bool_and(gram = any (common)) over () as are_common from grams
    ),
    telling as (
        select gram, place, length, max(length) over () as longest from judged where is_common = are_common
    ),
    asked as (
        select gram, row_number() over (order by place) as nth, count(*) over () as found from telling where length > 3 or longest < 7
    )
    select array_agg(gram) from asked where found <= 5 or nth in (1, found / 2 + 1, found)
"""
# As migration 0033 has it.
TRIGRAMS_TELLING = f"""
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
"""


def upgrade() -> None:
    cut(AROUND)
    telling(TELLING)
    _keep_anew()


def downgrade() -> None:
    cut('')
    telling(TRIGRAMS_TELLING)
    _keep_anew()


def cut(more: str) -> None:
    op.execute(rf"""
        create or replace function grams_of(list bigint, texts text, documents text) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(gram) {OF_LIST}), '{{}}')
              from (
                select substr(line, place, 3) as gram from string_to_table(texts || chr(10) || documents, chr(10)) line, generate_series(1, length(line) - 2) place
                union all
                select substr(run[1], place, 4) from regexp_matches(texts || chr(10) || documents, '[0-9]{{4,}}', 'g') run, generate_series(1, length(run[1]) - 3) place
                union all
                select chr(1) || substr(word[1], 1, length)
                  from regexp_matches(texts || chr(10) || documents, '(?:^|[{NO_WORD}])([^{NO_WORD}]{{1,2}})', 'g') word, generate_series(1, length(word[1])) length{more}
            ) grams
        $$
    """)


def telling(of_part: str) -> None:
    op.execute(f"""
        create or replace function telling_grams(list bigint, typed text, common integer[]) returns integer[] language sql immutable strict parallel safe as $$
            select * from ({of_part}) part where length(lower(typed)) > 2
            union all
            select array[hashtext(chr(1) || lower(typed)) {OF_LIST}] where length(lower(typed)) < 3
        $$
    """)


def _keep_anew() -> None:
    """The index has the pieces that rows had when they were kept: all are kept anew by the next sweep, and until then searches read the rows themselves."""
    op.execute('truncate search_texts')
    for table in SEARCHED:
        op.execute(f"""
            insert into search_waiting (kind, user_id, environment, stretch, row_id)
            select '{table}', listed.user_id, listed.environment, m.stretch, listed.id
              from {table} listed cross join lateral (
                select stretch from list_milestones
                 where kind = '{table}' and user_id = listed.user_id and environment = listed.environment and upto >= listed.created_at
                 order by upto limit 1
              ) m
            on conflict do nothing
        """)
