"""members of stores, with their invitations"""

import sqlalchemy as sa
from alembic import op
revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('members',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('store_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('name', sa.Text(), nullable=True),
    sa.Column('email', sa.Text(), nullable=False),
    sa.Column('role', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), server_default='invited', nullable=False),
    sa.Column('token_hash', sa.LargeBinary(), nullable=True),
    sa.Column('invited_by', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('invited_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('accepted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('removed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_access_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("role in ('admin', 'finance', 'operator', 'viewer')", name=op.f('ck_members_role')),
    sa.CheckConstraint("status in ('invited', 'active', 'removed')", name=op.f('ck_members_status')),
    sa.CheckConstraint('store_id <> user_id', name=op.f('ck_members_not_the_holder')),
    sa.CheckConstraint("status <> 'active' or (user_id is not null and accepted_at is not null)", name=op.f('ck_members_accepted')),
    sa.CheckConstraint("(status = 'invited') = (token_hash is not null)", name=op.f('ck_members_token_hash')),
    sa.ForeignKeyConstraint(['store_id'], ['users.id'], name=op.f('fk_members_store_id')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_members_user_id')),
    sa.ForeignKeyConstraint(['invited_by'], ['users.id'], name=op.f('fk_members_invited_by')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_members'))
    )
    op.create_index('uq_members_email', 'members', ['store_id', 'email'], unique=True, postgresql_where=sa.text("status <> 'removed'"))
    op.create_index('uq_members_user_id', 'members', ['user_id', 'store_id'], unique=True, postgresql_where=sa.text("status = 'active'"))
    op.create_index('uq_members_token_hash', 'members', ['token_hash'], unique=True)
    op.create_index('ix_members_store_id', 'members', ['store_id', 'created_at', 'id'], unique=False)


def downgrade() -> None:
    op.drop_index('ix_members_store_id', table_name='members')
    op.drop_index('uq_members_token_hash', table_name='members')
    op.drop_index('uq_members_user_id', table_name='members', postgresql_where=sa.text("status = 'active'"))
    op.drop_index('uq_members_email', table_name='members', postgresql_where=sa.text("status <> 'removed'"))
    op.drop_table('members')
