"""charges.held_at: since when the bank holds a payment back. A held charge doesn't expire."""

from typing import Any

import sqlalchemy as sa
from alembic import op
revision = '0066'
down_revision = '0063'
branch_labels = None
depends_on = None

LIST = ['user_id', 'environment', 'status', 'created_at', 'id']
HELD = "held_at is null or status in ('pending', 'expired')"


def upgrade() -> None:
    op.add_column('charges', sa.Column('held_at', sa.DateTime(timezone=True), nullable=True))
    op.create_check_constraint(op.f('ck_charges_held_at'), 'charges', HELD)
    made_again('expiry', ['expires_at'], postgresql_where=sa.text("status = 'pending' and held_at is null"))
    made_again('status', LIST, postgresql_include=['expires_at', 'held_at'])


def downgrade() -> None:
    made_again('status', LIST, postgresql_include=['expires_at'])
    made_again('expiry', ['expires_at'], postgresql_where=sa.text("status = 'pending'"))
    op.drop_constraint(op.f('ck_charges_held_at'), 'charges')
    op.drop_column('charges', 'held_at')


def made_again(name: str, columns: list[str], **options: Any) -> None:
    op.drop_index(f'ix_charges_{name}', table_name='charges')
    op.create_index(f'ix_charges_{name}', 'charges', columns, unique=False, **options)
    name_of_first(f'ix_charges_{name}')


def name_of_first(index: str) -> None:
    """The index of the first partition has the name of the whole and its own (migration 0059)."""
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
