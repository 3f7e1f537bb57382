"""reconciliation: charges to look at again, and differences"""

import sqlalchemy as sa
from alembic import op
revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('charge_checks',
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('looks', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('failures', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('next_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_charge_checks_environment')),
    sa.PrimaryKeyConstraint('charge_id', name=op.f('pk_charge_checks'))
    )
    op.create_index('ix_charge_checks_next_at', 'charge_checks', ['environment', 'next_at'], unique=False)
    op.create_table('differences',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('txid', sa.Text(), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('engine_id', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('charge_status', sa.Text(), nullable=False),
    sa.Column('engine_status', sa.Text(), nullable=True),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('engine_amount', sa.BigInteger(), nullable=True),
    sa.Column('event', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('seen_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('resolved_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('resolution', sa.Text(), nullable=True),
    sa.Column('resolved_by_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('resolved_by_name', sa.Text(), nullable=True),
    sa.Column('note', sa.Text(), nullable=True),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_differences_environment')),
    sa.CheckConstraint("kind in ('amount', 'status', 'missing', 'payable', 'mistaken', 'partial_refund', 'chargeback')", name=op.f('ck_differences_kind')),
    sa.CheckConstraint("charge_status in ('pending', 'paid', 'expired', 'canceled', 'refunded')", name=op.f('ck_differences_charge_status')),
    sa.CheckConstraint("resolution in ('mended', 'staff')", name=op.f('ck_differences_resolution')),
    sa.CheckConstraint('(resolved_at is null) = (resolution is null)', name=op.f('ck_differences_resolved')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_differences_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_differences'))
    )
    op.create_index('uq_differences_open', 'differences', ['charge_id', 'kind'], unique=True, postgresql_where=sa.text('resolved_at is null'))
    op.create_index('ix_differences_charge', 'differences', ['charge_id'], unique=False)
    op.create_index('ix_differences_created_at', 'differences', ['created_at', 'id'], unique=False)
    op.create_index('ix_differences_waiting', 'differences', ['created_at', 'id'], unique=False, postgresql_where=sa.text('resolved_at is null'))


def downgrade() -> None:
    op.drop_table('differences')
    op.drop_table('charge_checks')
