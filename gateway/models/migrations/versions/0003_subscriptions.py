"""subscriptions, and what their charges are unique by"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('subscriptions',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('customer_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('customer_name', sa.Text(), nullable=False),
    sa.Column('customer_email', sa.Text(), nullable=True),
    sa.Column('customer_cpf', sa.Text(), nullable=True),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('method', sa.Text(), server_default='pix', nullable=False),
    sa.Column('interval', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('next_billing_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('anchor_day', sa.SmallInteger(), nullable=False),
    sa.Column('utc_offset', sa.SmallInteger(), nullable=True),
    sa.Column('end_date', sa.DateTime(timezone=True), nullable=True),
    sa.Column('max_cycles', sa.Integer(), nullable=True),
    sa.Column('cycles_count', sa.Integer(), server_default='0', nullable=False),
    sa.Column('external_reference', sa.Text(), nullable=True),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('last_failure', sa.Text(), nullable=True),
    sa.Column('retry_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_subscriptions_environment')),
    sa.CheckConstraint("interval in ('weekly', 'monthly', 'yearly')", name=op.f('ck_subscriptions_interval')),
    sa.CheckConstraint("method in ('pix')", name=op.f('ck_subscriptions_method')),
    sa.CheckConstraint("status in ('active', 'paused', 'canceled')", name=op.f('ck_subscriptions_status')),
    sa.CheckConstraint('amount > 0', name=op.f('ck_subscriptions_amount')),
    sa.CheckConstraint('anchor_day between 1 and 31', name=op.f('ck_subscriptions_anchor_day')),
    sa.CheckConstraint('cycles_count >= 0', name=op.f('ck_subscriptions_cycles_count')),
    sa.CheckConstraint('max_cycles > 0', name=op.f('ck_subscriptions_max_cycles')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_subscriptions_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_subscriptions'))
    )
    op.create_index('ix_subscriptions_store', 'subscriptions', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('ix_subscriptions_customer', 'subscriptions', ['customer_id'], unique=False, postgresql_where=sa.text('customer_id is not null'))
    op.create_index('ix_subscriptions_due', 'subscriptions', ['environment', 'next_billing_at', 'id'], unique=False, postgresql_where=sa.text("status = 'active'"))
    op.create_index('uq_subscriptions_external_reference', 'subscriptions', ['user_id', 'environment', 'external_reference'], unique=True, postgresql_where=sa.text("external_reference is not null and status <> 'canceled'"))
    op.add_column('charges', sa.Column('billing_cycle', sa.DateTime(timezone=True), nullable=True))
    op.create_index('ix_charges_subscription', 'charges', ['subscription_id', 'created_at', 'id'], unique=False, postgresql_where=sa.text('subscription_id is not null'))
    op.create_index('uq_charges_billing_cycle', 'charges', ['subscription_id', 'billing_cycle'], unique=True, postgresql_where=sa.text('subscription_id is not null and billing_cycle is not null'))
    op.add_column('issuances', sa.Column('subscription_id', sa.Uuid(as_uuid=False), nullable=True))
    op.add_column('issuances', sa.Column('billing_cycle', sa.DateTime(timezone=True), nullable=True))
    op.create_index('uq_issuances_billing_cycle', 'issuances', ['subscription_id', 'billing_cycle'], unique=True, postgresql_where=sa.text('subscription_id is not null'))


def downgrade() -> None:
    op.drop_index('uq_issuances_billing_cycle', table_name='issuances', postgresql_where=sa.text('subscription_id is not null'))
    op.drop_column('issuances', 'billing_cycle')
    op.drop_column('issuances', 'subscription_id')
    op.drop_index('uq_charges_billing_cycle', table_name='charges', postgresql_where=sa.text('subscription_id is not null and billing_cycle is not null'))
    op.drop_index('ix_charges_subscription', table_name='charges', postgresql_where=sa.text('subscription_id is not null'))
    op.drop_column('charges', 'billing_cycle')
    op.drop_index('uq_subscriptions_external_reference', table_name='subscriptions', postgresql_where=sa.text("external_reference is not null and status <> 'canceled'"))
    op.drop_index('ix_subscriptions_due', table_name='subscriptions', postgresql_where=sa.text("status = 'active'"))
    op.drop_index('ix_subscriptions_customer', table_name='subscriptions', postgresql_where=sa.text('customer_id is not null'))
    op.drop_index('ix_subscriptions_store', table_name='subscriptions')
    op.drop_table('subscriptions')
