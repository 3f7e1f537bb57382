"""products, coupons and payment links"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('coupons',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('code', sa.Text(), nullable=False),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('discount_type', sa.Text(), nullable=False),
    sa.Column('discount_value', sa.BigInteger(), nullable=False),
    sa.Column('max_uses', sa.Integer(), nullable=True),
    sa.Column('max_uses_per_customer', sa.Integer(), nullable=True),
    sa.Column('uses_count', sa.Integer(), server_default='0', nullable=False),
    sa.Column('min_amount', sa.BigInteger(), nullable=True),
    sa.Column('product_ids', postgresql.ARRAY(sa.Uuid(as_uuid=False)), server_default='{}', nullable=False),
    sa.Column('starts_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('is_active', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("discount_type in ('percentage', 'fixed')", name=op.f('ck_coupons_discount_type')),
    sa.CheckConstraint("discount_value > 0 and (discount_type <> 'percentage' or discount_value <= 10000)", name=op.f('ck_coupons_discount_value')),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_coupons_environment')),
    sa.CheckConstraint('max_uses > 0', name=op.f('ck_coupons_max_uses')),
    sa.CheckConstraint('max_uses_per_customer > 0', name=op.f('ck_coupons_max_uses_per_customer')),
    sa.CheckConstraint('min_amount >= 0', name=op.f('ck_coupons_min_amount')),
    sa.CheckConstraint('starts_at < expires_at', name=op.f('ck_coupons_window')),
    sa.CheckConstraint('uses_count >= 0', name=op.f('ck_coupons_uses_count')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_coupons_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_coupons'))
    )
    op.create_index('ix_coupons_store', 'coupons', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('uq_coupons_code', 'coupons', ['user_id', 'environment', 'code'], unique=True)
    op.create_table('products',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('price', sa.BigInteger(), nullable=False),
    sa.Column('sku', sa.Text(), nullable=True),
    sa.Column('image_url', sa.Text(), nullable=True),
    sa.Column('active', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('external_reference', sa.Text(), nullable=True),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_products_environment')),
    sa.CheckConstraint('price > 0', name=op.f('ck_products_price')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_products_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_products'))
    )
    op.create_index('ix_products_store', 'products', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('uq_products_sku', 'products', ['user_id', 'environment', sa.literal_column('lower(sku)')], unique=True, postgresql_where=sa.text('sku is not null'))
    op.create_table('payment_links',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('title', sa.Text(), nullable=True),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('product_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('coupon_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('allow_coupons', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('active', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('max_uses', sa.Integer(), nullable=True),
    sa.Column('uses_count', sa.Integer(), server_default='0', nullable=False),
    sa.Column('success_url', sa.Text(), nullable=True),
    sa.Column('cancel_url', sa.Text(), nullable=True),
    sa.Column('charge_expires_in_minutes', sa.Integer(), server_default='1440', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_payment_links_environment')),
    sa.CheckConstraint('amount > 0', name=op.f('ck_payment_links_amount')),
    sa.CheckConstraint('charge_expires_in_minutes > 0', name=op.f('ck_payment_links_charge_expires_in_minutes')),
    sa.CheckConstraint('max_uses > 0', name=op.f('ck_payment_links_max_uses')),
    sa.CheckConstraint('uses_count >= 0', name=op.f('ck_payment_links_uses_count')),
    sa.ForeignKeyConstraint(['coupon_id'], ['coupons.id'], name=op.f('fk_payment_links_coupon_id')),
    sa.ForeignKeyConstraint(['product_id'], ['products.id'], name=op.f('fk_payment_links_product_id')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_payment_links_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_links'))
    )
    op.create_index('ix_payment_links_coupon', 'payment_links', ['coupon_id'], unique=False, postgresql_where=sa.text('coupon_id is not null'))
    op.create_index('ix_payment_links_product', 'payment_links', ['product_id'], unique=False, postgresql_where=sa.text('product_id is not null'))
    op.create_index('ix_payment_links_store', 'payment_links', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('uq_payment_links_slug', 'payment_links', ['slug'], unique=True)
    op.create_index('ix_charges_coupon', 'charges', ['coupon_id', 'customer_cpf'], unique=False, postgresql_where=sa.text('coupon_id is not null'))
    op.create_index('ix_charges_payment_link', 'charges', ['payment_link_id', 'customer_cpf', 'created_at'], unique=False, postgresql_where=sa.text('payment_link_id is not null'))
    op.add_column('issuances', sa.Column('coupon_id', sa.Uuid(as_uuid=False), nullable=True))
    op.add_column('issuances', sa.Column('payment_link_id', sa.Uuid(as_uuid=False), nullable=True))
    op.add_column('issuances', sa.Column('customer_cpf', sa.Text(), nullable=True))
    op.add_column('issuances', sa.Column('order_key', sa.Text(), nullable=True))
    op.create_index('ix_issuances_coupon', 'issuances', ['coupon_id'], unique=False, postgresql_where=sa.text('coupon_id is not null'))
    op.create_index('ix_issuances_payment_link', 'issuances', ['payment_link_id'], unique=False, postgresql_where=sa.text('payment_link_id is not null'))
    op.create_index('uq_issuances_order_key', 'issuances', ['order_key'], unique=True, postgresql_where=sa.text('order_key is not null'))


def downgrade() -> None:
    op.drop_index('uq_issuances_order_key', table_name='issuances', postgresql_where=sa.text('order_key is not null'))
    op.drop_index('ix_issuances_payment_link', table_name='issuances', postgresql_where=sa.text('payment_link_id is not null'))
    op.drop_index('ix_issuances_coupon', table_name='issuances', postgresql_where=sa.text('coupon_id is not null'))
    op.drop_column('issuances', 'order_key')
    op.drop_column('issuances', 'customer_cpf')
    op.drop_column('issuances', 'payment_link_id')
    op.drop_column('issuances', 'coupon_id')
    op.drop_index('ix_charges_payment_link', table_name='charges', postgresql_where=sa.text('payment_link_id is not null'))
    op.drop_index('ix_charges_coupon', table_name='charges', postgresql_where=sa.text('coupon_id is not null'))
    op.drop_index('uq_payment_links_slug', table_name='payment_links')
    op.drop_index('ix_payment_links_store', table_name='payment_links')
    op.drop_index('ix_payment_links_product', table_name='payment_links', postgresql_where=sa.text('product_id is not null'))
    op.drop_index('ix_payment_links_coupon', table_name='payment_links', postgresql_where=sa.text('coupon_id is not null'))
    op.drop_table('payment_links')
    op.drop_index('uq_products_sku', table_name='products', postgresql_where=sa.text('sku is not null'))
    op.drop_index('ix_products_store', table_name='products')
    op.drop_table('products')
    op.drop_index('uq_coupons_code', table_name='coupons')
    op.drop_index('ix_coupons_store', table_name='coupons')
    op.drop_table('coupons')
