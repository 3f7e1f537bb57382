"""the clocks of test stores"""

import sqlalchemy as sa
from alembic import op
revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None

COPY = """
    create function copy_test_clock() returns trigger language plpgsql as $$
    begin
        update users set test_clock_ahead = new.ahead, test_clock_stands_at = new.stands_at
         where id = coalesce(new.store_id, old.store_id);
        return null;
    end $$
"""
"""Requests read the clock with the store's holder; of whatever moves it, the database keeps the copy there."""


def upgrade() -> None:
    op.create_table('test_clocks',
    sa.Column('store_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('ahead', sa.Interval(), server_default=sa.text("interval '0'"), nullable=False),
    sa.Column('stands_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('target', sa.DateTime(timezone=True), nullable=True),
    sa.Column('patience_ms', sa.Integer(), server_default='0', nullable=False),
    sa.Column('lease_token', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("ahead >= interval '0'", name=op.f('ck_test_clocks_ahead')),
    sa.CheckConstraint('(stands_at is null) = (target is null)', name=op.f('ck_test_clocks_stands_at')),
    sa.CheckConstraint('(lease_token is null) = (lease_until is null)', name=op.f('ck_test_clocks_lease')),
    sa.ForeignKeyConstraint(['store_id'], ['users.id'], name=op.f('fk_test_clocks_store_id')),
    sa.PrimaryKeyConstraint('store_id', name=op.f('pk_test_clocks'))
    )
    op.create_index('ix_test_clocks_advancing', 'test_clocks', ['updated_at', 'store_id'], unique=False, postgresql_where=sa.text('target is not null'))
    op.add_column('users', sa.Column('test_clock_ahead', sa.Interval(), nullable=True))
    op.add_column('users', sa.Column('test_clock_stands_at', sa.DateTime(timezone=True), nullable=True))
    op.execute(COPY)
    op.execute("""
        create trigger test_clocks_copy after insert or update of ahead, stands_at or delete on test_clocks
           for each row execute function copy_test_clock()
    """)


def downgrade() -> None:
    op.drop_column('users', 'test_clock_stands_at')
    op.drop_column('users', 'test_clock_ahead')
    op.drop_index('ix_test_clocks_advancing', table_name='test_clocks', postgresql_where=sa.text('target is not null'))
    op.drop_table('test_clocks')
    op.execute('drop function copy_test_clock')
