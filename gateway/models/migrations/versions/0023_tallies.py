"""tallies of long lists: how many rows have a value that charges and the audit trail are filtered by"""

import sqlalchemy as sa
from alembic import op
revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None

KEY = ('kind', 'user_id', 'environment', 'name', 'value', 'stretch')
# In each stretch, ids and words as they are. Pending charges become expired ones, and neither is tallied: nothing is written for that.
WORDS = {
    'charges': {
        'status': "case when listed.status in ('paid', 'canceled', 'refunded') then listed.status end",
        'product_id': 'listed.product_id::text',
        'coupon_id': 'listed.coupon_id::text',
        'payment_link_id': 'listed.payment_link_id::text',
    },
    'audit_records': {name: f'listed.{name}' for name in ('action', 'actor_type', 'actor_id', 'resource_type', 'source')},
}
# In the whole list, of an amount the first three digits, of a moment the day, and nothing of one that is missing.
GROUPS = {
    'charges': {
        'amount': "lpad(trunc(listed.amount::numeric, 3 - length(listed.amount::text))::bigint::text, 12, '0')",
        'paid_at': "coalesce(to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), '')",
    },
    'audit_records': {},
}
STORE = {'charges': 'user_id', 'audit_records': 'store_id'}
LATE = "new.created_at < clock_timestamp() - interval '15 minutes'"


def upgrade() -> None:
    op.add_column('list_milestones', sa.Column('tallied', sa.Boolean(), server_default='false', nullable=False))
    op.create_index('ix_list_milestones_untallied', 'list_milestones', ['kind', 'user_id', 'environment', 'upto'], unique=False, postgresql_where=sa.text('not tallied'))
    op.create_table('list_tallies',
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('value', sa.Text(collation='C'), nullable=False),
    sa.Column('stretch', sa.Integer(), nullable=False),
    sa.Column('rows', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint(*KEY, name=op.f('pk_list_tallies'))
    )
    op.create_table('list_tally_entries',
    sa.Column('id', sa.Uuid(as_uuid=False), server_default=sa.text('uuidv7()'), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('value', sa.Text(collation='C'), nullable=False),
    sa.Column('stretch', sa.Integer(), nullable=False),
    sa.Column('rows', sa.SmallInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_list_tally_entries'))
    )
    op.create_index('ix_list_tally_entries_list', 'list_tally_entries', list(KEY), unique=False)
    # Only searched lists had stretches so far.
    op.execute("""
        update list_milestones m set stretch = numbered.n / 10
          from (select kind, user_id, environment, upto, row_number() over (partition by user_id, environment order by upto) - 1 as n
                  from list_milestones where kind = 'audit_records') numbered
         where (m.kind, m.user_id, m.environment, m.upto) = (numbered.kind, numbered.user_id, numbered.environment, numbered.upto)
    """)
    for table, store in STORE.items():
        told = [f"('{name}', {value}, stretch)" for name, value in WORDS[table].items()]
        told += [f"('{name}', {value}, 0)" for name, value in GROUPS[table].items()]
        op.execute(f"""
            create function tallies_of(listed {table}, stretch integer) returns table (name text, value text, stretch integer)
            language sql stable parallel safe as $$
                select * from (values {', '.join(told)}) told (name, value, stretch) where told.value is not null
            $$
        """)
        _keep(table, store)
    op.execute(f"create trigger charges_come_late_tallied after insert on charges for each row when ({LATE}) execute function keep_charges_tallied()")
    op.execute("create trigger charges_go_tallied after delete on charges for each row execute function keep_charges_tallied()")
    columns = [*WORDS['charges'], *GROUPS['charges']]
    values = (WORDS['charges'] | GROUPS['charges']).values()
    changed = ' or '.join(f"{value.replace('listed.', 'new.')} is distinct from {value.replace('listed.', 'old.')}" for value in values)
    op.execute(f"""
        create trigger charges_change_late_tallied after update of {', '.join(columns)} on charges
        for each row when ({LATE} and ({changed})) execute function keep_charges_tallied()
    """)
    op.execute(f"create trigger audit_records_come_late_tallied after insert on audit_records for each row when ({LATE}) execute function keep_audit_records_tallied()")


def downgrade() -> None:
    op.execute("drop trigger audit_records_come_late_tallied on audit_records")
    for what in ('change_late', 'go', 'come_late'):
        op.execute(f"drop trigger charges_{what}_tallied on charges")
    for table in STORE:
        op.execute(f"drop function keep_{table}_tallied()")
        op.execute(f"drop function tallies_of({table}, integer)")
    op.drop_table('list_tally_entries')
    op.drop_table('list_tallies')
    op.drop_index('ix_list_milestones_untallied', table_name='list_milestones')
    op.drop_column('list_milestones', 'tallied')


def _keep(table: str, store: str) -> None:
    # In a part of the audit trail `new` is a row of the part, which `tallies_of` knows only as one of the table.
    op.execute(f"""
        create function keep_{table}_tallied() returns trigger language plpgsql as $$
        declare
            one {table};
            was {table};
            reached integer;
        begin
            if tg_op <> 'DELETE' then one := new; end if;
            if tg_op <> 'INSERT' then was := old; end if;
            if tg_op = 'DELETE' then one := was; end if;
            perform pg_advisory_xact_lock_shared(list_number('{table}', one.{store}, one.environment));
            select m.stretch into reached from list_milestones m
             where m.kind = '{table}' and m.user_id = one.{store} and m.environment = one.environment and m.upto >= one.created_at and m.tallied
             order by m.upto limit 1;
            if found then
                insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
                select '{table}', one.{store}, one.environment, name, value, stretch, sum(change) from (
                    select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
                    union all
                    select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
                ) changed group by name, value, stretch having sum(change) <> 0;
            end if;
            return null;
        end
        $$
    """)
