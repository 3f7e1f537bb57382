"""lists: where a stretch ends is looked up; charges: what has lapsed is counted from an index alone, and what is judged in the order of
something else is in the key of its index (ADR 0068)
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
revision = '0063'
down_revision = '0062'
branch_labels = None
depends_on = None

BY_PAYMENT = "coalesce(paid_at, timezone('UTC', timezone('UTC', created_at) - '720000 days'::interval))"
ORDERS = {
    'amount': ('amount', ['created_at', 'status']),
    'updated_at': ('updated_at', ['created_at', 'status', 'amount']),
    'expires_at': ('expires_at', ['created_at', 'status', 'amount']),
    'paid_at': (sa.text(BY_PAYMENT), ['created_at', 'paid_at', 'status', 'amount']),
}


def upgrade() -> None:
    op.create_index('ix_list_milestones_stretch', 'list_milestones', ['kind', 'user_id', 'environment', 'stretch', 'upto'], unique=False,
                    postgresql_include=['tallied'])
    made_anew('status', ['status', 'created_at', 'id'], ['expires_at'])
    for name, (place, judged) in ORDERS.items():
        made_anew(name, [place, 'id', *judged], [])


def downgrade() -> None:
    for name, (place, judged) in ORDERS.items():
        made_anew(name, [place, 'id'], judged)
    made_anew('status', ['status', 'created_at', 'id'], [])
    op.drop_index('ix_list_milestones_stretch', table_name='list_milestones')


def made_anew(name: str, columns: list[Any], included: list[str]) -> None:
    op.drop_index(f'ix_charges_{name}', table_name='charges')
    op.create_index(f'ix_charges_{name}', 'charges', ['user_id', 'environment', *columns], unique=False, postgresql_include=included)
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
