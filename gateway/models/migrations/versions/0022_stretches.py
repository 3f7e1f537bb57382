"""long lists: trigrams by stretches, so that a search ends where its page is full; periods of payment from an index alone, and of what was issued by then"""

import sqlalchemy as sa
from alembic import op
revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None

BY_PAYMENT = "coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)"
SEARCHED = {
    'charges': ('customer_name', 'customer_email', 'description', 'external_reference', 'txid', 'end_to_end_id', 'id', 'customer_cpf', 'customer_phone'),
    'customers': ('name', 'email', 'id', 'cpf', 'phone'),
}


def upgrade() -> None:
    _begin_anew()
    op.add_column('list_milestones', sa.Column('stretch', sa.Integer(), server_default=sa.text('0'), nullable=False))
    # Who changes a late row only says so: what it costs to write its trigrams, a late payment doesn't wait for.
    op.create_table('search_waiting',
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('stretch', sa.Integer(), nullable=False),
    sa.Column('row_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.PrimaryKeyConstraint('kind', 'user_id', 'environment', 'stretch', 'row_id', name=op.f('pk_search_waiting'))
    )
    for table, columns in SEARCHED.items():
        op.execute(f'drop function grams_in({table})')
        texts = ', '.join(f'searched.{name}::text' for name in columns)
        # Mixed with its stretch, a trigram is another one in each, so that an entry of the index holds rows of one stretch.
        op.execute(f"""
            create function grams_in(searched {table}, stretch integer) returns integer[] language sql stable parallel safe as $$
                select array(
                    select gram # hashint4(stretch)
                      from unnest(grams_of(list_number('{table}', searched.user_id, searched.environment), array[{texts}])) gram
                )
            $$
        """)
        _keep(table, """
            insert into search_waiting (kind, user_id, environment, stretch, row_id)
            select tg_table_name, one.user_id, one.environment, m.stretch, one.id from list_milestones m
             where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
             order by m.upto limit 1
            on conflict do nothing;
        """)
    # A search asks for many stretches, and each would read what waits to be merged.
    op.execute('alter index ix_search_grams_grams set (fastupdate = off)')
    op.execute('update charges set paid_at = created_at where paid_at < created_at')
    op.create_check_constraint(op.f('ck_charges_paid_once_issued'), 'charges', 'paid_at >= created_at')
    for name, column in (('paid_at', sa.literal_column(BY_PAYMENT)), ('amount', 'amount')):
        op.drop_index(f'ix_charges_{name}', table_name='charges')
        include = ['created_at', 'paid_at'] if name == 'paid_at' else ['created_at']
        op.create_index(f'ix_charges_{name}', 'charges', ['user_id', 'environment', column, 'id'], unique=False, postgresql_include=include)


def downgrade() -> None:
    _begin_anew()
    for name, column in (('amount', 'amount'), ('paid_at', sa.literal_column(BY_PAYMENT))):
        op.drop_index(f'ix_charges_{name}', table_name='charges')
        op.create_index(f'ix_charges_{name}', 'charges', ['user_id', 'environment', column, 'id'], unique=False)
    op.drop_constraint(op.f('ck_charges_paid_once_issued'), 'charges')
    op.execute('alter index ix_search_grams_grams reset (fastupdate)')
    for table, columns in SEARCHED.items():
        op.execute(f'drop function grams_in({table}, integer)')
        texts = ', '.join(f'searched.{name}::text' for name in columns)
        op.execute(f"""
            create function grams_in(searched {table}) returns integer[] language sql stable parallel safe as $$
                select grams_of(list_number('{table}', searched.user_id, searched.environment), array[{texts}])
            $$
        """)
        _keep(table, """
            if exists (
                select from list_milestones m
                 where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
            ) then
                insert into search_grams (row_id, grams) values (new.id, grams_in(new))
                on conflict (row_id) do update set grams = excluded.grams;
            end if;
        """)
    op.drop_table('search_waiting')
    op.drop_column('list_milestones', 'stretch')


def _begin_anew() -> None:
    """The sweep makes both again; until then everything is younger than the last milestone."""
    op.execute("delete from list_milestones where kind in ('charges', 'customers')")
    op.execute('truncate search_grams')


def _keep(table: str, writing: str) -> None:
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
                delete from search_grams where row_id = old.id;
                return null;
            end if;
            {writing}
            return null;
        end
        $$
    """)
