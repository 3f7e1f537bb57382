"""searches: what they find rows by is kept as text, so that they compare and count it without reading the rows, and one or two letters are looked for at the beginnings of words (ADR 0048)"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0033'
down_revision = '0032'
branch_labels = None
depends_on = None

SEARCHED = {
    'charges': ('customer_name', 'customer_email', 'description', 'external_reference', 'txid', 'end_to_end_id', 'id', 'customer_cpf', 'customer_phone'),
    'customers': ('name', 'email', 'id', 'cpf', 'phone'),
    'subscriptions': ('customer_name', 'customer_email', 'description', 'external_reference', 'customer_cpf', 'id'),
}
# A store's own: the hashes of two lists have nothing in common.
OF_LIST = '# (list & 2147483647)::integer'
# What stands between words, and is not in them.
NO_WORD = r'\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f'
MIXED = 'array(select gram # hashint4(stretch) from unnest({of_texts}) gram)'
TELLING = """
    with pieces as (
        select place, substr(low, place, 4) ~ '^[0-9]{4}$' as is_number,
               lag(substr(low, place, 4) ~ '^[0-9]{4}$', 1, false) over (order by place) as ends_number, low
          from lower(typed) low, generate_series(1, length(low) - 2) place
    ),
    grams as (
        select hashtext(substr(low, place, case when is_number then 4 else 3 end)) # (list & 2147483647)::integer as gram, min(place) as place
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
BEGINNING = """
    union all
    select array[hashtext(chr(1) || lower(typed)) # (list & 2147483647)::integer] where length(lower(typed)) < 3
"""


def upgrade() -> None:
    for table in SEARCHED:
        op.execute(f'drop function grams_in({table}, integer)')
    op.execute('drop function grams_of(bigint, text[])')
    op.drop_table('search_grams')
    # The beginnings of words have a character before them that no text has.
    op.execute(rf"""
        create function grams_of(list bigint, texts text, documents text) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(gram) {OF_LIST}), '{{}}')
              from (
                select substr(line, place, 3) as gram from string_to_table(texts || chr(10) || documents, chr(10)) line, generate_series(1, length(line) - 2) place
                union all
                select substr(run[1], place, 4) from regexp_matches(texts || chr(10) || documents, '[0-9]{{4,}}', 'g') run, generate_series(1, length(run[1]) - 3) place
                union all
                select chr(1) || substr(word[1], 1, length)
                  from regexp_matches(texts || chr(10) || documents, '(?:^|[{NO_WORD}])([^{NO_WORD}]{{1,2}})', 'g') word, generate_series(1, length(word[1])) length
            ) grams
        $$
    """)
    # An index calls its functions where no other is in sight, so this one is told of the other when it is made.
    op.execute(f"""
        create function grams_in(list bigint, stretch integer, texts text, documents text) returns integer[] language sql immutable parallel safe
        return {MIXED.format(of_texts='grams_of(list, texts, documents)')}
    """)
    telling(f"select * from ({TELLING}) part where length(lower(typed)) > 2 {BEGINNING}")
    op.create_table('search_texts',
    sa.Column('row_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('stretch', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('texts', sa.Text(), nullable=False),
    sa.Column('documents', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('row_id', name=op.f('pk_search_texts'))
    )
    grams = 'grams_in(list_number(kind, user_id, environment), stretch, texts, documents)'
    op.create_index('ix_search_texts_grams', 'search_texts', [sa.text(grams)], unique=False, postgresql_using='gin', postgresql_with={'fastupdate': 'off'})
    # No plan asks how often a piece occurs, which ANALYZE would cut thousands of texts to pieces for.
    op.execute('alter index ix_search_texts_grams alter column 1 set statistics 0')
    for table in SEARCHED:
        keep(table, 'search_texts', forgets='delete from search_texts where row_id = new.id;')
        wait(table)


def downgrade() -> None:
    op.drop_table('search_texts')
    op.execute('drop function grams_in(bigint, integer, text, text)')
    op.execute('drop function grams_of(bigint, text, text)')
    op.execute(f"""
        create function grams_of(list bigint, texts text[]) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(gram) {OF_LIST}), '{{}}')
              from (
                select substr(low, place, 3) as gram from (select lower(one) as low from unnest(texts) one) lowered, generate_series(1, length(low) - 2) place
                union all
                select substr(run[1], place, 4) from regexp_matches(array_to_string(texts, ' '), '[0-9]{{4,}}', 'g') run, generate_series(1, length(run[1]) - 3) place
            ) grams
        $$
    """)
    telling(TELLING)
    op.create_table('search_grams',
    sa.Column('row_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('grams', postgresql.ARRAY(sa.Integer()), nullable=False),
    sa.PrimaryKeyConstraint('row_id', name=op.f('pk_search_grams'))
    )
    op.create_index('ix_search_grams_grams', 'search_grams', ['grams'], unique=False, postgresql_using='gin', postgresql_with={'fastupdate': 'off'})
    for table, columns in SEARCHED.items():
        texts = ', '.join(f'searched.{name}::text' for name in columns)
        of_row = f"grams_of(list_number('{table}', searched.user_id, searched.environment), array[{texts}])"
        op.execute(f"""
            create function grams_in(searched {table}, stretch integer) returns integer[] language sql stable parallel safe as $$
                select {MIXED.format(of_texts=of_row)}
            $$
        """)
        keep(table, 'search_grams')
        wait(table)


def telling(body: str) -> None:
    op.execute(f"""
        create or replace function telling_grams(list bigint, typed text, common integer[]) returns integer[] language sql immutable strict parallel safe as $$
            {body}
        $$
    """)


def keep(table: str, kept: str, forgets: str = '') -> None:
    """The trigger's function: who comes or changes late only says so, and what was kept of it is forgotten."""
    op.execute(f"""
        create or replace function keep_{table}_listed() returns trigger language plpgsql as $$
        declare
            one {table};
        begin
            if tg_op = 'DELETE' then one := old; else one := new; end if;
            perform pg_advisory_xact_lock_shared(list_number(tg_table_name, one.user_id, one.environment));
            if tg_op <> 'UPDATE' then
                update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
                 where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at;
            end if;
            if tg_op = 'DELETE' then
                delete from {kept} where row_id = old.id;
                return null;
            end if;
            {forgets}
            insert into search_waiting (kind, user_id, environment, stretch, row_id)
            select tg_table_name, one.user_id, one.environment, m.stretch, one.id from list_milestones m
             where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
             order by m.upto limit 1
            on conflict do nothing;
            return null;
        end
        $$
    """)


def wait(table: str) -> None:
    """Searches read the rows below a milestone until the sweep has kept what they find them by."""
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
