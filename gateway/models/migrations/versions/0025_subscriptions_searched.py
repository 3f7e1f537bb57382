"""subscriptions: an index for each order, and trigrams of their texts (ADR 0035)"""

from alembic import op
revision = '0025'
down_revision = '0024'
branch_labels = None
depends_on = None

TEXTS = ('customer_name', 'customer_email', 'description', 'external_reference', 'customer_cpf')
LATE = "clock_timestamp() - interval '15 minutes'"
# As migration 0022 has it of charges and customers: who comes or changes late only says so.
WAITING = """
    insert into search_waiting (kind, user_id, environment, stretch, row_id)
    select tg_table_name, one.user_id, one.environment, m.stretch, one.id from list_milestones m
     where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
     order by m.upto limit 1
    on conflict do nothing;
"""
FORGETTING = "delete from search_grams where row_id = old.id;"


def upgrade() -> None:
    for name in ('updated_at', 'amount'):
        op.create_index(f'ix_subscriptions_{name}', 'subscriptions', ['user_id', 'environment', name, 'id'], unique=False)
    texts = ', '.join(f'searched.{name}::text' for name in (*TEXTS, 'id'))
    op.execute(f"""
        create function grams_in(searched subscriptions, stretch integer) returns integer[] language sql stable parallel safe as $$
            select array(
                select gram # hashint4(stretch)
                  from unnest(grams_of(list_number('subscriptions', searched.user_id, searched.environment), array[{texts}])) gram
            )
        $$
    """)
    _keep(FORGETTING, WAITING)
    changed = ' or '.join(f'new.{name} is distinct from old.{name}' for name in TEXTS)
    op.execute(f"""
        create trigger subscriptions_change_late after update of {', '.join(TEXTS)} on subscriptions
        for each row when (new.created_at < {LATE} and ({changed})) execute function keep_subscriptions_listed()
    """)
    _begin_anew()


def downgrade() -> None:
    op.execute('drop trigger subscriptions_change_late on subscriptions')
    _keep('', '')
    op.execute('drop function grams_in(subscriptions, integer)')
    op.execute("delete from search_waiting where kind = 'subscriptions'")
    op.execute("delete from search_grams where row_id in (select id from subscriptions)")
    _begin_anew()
    for name in ('amount', 'updated_at'):
        op.drop_index(f'ix_subscriptions_{name}', table_name='subscriptions')


def _begin_anew() -> None:
    """The sweep makes them with trigrams, or without; until then everything is younger than the last milestone."""
    op.execute("delete from list_milestones where kind = 'subscriptions'")


def _keep(forgetting: str, writing: str) -> None:
    op.execute(f"""
        create or replace function keep_subscriptions_listed() returns trigger language plpgsql as $$
        declare
            one subscriptions;
        begin
            if tg_op = 'DELETE' then one := old; else one := new; end if;
            perform pg_advisory_xact_lock_shared(list_number(tg_table_name, one.user_id, one.environment));
            if tg_op <> 'UPDATE' then
                update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
                 where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at;
            end if;
            if tg_op = 'DELETE' then
                {forgetting}
                return null;
            end if;
            {writing}
            return null;
        end
        $$
    """)
