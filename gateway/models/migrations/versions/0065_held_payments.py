"""charges.held_at: since when the bank holds a payment back. account_refusals: accounts that an engine refuses to serve."""

import sqlalchemy as sa
from alembic import op
revision = '0065'
down_revision = '0064'
branch_labels = None
depends_on = None

STATUS = ['user_id', 'environment', 'status', 'created_at', 'id']
EXPIRY = ['user_id', 'environment', 'expires_at', 'id', 'created_at', 'status', 'amount']
HELD = "held_at is null or status in ('pending', 'expired')"


def upgrade() -> None:
    op.add_column('charges', sa.Column('held_at', sa.DateTime(timezone=True), nullable=True))
    op.create_check_constraint(op.f('ck_charges_held_at'), 'charges', HELD)
    replace_index('ix_charges_status', STATUS, ['expires_at', 'held_at'])
    replace_index('ix_charges_expires_at', [*EXPIRY, 'held_at'])
    op.create_table('account_refusals',
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('account_id', sa.Text(), nullable=False),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('refusals', sa.Integer(), nullable=False),
    sa.Column('first_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('last_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_account_refusals_environment')),
    sa.PrimaryKeyConstraint('engine', 'environment', 'account_id', name=op.f('pk_account_refusals'))
    )


def downgrade() -> None:
    op.drop_table('account_refusals')
    replace_index('ix_charges_expires_at', EXPIRY)
    replace_index('ix_charges_status', STATUS, ['expires_at'])
    op.drop_constraint(op.f('ck_charges_held_at'), 'charges')
    op.drop_column('charges', 'held_at')


def replace_index(name: str, columns: list[str], included: list[str] | None = None) -> None:
    op.drop_index(name, table_name='charges')
    op.create_index(name, 'charges', columns, unique=False, postgresql_include=included)
    # The index of the first partition has the name of the whole and its own (migration 0059).
    op.execute(f"""
        do $$
        declare
            first text := (select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_index x on x.indexrelid = c.oid
                            where i.inhparent = '{name}'::regclass and x.indrelid = to_regclass('charges_first'));
        begin
            if first is not null then
                execute format('alter index %I rename to {name}_first', first);
            end if;
        end
        $$
    """)
