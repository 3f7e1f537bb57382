"""initial schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit_records',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('store_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('actor_type', sa.Text(), nullable=False),
    sa.Column('actor_id', sa.Text(), nullable=True),
    sa.Column('actor_name', sa.Text(), nullable=True),
    sa.Column('action', sa.Text(), nullable=False),
    sa.Column('resource_type', sa.Text(), nullable=True),
    sa.Column('resource_id', sa.Text(), nullable=True),
    sa.Column('environment', sa.Text(), nullable=True),
    sa.Column('source', sa.Text(), nullable=False),
    sa.Column('ip', sa.Text(), nullable=True),
    sa.Column('user_agent', sa.Text(), nullable=True),
    sa.Column('request_id', sa.Text(), nullable=True),
    sa.Column('changes', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("actor_type in ('user', 'api_key', 'staff', 'system', 'engine', 'public')", name=op.f('ck_audit_records_actor_type')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_records'))
    )
    op.create_index('ix_audit_records_store', 'audit_records', ['store_id', 'created_at', 'id'], unique=False)
    op.create_table('engine_notices',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('event_id', sa.Text(), nullable=False),
    sa.Column('event', sa.Text(), nullable=False),
    sa.Column('body', sa.LargeBinary(), nullable=False),
    sa.Column('outcome', sa.Text(), server_default='received', nullable=False),
    sa.Column('detail', sa.Text(), nullable=True),
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('retry_after', sa.DateTime(timezone=True), nullable=False),
    sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_engine_notices_environment')),
    sa.CheckConstraint("outcome in ('received', 'applied', 'ignored', 'mismatch')", name=op.f('ck_engine_notices_outcome')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_engine_notices')),
    sa.UniqueConstraint('engine', 'environment', 'event_id', name='uq_engine_notices_engine')
    )
    op.create_index('ix_engine_notices_received_at', 'engine_notices', ['received_at'], unique=False)
    op.create_index('ix_engine_notices_waiting', 'engine_notices', ['retry_after'], unique=False, postgresql_where=sa.text("outcome = 'received'"))
    op.create_table('simulator_charges',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('external_reference', sa.Text(), nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('status', sa.Text(), server_default='PENDING', nullable=False),
    sa.Column('br_code', sa.Text(), nullable=False),
    sa.Column('paid_amount', sa.BigInteger(), nullable=True),
    sa.Column('end_to_end_id', sa.Text(), nullable=True),
    sa.Column('paid_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_simulator_charges_environment')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_simulator_charges'))
    )
    op.create_index('ix_simulator_charges_external_reference', 'simulator_charges', ['environment', 'external_reference'], unique=False)
    op.create_table('users',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('email', sa.Text(), nullable=False),
    sa.Column('password_hash', sa.Text(), nullable=True),
    sa.Column('session_version', sa.Integer(), server_default='1', nullable=False),
    sa.Column('company', sa.Text(), nullable=True),
    sa.Column('cnpj', sa.Text(), nullable=True),
    sa.Column('cpf', sa.Text(), nullable=True),
    sa.Column('phone', sa.Text(), nullable=True),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('address_number', sa.Text(), nullable=True),
    sa.Column('complement', sa.Text(), nullable=True),
    sa.Column('province', sa.Text(), nullable=True),
    sa.Column('postal_code', sa.Text(), nullable=True),
    sa.Column('company_type', sa.Text(), nullable=True),
    sa.Column('notify_payment_email', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('receipt_email', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('is_admin', sa.Boolean(), server_default='false', nullable=False),
    sa.Column('production_status', sa.Text(), server_default='sandbox', nullable=False),
    sa.Column('production_requested_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('production_reviewed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('production_reject_reason', sa.Text(), nullable=True),
    sa.Column('production_terms_accepted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('onboarding_completed_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("production_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended')", name=op.f('ck_users_production_status')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_users'))
    )
    op.create_index('uq_users_email', 'users', [sa.literal_column('lower(email)')], unique=True)
    op.create_table('api_keys',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('prefix', sa.Text(), nullable=False),
    sa.Column('key_hash', sa.LargeBinary(), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('active', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('last_used_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_api_keys_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_api_keys_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_keys'))
    )
    op.create_index('ix_api_keys_user_id', 'api_keys', ['user_id', 'created_at', 'id'], unique=False)
    op.create_index('uq_api_keys_key_hash', 'api_keys', ['key_hash'], unique=True)
    op.create_table('charges',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('txid', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('description', sa.Text(), nullable=True),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('original_amount', sa.BigInteger(), nullable=False),
    sa.Column('discount_amount', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('fee_amount', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('customer_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('customer_name', sa.Text(), nullable=True),
    sa.Column('customer_email', sa.Text(), nullable=True),
    sa.Column('customer_cpf', sa.Text(), nullable=True),
    sa.Column('customer_phone', sa.Text(), nullable=True),
    sa.Column('product_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('coupon_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('coupon_code', sa.Text(), nullable=True),
    sa.Column('subscription_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('payment_link_id', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('external_reference', sa.Text(), nullable=True),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default='{}', nullable=False),
    sa.Column('success_url', sa.Text(), nullable=True),
    sa.Column('cancel_url', sa.Text(), nullable=True),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('due_date', sa.DateTime(timezone=True), nullable=True),
    sa.Column('pix_code', sa.Text(), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('engine_id', sa.Text(), nullable=False),
    sa.Column('end_to_end_id', sa.Text(), nullable=True),
    sa.Column('paid_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('paid_late', sa.Boolean(), server_default='false', nullable=False),
    sa.Column('store_name', sa.Text(), nullable=True),
    sa.Column('store_document', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("(status in ('paid', 'refunded')) = (paid_at is not null)", name=op.f('ck_charges_paid_at')),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_charges_environment')),
    sa.CheckConstraint("status in ('pending', 'paid', 'expired', 'canceled', 'refunded')", name=op.f('ck_charges_status')),
    sa.CheckConstraint('amount > 0', name=op.f('ck_charges_amount')),
    sa.CheckConstraint('discount_amount >= 0', name=op.f('ck_charges_discount_amount')),
    sa.CheckConstraint('fee_amount >= 0', name=op.f('ck_charges_fee_amount')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_charges_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_charges'))
    )
    op.create_index('ix_charges_customer', 'charges', ['customer_id', 'created_at', 'id'], unique=False, postgresql_where=sa.text('customer_id is not null'))
    op.create_index('ix_charges_end_to_end_id', 'charges', ['end_to_end_id'], unique=False, postgresql_where=sa.text('end_to_end_id is not null'))
    op.create_index('ix_charges_reference', 'charges', ['user_id', 'environment', 'external_reference'], unique=False, postgresql_where=sa.text('external_reference is not null'))
    op.create_index('ix_charges_status', 'charges', ['user_id', 'environment', 'status', 'created_at', 'id'], unique=False)
    op.create_index('ix_charges_engine', 'charges', ['engine_id'], unique=False)
    op.create_index('ix_charges_expiry', 'charges', ['expires_at'], unique=False, postgresql_where=sa.text("status = 'pending'"))
    op.create_index('ix_charges_store', 'charges', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('uq_charges_external_reference', 'charges', ['user_id', 'environment', 'external_reference'], unique=True, postgresql_where=sa.text("external_reference is not null and status = 'pending'"))
    op.create_index('uq_charges_txid', 'charges', ['txid'], unique=True)
    op.create_table('customers',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('email', sa.Text(), nullable=True),
    sa.Column('cpf', sa.Text(), nullable=True),
    sa.Column('phone', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_customers_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_customers_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_customers'))
    )
    op.create_index('ix_customers_cpf', 'customers', ['user_id', 'environment', 'cpf'], unique=False, postgresql_where=sa.text('cpf is not null'))
    op.create_index('ix_customers_store', 'customers', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_table('idempotency_keys',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('operation', sa.Text(), nullable=False),
    sa.Column('key', sa.Text(), nullable=False),
    sa.Column('fingerprint', sa.LargeBinary(), nullable=False),
    sa.Column('status', sa.SmallInteger(), nullable=True),
    sa.Column('answer', sa.LargeBinary(), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_idempotency_keys_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_idempotency_keys')),
    sa.UniqueConstraint('user_id', 'environment', 'operation', 'key', name='uq_idempotency_keys_user_id')
    )
    op.create_index('ix_idempotency_keys_created_at', 'idempotency_keys', ['created_at'], unique=False)
    op.create_table('issuances',
    sa.Column('charge_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('engine', sa.Text(), nullable=False),
    sa.Column('amount', sa.BigInteger(), nullable=False),
    sa.Column('external_reference', sa.Text(), nullable=True),
    sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('settle_after', sa.DateTime(timezone=True), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_issuances_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_issuances_user_id')),
    sa.PrimaryKeyConstraint('charge_id', name=op.f('pk_issuances'))
    )
    op.create_index('ix_issuances_settle_after', 'issuances', ['settle_after'], unique=False)
    op.create_index('uq_issuances_external_reference', 'issuances', ['user_id', 'environment', 'external_reference'], unique=True, postgresql_where=sa.text('external_reference is not null'))
    op.create_table('webhook_endpoints',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('url', sa.Text(), nullable=False),
    sa.Column('secret', sa.LargeBinary(), nullable=False),
    sa.Column('secret_preview', sa.Text(), nullable=False),
    sa.Column('previous_secret', sa.LargeBinary(), nullable=True),
    sa.Column('previous_secret_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('events', postgresql.ARRAY(sa.Text()), server_default='{}', nullable=False),
    sa.Column('version', sa.Text(), server_default='v1', nullable=False),
    sa.Column('active', sa.Boolean(), server_default='true', nullable=False),
    sa.Column('disabled_reason', sa.Text(), nullable=True),
    sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("disabled_reason in ('gone', 'failing')", name=op.f('ck_webhook_endpoints_disabled_reason')),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_webhook_endpoints_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_webhook_endpoints_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_endpoints'))
    )
    op.create_index('ix_webhook_endpoints_deleted', 'webhook_endpoints', ['deleted_at'], unique=False, postgresql_where=sa.text('deleted_at is not null'))
    op.create_index('ix_webhook_endpoints_rotating', 'webhook_endpoints', ['previous_secret_until'], unique=False, postgresql_where=sa.text('previous_secret_until is not null'))
    op.create_index('ix_webhook_endpoints_store', 'webhook_endpoints', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_table('webhook_events',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('environment', sa.Text(), nullable=False),
    sa.Column('type', sa.Text(), nullable=False),
    sa.Column('body', sa.LargeBinary(), nullable=False),
    sa.Column('dedupe_key', sa.Text(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("environment in ('test', 'live')", name=op.f('ck_webhook_events_environment')),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_webhook_events_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_events')),
    sa.UniqueConstraint('dedupe_key', name='uq_webhook_events_dedupe_key')
    )
    op.create_index('ix_webhook_events_store', 'webhook_events', ['user_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_table('webhook_deliveries',
    sa.Column('id', sa.Uuid(as_uuid=False), server_default=sa.text('uuidv7()'), nullable=False),
    sa.Column('event_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('endpoint_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('state', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('failures', sa.SmallInteger(), server_default='0', nullable=False),
    sa.Column('next_attempt_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('lease_token', sa.Uuid(as_uuid=False), nullable=True),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_status', sa.SmallInteger(), nullable=True),
    sa.Column('last_error', sa.Text(), nullable=True),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('finished_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['endpoint_id'], ['webhook_endpoints.id'], name=op.f('fk_webhook_deliveries_endpoint_id')),
    sa.ForeignKeyConstraint(['event_id'], ['webhook_events.id'], name=op.f('fk_webhook_deliveries_event_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_deliveries')),
    sa.UniqueConstraint('event_id', 'endpoint_id', name='uq_webhook_deliveries_event_id')
    )
    op.create_index('ix_webhook_deliveries_due', 'webhook_deliveries', ['endpoint_id', 'next_attempt_at'], unique=False, postgresql_where=sa.text('state = 0'))
    op.create_index('ix_webhook_deliveries_leased', 'webhook_deliveries', ['endpoint_id'], unique=False, postgresql_where=sa.text('state = 0 and lease_token is not null'))
    op.create_index('ix_webhook_deliveries_log', 'webhook_deliveries', ['endpoint_id', 'created_at', 'id'], unique=False)
    op.create_table('webhook_endpoint_health',
    sa.Column('endpoint_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('consecutive_failures', sa.Integer(), server_default='0', nullable=False),
    sa.Column('degraded', sa.Boolean(), server_default='false', nullable=False),
    sa.Column('first_failure_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('last_success_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['endpoint_id'], ['webhook_endpoints.id'], name=op.f('fk_webhook_endpoint_health_endpoint_id')),
    sa.PrimaryKeyConstraint('endpoint_id', name=op.f('pk_webhook_endpoint_health'))
    )
    op.create_table('webhook_attempts',
    sa.Column('delivery_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('number', sa.SmallInteger(), nullable=False),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('duration_ms', sa.Integer(), nullable=False),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('status', sa.SmallInteger(), nullable=True),
    sa.Column('error_code', sa.Text(), nullable=True),
    sa.Column('response', sa.LargeBinary(), nullable=True),
    sa.ForeignKeyConstraint(['delivery_id'], ['webhook_deliveries.id'], name=op.f('fk_webhook_attempts_delivery_id')),
    sa.PrimaryKeyConstraint('delivery_id', 'number', name=op.f('pk_webhook_attempts'))
    )

    # The audit trail is append-only: the database itself refuses to change or delete a record.
    op.execute("""
        create function refuse_audit_change() returns trigger language plpgsql as $$
        begin
            raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
        end
        $$
    """)
    op.execute("""
        create trigger audit_records_append_only before update or delete on audit_records
        for each row execute function refuse_audit_change()
    """)


def downgrade() -> None:
    op.execute("drop trigger audit_records_append_only on audit_records")
    op.execute("drop function refuse_audit_change()")
    op.drop_table('webhook_attempts')
    op.drop_table('webhook_endpoint_health')
    op.drop_index('ix_webhook_deliveries_log', table_name='webhook_deliveries')
    op.drop_index('ix_webhook_deliveries_leased', table_name='webhook_deliveries', postgresql_where=sa.text('state = 0 and lease_token is not null'))
    op.drop_index('ix_webhook_deliveries_due', table_name='webhook_deliveries', postgresql_where=sa.text('state = 0'))
    op.drop_table('webhook_deliveries')
    op.drop_index('ix_webhook_events_store', table_name='webhook_events')
    op.drop_table('webhook_events')
    op.drop_index('ix_webhook_endpoints_rotating', table_name='webhook_endpoints', postgresql_where=sa.text('previous_secret_until is not null'))
    op.drop_index('ix_webhook_endpoints_deleted', table_name='webhook_endpoints', postgresql_where=sa.text('deleted_at is not null'))
    op.drop_index('ix_webhook_endpoints_store', table_name='webhook_endpoints')
    op.drop_table('webhook_endpoints')
    op.drop_index('uq_issuances_external_reference', table_name='issuances', postgresql_where=sa.text('external_reference is not null'))
    op.drop_index('ix_issuances_settle_after', table_name='issuances')
    op.drop_table('issuances')
    op.drop_index('ix_idempotency_keys_created_at', table_name='idempotency_keys')
    op.drop_table('idempotency_keys')
    op.drop_index('ix_customers_store', table_name='customers')
    op.drop_index('ix_customers_cpf', table_name='customers', postgresql_where=sa.text('cpf is not null'))
    op.drop_table('customers')
    op.drop_index('uq_charges_txid', table_name='charges')
    op.drop_index('uq_charges_external_reference', table_name='charges', postgresql_where=sa.text("external_reference is not null and status = 'pending'"))
    op.drop_index('ix_charges_status', table_name='charges')
    op.drop_index('ix_charges_reference', table_name='charges', postgresql_where=sa.text('external_reference is not null'))
    op.drop_index('ix_charges_end_to_end_id', table_name='charges', postgresql_where=sa.text('end_to_end_id is not null'))
    op.drop_index('ix_charges_store', table_name='charges')
    op.drop_index('ix_charges_expiry', table_name='charges', postgresql_where=sa.text("status = 'pending'"))
    op.drop_index('ix_charges_engine', table_name='charges')
    op.drop_index('ix_charges_customer', table_name='charges', postgresql_where=sa.text('customer_id is not null'))
    op.drop_table('charges')
    op.drop_index('uq_api_keys_key_hash', table_name='api_keys')
    op.drop_index('ix_api_keys_user_id', table_name='api_keys')
    op.drop_table('api_keys')
    op.drop_index('uq_users_email', table_name='users')
    op.drop_table('users')
    op.drop_index('ix_simulator_charges_external_reference', table_name='simulator_charges')
    op.drop_table('simulator_charges')
    op.drop_index('ix_engine_notices_waiting', table_name='engine_notices', postgresql_where=sa.text("outcome = 'received'"))
    op.drop_index('ix_engine_notices_received_at', table_name='engine_notices')
    op.drop_table('engine_notices')
    op.drop_index('ix_audit_records_store', table_name='audit_records')
    op.drop_table('audit_records')
