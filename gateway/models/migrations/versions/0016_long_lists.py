"""long lists: an index for each order, milestones for totals and deep pages, trigrams for searches"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0016'
down_revision = '0015'
branch_labels = None
depends_on = None

BY_PAYMENT = "coalesce(paid_at, '0001-01-02 00:00:00+00'::timestamptz)"
BY_DATE = "coalesce(next_billing_at, '0001-01-02 00:00:00+00'::timestamptz)"
SEARCHED = {
    'charges': ('customer_name', 'customer_email', 'description', 'external_reference', 'txid', 'end_to_end_id', 'id', 'customer_cpf', 'customer_phone'),
    'customers': ('name', 'email', 'id', 'cpf', 'phone'),
}
LATE = "clock_timestamp() - interval '15 minutes'"


def upgrade() -> None:
    for name, column in (('updated_at', 'updated_at'), ('paid_at', sa.literal_column(BY_PAYMENT)), ('expires_at', 'expires_at'), ('amount', 'amount')):
        op.create_index(f'ix_charges_{name}', 'charges', ['user_id', 'environment', column, 'id'], unique=False)
    for what in ('product', 'coupon', 'payment_link'):
        op.create_index(f'ix_charges_of_{what}', 'charges', ['user_id', 'environment', f'{what}_id', 'created_at', 'id'], unique=False, postgresql_where=sa.text(f'{what}_id is not null'))
    op.create_index('ix_customers_updated_at', 'customers', ['user_id', 'environment', 'updated_at', 'id'], unique=False)
    op.create_index('ix_customers_name', 'customers', ['user_id', 'environment', 'name', 'id'], unique=False)
    op.create_index('ix_customers_email', 'customers', ['user_id', 'environment', sa.literal_column('lower(email)'), 'created_at', 'id'], unique=False)
    op.create_index('ix_subscriptions_status', 'subscriptions', ['user_id', 'environment', 'status', 'created_at', 'id'], unique=False)
    op.create_index('ix_subscriptions_next_billing_at', 'subscriptions', ['user_id', 'environment', sa.literal_column(BY_DATE), 'id'], unique=False)
    op.create_table('list_milestones',
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('upto', sa.DateTime(timezone=True), nullable=False),
    sa.Column('rows', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('kind', 'user_id', 'environment', 'upto', name=op.f('pk_list_milestones'))
    )
    op.create_table('search_grams',
    sa.Column('row_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('grams', postgresql.ARRAY(sa.Integer()), nullable=False),
    sa.PrimaryKeyConstraint('row_id', name=op.f('pk_search_grams'))
    )
    op.create_index('ix_search_grams_grams', 'search_grams', ['grams'], unique=False, postgresql_using='gin')
    _create_functions()
    for table in SEARCHED:
        _keep(table, 'user_id')
    _keep('subscriptions', 'user_id')
    _keep('audit_records', 'store_id')


def _create_functions() -> None:
    # A list's own number: mixed into the hashes of its rows' trigrams, and the lock under which its milestones move.
    op.execute("""
        create function list_number(kind text, store uuid, environment text) returns bigint language sql immutable parallel safe as $$
            select hashtextextended(kind || store::text || environment, 0)
        $$
    """)
    op.execute("""
        create function grams_of(list bigint, texts text[]) returns integer[] language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct hashtext(substr(low, place, 3)) # (list & 2147483647)::integer), '{}')
              from (select lower(one) as low from unnest(texts) one) lowered, generate_series(1, length(low) - 2) place
        $$
    """)
    for table, columns in SEARCHED.items():
        texts = ', '.join(f'searched.{name}::text' for name in columns)
        op.execute(f"""
            create function grams_in(searched {table}) returns integer[] language sql stable parallel safe as $$
                select grams_of(list_number('{table}', searched.user_id, searched.environment), array[{texts}])
            $$
        """)


def _keep(table: str, store: str) -> None:
    """The triggers of a list: for what comes, goes or changes where milestones may stand. The lock keeps the sweep away
    meanwhile, and nobody else.
    """
    searched = table in SEARCHED
    deleting = "delete from search_grams where row_id = old.id;" if searched else ""
    writing = """
            if tg_op <> 'DELETE' and exists (
                select from list_milestones m
                 where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
            ) then
                insert into search_grams (row_id, grams) values (new.id, grams_in(new))
                on conflict (row_id) do update set grams = excluded.grams;
            end if;
    """ if searched else ""
    op.execute(f"""
        create function keep_{table}_listed() returns trigger language plpgsql as $$
        declare
            one {table};
        begin
            if tg_op = 'DELETE' then one := old; else one := new; end if;
            perform pg_advisory_xact_lock_shared(list_number(tg_table_name, one.{store}, one.environment));
            if tg_op <> 'UPDATE' then
                update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
                 where m.kind = tg_table_name and m.user_id = one.{store} and m.environment = one.environment and m.upto >= one.created_at;
            end if;
            if tg_op = 'DELETE' then
                {deleting}
                return null;
            end if;
            {writing}
            return null;
        end
        $$
    """)
    op.execute(f"""
        create trigger {table}_come_late after insert on {table}
        for each row when (new.created_at < {LATE}) execute function keep_{table}_listed()
    """)
    if table != 'audit_records':
        op.execute(f"""
            create trigger {table}_go after delete on {table} for each row execute function keep_{table}_listed()
        """)
    if searched:
        columns = [name for name in SEARCHED[table] if name != 'id']
        changed = ' or '.join(f'new.{name} is distinct from old.{name}' for name in columns)
        op.execute(f"""
            create trigger {table}_change_late after update of {', '.join(columns)} on {table}
            for each row when (new.created_at < {LATE} and ({changed})) execute function keep_{table}_listed()
        """)


def downgrade() -> None:
    for table in (*SEARCHED, 'subscriptions', 'audit_records'):
        op.execute(f'drop trigger {table}_come_late on {table}')
        if table != 'audit_records':
            op.execute(f'drop trigger {table}_go on {table}')
        if table in SEARCHED:
            op.execute(f'drop trigger {table}_change_late on {table}')
            op.execute(f'drop function grams_in({table})')
        op.execute(f'drop function keep_{table}_listed()')
    op.execute('drop function grams_of(bigint, text[])')
    op.execute('drop function list_number(text, uuid, text)')
    op.drop_index('ix_search_grams_grams', table_name='search_grams', postgresql_using='gin')
    op.drop_table('search_grams')
    op.drop_table('list_milestones')
    for name in ('next_billing_at', 'status'):
        op.drop_index(f'ix_subscriptions_{name}', table_name='subscriptions')
    for name in ('email', 'name', 'updated_at'):
        op.drop_index(f'ix_customers_{name}', table_name='customers')
    for what in ('payment_link', 'coupon', 'product'):
        op.drop_index(f'ix_charges_of_{what}', table_name='charges', postgresql_where=sa.text(f'{what}_id is not null'))
    for name in ('amount', 'expires_at', 'paid_at', 'updated_at'):
        op.drop_index(f'ix_charges_{name}', table_name='charges')
