"""lists, read in another order: the few rows of a period that aren't in its range of ids (ADR 0067), what is judged in the key of an order's
index (ADR 0068), what has lapsed counted from an index, where a stretch ends looked up, and tallies summed from their index alone
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
revision = '0062'
down_revision = '0061'
branch_labels = None
depends_on = None

LIST = ['user_id', 'environment']
STRAYS = "(uuid_extract_timestamp(id) - created_at between interval '-600 seconds' and interval '600 seconds') is not true"
OF_STRAYS = {
    'charges': ['amount', 'paid_at', 'status', 'customer_id', 'product_id', 'coupon_id', 'payment_link_id'],
    'customers': ['name'],
    'subscriptions': ['updated_at', 'next_billing_at', 'amount', 'status'],
}
BY_PAYMENT = "coalesce(paid_at, timezone('UTC', timezone('UTC', created_at) - '720000 days'::interval))"
ORDERS = {
    'amount': ('amount', ['created_at', 'status']),
    'updated_at': ('updated_at', ['created_at', 'status', 'amount']),
    'expires_at': ('expires_at', ['created_at', 'status', 'amount']),
    'paid_at': (sa.text(BY_PAYMENT), ['created_at', 'paid_at', 'status', 'amount']),
}
TALLIED = 'kind, user_id, environment, name, value, stretch'


def upgrade() -> None:
    for table, columns in OF_STRAYS.items():
        op.create_index(f'ix_{table}_stray_id', table, [*LIST, 'created_at', 'id'], unique=False, postgresql_include=columns,
                        postgresql_where=sa.text(STRAYS))
    name_of_first('ix_charges_stray_id')
    for name, (place, judged) in ORDERS.items():
        made_anew(name, [place, 'id', *judged], [])
    made_anew('status', ['status', 'created_at', 'id'], ['expires_at'])
    op.create_index('ix_list_milestones_stretch', 'list_milestones', ['kind', *LIST, 'stretch', 'upto'], unique=False, postgresql_include=['tallied'])
    tallies_by('include (rows)')
    # Pages of which all may see all are read from the index; those of the whole list's tallies change with each sweep.
    op.execute('alter table list_tallies set (autovacuum_vacuum_scale_factor = 0.02)')


def downgrade() -> None:
    op.execute('alter table list_tallies reset (autovacuum_vacuum_scale_factor)')
    tallies_by('')
    op.drop_index('ix_list_milestones_stretch', table_name='list_milestones')
    made_anew('status', ['status', 'created_at', 'id'], [])
    for name, (place, judged) in ORDERS.items():
        made_anew(name, [place, 'id'], judged)
    for table in OF_STRAYS:
        op.drop_index(f'ix_{table}_stray_id', table_name=table)


def tallies_by(included: str) -> None:
    op.execute(f'alter table list_tallies drop constraint pk_list_tallies, add constraint pk_list_tallies primary key ({TALLIED}) {included}')


def made_anew(name: str, columns: list[Any], included: list[str]) -> None:
    op.drop_index(f'ix_charges_{name}', table_name='charges')
    op.create_index(f'ix_charges_{name}', 'charges', [*LIST, *columns], unique=False, postgresql_include=included)
    name_of_first(f'ix_charges_{name}')


def name_of_first(index: str) -> None:
    """That of the first part has the name of the whole and its own, as migration 0059 gave them: it says so when the parts are joined again."""
    op.execute(f"""
        do $$
        declare
            first text := (select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_index x on x.indexrelid = c.oid
                            where i.inhparent = '{index}'::regclass and x.indrelid = to_regclass('charges_first'));
        begin
            if first is not null then
                execute format('alter index %I rename to {index}_first', first);
            end if;
        end
        $$
    """)
