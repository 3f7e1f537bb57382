-- The tables with their constraints and indexes. A test compares the columns with the classes of `gateway/models/*.py`.

create table account_refusals (
    engine text not null,
    environment text not null,
    account_id text not null,
    reason text not null,
    refusals integer not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    constraint pk_account_refusals primary key (engine, environment, account_id),
    constraint ck_account_refusals_environment check (environment in ('test', 'live'))
);

create table audit_pending (
    chain_id uuid generated always as (coalesce(store_id, '00000000-0000-0000-0000-000000000000'::uuid)) stored not null,
    record_id uuid not null,
    store_id uuid,
    actor_type text not null,
    actor_id text,
    actor_name text,
    action text collate "C" not null,
    resource_type text,
    resource_id text,
    environment text,
    source text not null,
    ip text collate "C",
    user_agent text,
    request_id text,
    changes jsonb default '{}' not null,
    created_at timestamptz not null,
    constraint pk_audit_pending primary key (chain_id, record_id),
    constraint ck_audit_pending_actor_type check (actor_type in ('user', 'api_key', 'staff', 'system', 'engine', 'public'))
);
alter table audit_pending set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create table audit_records (
    id uuid not null,
    store_id uuid,
    actor_type text not null,
    actor_id text,
    actor_name text,
    action text collate "C" not null,
    resource_type text,
    resource_id text,
    environment text,
    source text not null,
    ip text collate "C",
    user_agent text,
    request_id text,
    changes jsonb default '{}' not null,
    created_at timestamptz not null,
    constraint pk_audit_records primary key (id),
    constraint ck_audit_records_actor_type check (actor_type in ('user', 'api_key', 'staff', 'system', 'engine', 'public'))
) partition by range (id);
-- Each index ends in the sort order of lists, so that a rare value is found as quickly as a frequent one.
create index ix_audit_records_action on audit_records (store_id, environment, action, created_at, id);
create index ix_audit_records_actor on audit_records (store_id, environment, actor_id, created_at, id);
create index ix_audit_records_ip on audit_records (store_id, environment, ip, created_at, id) where ip is not null;
create index ix_audit_records_people on audit_records (store_id, environment, actor_type, created_at, id) where actor_type in ('user', 'staff');
create index ix_audit_records_resource on audit_records (resource_id, created_at) where resource_id is not null;
create index ix_audit_records_store on audit_records (store_id, environment, created_at, id);
create index ix_audit_records_type on audit_records (store_id, environment, resource_type, created_at, id);

create table audit_chain (
    chain_id uuid not null,
    position bigint not null,
    record_id uuid not null,
    prev_hash bytea,
    hash bytea not null,
    constraint pk_audit_chain primary key (chain_id, position)
);
create unique index uq_audit_chain_record_id on audit_chain (record_id);

create table balance_entries (
    id uuid default uuidv7() not null,
    user_id uuid not null,
    environment text not null,
    receiving_account_id uuid,
    gross bigint not null,
    fee bigint not null,
    charges smallint not null,
    constraint pk_balance_entries primary key (id)
);
create index ix_balance_entries_store on balance_entries (user_id, environment);
alter table balance_entries set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 1);

create table charge_reconciliations (
    charge_id uuid not null,
    environment text not null,
    attempts smallint default '0' not null,
    failures smallint default '0' not null,
    next_attempt_at timestamptz not null,
    constraint pk_charge_reconciliations primary key (charge_id),
    constraint ck_charge_reconciliations_environment check (environment in ('test', 'live'))
);
create index ix_charge_reconciliations_next_attempt_at on charge_reconciliations (environment, next_attempt_at);

create table charge_sends (
    id uuid not null,
    user_id uuid not null,
    charge_id uuid not null,
    recipient text not null,
    sent_at timestamptz not null,
    constraint pk_charge_sends primary key (id)
);
create index ix_charge_sends_charge on charge_sends (charge_id, sent_at);
create index ix_charge_sends_recipient on charge_sends (user_id, recipient, sent_at);

create table engine_notifications (
    id uuid not null,
    engine text not null,
    environment text not null,
    event_id text not null,
    event text not null,
    body bytea not null,
    outcome text default 'received' not null,
    detail text,
    charge_id uuid,
    attempts smallint default '0' not null,
    next_attempt_at timestamptz not null,
    received_at timestamptz not null,
    constraint pk_engine_notifications primary key (id),
    constraint ck_engine_notifications_environment check (environment in ('test', 'live')),
    constraint ck_engine_notifications_outcome check (outcome in ('received', 'applied', 'ignored', 'mismatch')),
    constraint uq_engine_notifications_engine unique (engine, environment, event_id)
);
create index ix_engine_notifications_received_at on engine_notifications (received_at);
create index ix_engine_notifications_waiting on engine_notifications (next_attempt_at) where outcome = 'received';

create table provider_customers (
    engine text not null,
    environment text not null,
    account_id text not null,
    document text not null,
    customer_id text not null,
    created_at timestamptz not null,
    constraint pk_provider_customers primary key (engine, environment, account_id, document),
    constraint ck_provider_customers_environment check (environment in ('test', 'live'))
);

create table idempotency_keys (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    operation text not null,
    key text not null,
    fingerprint bytea not null,
    status smallint,
    answer bytea,
    lease_until timestamptz not null,
    created_at timestamptz not null,
    constraint pk_idempotency_keys primary key (id),
    constraint uq_idempotency_keys_user_id unique (user_id, environment, operation, key)
);
alter table idempotency_keys set (vacuum_truncate = off);

create table issuances (
    charge_id uuid not null,
    txid text not null,
    user_id uuid not null,
    environment text not null,
    engine text not null,
    amount bigint not null,
    external_reference text,
    coupon_id uuid,
    payment_link_id uuid,
    customer_cpf text,
    order_key text,
    subscription_id uuid,
    billing_cycle timestamptz,
    receiving_account_id uuid,
    fee_amount bigint default '0' not null,
    attempts smallint default '0' not null,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    constraint pk_issuances primary key (charge_id),
    constraint ck_issuances_environment check (environment in ('test', 'live'))
);
create index ix_issuances_coupon on issuances (coupon_id) where coupon_id is not null;
create index ix_issuances_payment_link on issuances (payment_link_id) where payment_link_id is not null;
create index ix_issuances_next_attempt_at on issuances (next_attempt_at);
create unique index uq_issuances_billing_cycle on issuances (subscription_id, billing_cycle) where subscription_id is not null;
create unique index uq_issuances_external_reference on issuances (user_id, environment, external_reference) where external_reference is not null;
create unique index uq_issuances_order_key on issuances (order_key) where order_key is not null;
alter table issuances set (vacuum_truncate = off);

create table orphaned_objects (
    object_key text not null,
    writing boolean not null,
    delete_after timestamptz not null,
    constraint pk_orphaned_objects primary key (object_key)
);
create index ix_orphaned_objects_delete_after on orphaned_objects (delete_after);

create table payment_listings (
    environment text not null,
    engine text not null,
    listed_until timestamptz not null,
    constraint pk_payment_listings primary key (environment, engine),
    constraint ck_payment_listings_environment check (environment in ('test', 'live'))
);

create table roadmap_items (
    id uuid not null,
    title text not null,
    description text,
    category text,
    status text default 'under_review' not null,
    votes_count bigint default '0' not null,
    comments_count bigint default '0' not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_roadmap_items primary key (id),
    constraint ck_roadmap_items_status check (status in ('under_review', 'planned', 'in_progress', 'done', 'declined')),
    constraint ck_roadmap_items_votes_count check (votes_count >= 0),
    constraint ck_roadmap_items_comments_count check (comments_count >= 0)
);

create table simulator_accounts (
    id text not null,
    environment text not null,
    document text not null,
    name text not null,
    wallet_id text not null,
    secret_hash bytea not null,
    general text default 'PENDING' not null,
    commercial text default 'AWAITING_APPROVAL' not null,
    bank text default 'PENDING' not null,
    documents text default 'PENDING' not null,
    rejection text,
    created_at timestamptz not null,
    constraint pk_simulator_accounts primary key (id),
    constraint ck_simulator_accounts_environment check (environment in ('test', 'live')),
    constraint ck_simulator_accounts_general check (general in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_simulator_accounts_commercial check (commercial in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_simulator_accounts_bank check (bank in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_simulator_accounts_documents check (documents in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint uq_simulator_accounts_document unique (environment, document)
);

create table simulator_charges (
    id text not null,
    environment text not null,
    external_reference text not null,
    amount bigint not null,
    status text default 'PENDING' not null,
    br_code text not null,
    paid_amount bigint,
    end_to_end_id text,
    paid_at timestamptz,
    created_at timestamptz not null,
    account_id text,
    fee bigint default '0' not null,
    constraint pk_simulator_charges primary key (id),
    constraint ck_simulator_charges_environment check (environment in ('test', 'live')),
    constraint ck_simulator_charges_fee check (fee >= 0)
);
create index ix_simulator_charges_external_reference on simulator_charges (environment, external_reference);

create table simulator_refunds (
    return_id text not null,
    environment text not null,
    charge_id text not null,
    external_reference text not null,
    amount bigint not null,
    status text not null,
    fail_reason text,
    created_at timestamptz not null,
    constraint pk_simulator_refunds primary key (return_id),
    constraint ck_simulator_refunds_environment check (environment in ('test', 'live')),
    constraint ck_simulator_refunds_status check (status in ('pending', 'done', 'failed')),
    constraint ck_simulator_refunds_amount check (amount > 0)
);
create index ix_simulator_refunds_charge_id on simulator_refunds (charge_id);

create table simulator_transfers (
    id text not null,
    environment text not null,
    account_id text,
    external_reference text not null,
    amount bigint not null,
    pix_key text not null,
    pix_key_type text not null,
    status text default 'pending' not null,
    fail_reason text,
    end_to_end_id text,
    created_at timestamptz not null,
    constraint pk_simulator_transfers primary key (id),
    constraint ck_simulator_transfers_environment check (environment in ('test', 'live')),
    constraint ck_simulator_transfers_status check (status in ('pending', 'done', 'failed')),
    constraint ck_simulator_transfers_pix_key_type check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
    constraint ck_simulator_transfers_amount check (amount > 0)
);
create index ix_simulator_transfers_external_reference on simulator_transfers (environment, external_reference);

create table users (
    id uuid not null,
    name text not null,
    email text not null,
    email_verified_at timestamptz,
    password_hash text,
    session_version integer default '1' not null,
    company text,
    cnpj text,
    cpf text,
    phone text,
    address text,
    address_number text,
    complement text,
    province text,
    postal_code text,
    company_type text,
    notify_payment_email boolean default 'true' not null,
    receipt_email boolean default 'true' not null,
    time_zone text default 'America/Sao_Paulo' not null,
    is_admin boolean default 'false' not null,
    production_status text default 'sandbox' not null,
    production_requested_at timestamptz,
    production_reviewed_at timestamptz,
    production_reject_reason text,
    production_terms_accepted_at timestamptz,
    production_terms_url text,
    onboarding_completed_at timestamptz,
    test_clock_offset interval,
    test_clock_frozen_time timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_users primary key (id),
    constraint ck_users_production_status check (production_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended'))
);
create index ix_users_pending on users (production_requested_at, id) where production_status = 'pending';
create unique index uq_users_email on users (lower(email));

create table api_keys (
    id uuid not null,
    user_id uuid not null,
    name text not null,
    prefix text not null,
    key_hash bytea not null,
    environment text not null,
    active boolean default 'true' not null,
    scopes text[],
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null,
    constraint pk_api_keys primary key (id),
    constraint ck_api_keys_environment check (environment in ('test', 'live')),
    constraint ck_api_keys_scopes check (scopes <@ array['read', 'charges', 'catalogue', 'withdrawals', 'refunds'] and cardinality(scopes) > 0),
    constraint fk_api_keys_user_id foreign key(user_id) references users (id)
);
create index ix_api_keys_user_id on api_keys (user_id, created_at, id);
create unique index uq_api_keys_key_hash on api_keys (key_hash);

create table charges (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    txid text not null,
    status text not null,
    description text,
    amount bigint not null,
    original_amount bigint not null,
    discount_amount bigint default '0' not null,
    fee_amount bigint default '0' not null,
    customer_id uuid,
    customer_name text,
    customer_email text,
    customer_cpf text,
    customer_phone text,
    product_id uuid,
    coupon_id uuid,
    coupon_code text,
    subscription_id uuid,
    billing_cycle timestamptz,
    payment_link_id uuid,
    external_reference text,
    link_reference text,
    metadata jsonb default '{}' not null,
    success_url text,
    cancel_url text,
    expires_at timestamptz not null,
    due_date timestamptz,
    pix_code text not null,
    engine text not null,
    engine_id text not null,
    receiving_account_id uuid,
    end_to_end_id text,
    held_at timestamptz,
    paid_at timestamptz,
    refunded_at timestamptz,
    refunded_amount bigint default '0' not null,
    paid_late boolean default 'false' not null,
    store_name text,
    store_document text,
    search text generated always as (search_text(variadic array[customer_name, customer_email, description, external_reference, txid, end_to_end_id, id::text, customer_cpf, customer_phone])) stored not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_charges primary key (id),
    constraint ck_charges_environment check (environment in ('test', 'live')),
    constraint ck_charges_status check (status in ('pending', 'paid', 'expired', 'canceled', 'refunded')),
    constraint ck_charges_amount check (amount > 0),
    constraint ck_charges_discount_amount check (discount_amount >= 0),
    constraint ck_charges_fee_amount check (fee_amount >= 0),
    constraint ck_charges_paid_at check ((status in ('paid', 'refunded')) = (paid_at is not null)),
    constraint ck_charges_refunded_at check ((status = 'refunded') = (refunded_at is not null)),
    constraint ck_charges_refunded_amount check (refunded_amount = 0 or status in ('paid', 'refunded')),
    constraint ck_charges_refunded_whole check ((status = 'refunded') = (refunded_amount = amount)),
    constraint ck_charges_paid_after_created check (paid_at >= created_at),
    constraint ck_charges_held_at check (held_at is null or status in ('pending', 'expired')),
    constraint fk_charges_user_id foreign key(user_id) references users (id)
);
-- The index of each sort order includes the columns that lists filter by, for index-only scans; that of `paid_at` also
-- what is summed over a period. In it unpaid charges come first, in the order of their creation.
create index ix_charges_amount on charges (user_id, environment, amount, id) include (status, created_at, paid_at, expires_at, held_at, customer_id, product_id, coupon_id, payment_link_id);
create index ix_charges_coupon on charges (coupon_id, customer_cpf) where coupon_id is not null;
create index ix_charges_created_at on charges (user_id, environment, created_at, id) include (status, amount, paid_at, expires_at, held_at, customer_id, product_id, coupon_id, payment_link_id);
create index ix_charges_end_to_end_id on charges (end_to_end_id) where end_to_end_id is not null;
create index ix_charges_engine on charges (engine_id);
create index ix_charges_expires_at on charges (user_id, environment, expires_at, id) include (status, amount, created_at, paid_at, held_at, customer_id, product_id, coupon_id, payment_link_id);
create index ix_charges_expiry on charges (expires_at) where status = 'pending';
create index ix_charges_of_coupon on charges (user_id, environment, coupon_id, created_at, id) include (status, amount, paid_at, expires_at, held_at, discount_amount) where coupon_id is not null;
create index ix_charges_of_customer on charges (user_id, environment, customer_id, created_at, id) include (status, amount, paid_at, expires_at, held_at) where customer_id is not null;
create index ix_charges_of_payment_link on charges (user_id, environment, payment_link_id, created_at, id) include (status, amount, paid_at, expires_at, held_at) where payment_link_id is not null;
create index ix_charges_of_product on charges (user_id, environment, product_id, created_at, id) include (status, amount, paid_at, expires_at, held_at) where product_id is not null;
create index ix_charges_paid_at on charges (user_id, environment, coalesce(paid_at, timezone('UTC', timezone('UTC', created_at) - '720000 days'::interval)), id) include (status, amount, created_at, paid_at, expires_at, held_at, customer_id, product_id, coupon_id, payment_link_id, fee_amount, paid_late, refunded_amount);
create index ix_charges_paid_late on charges (user_id, environment, created_at, id) where paid_late;
create index ix_charges_payment_link on charges (payment_link_id, customer_cpf, created_at) where payment_link_id is not null;
create index ix_charges_reference on charges (user_id, environment, external_reference) where external_reference is not null;
create index ix_charges_refunded on charges (user_id, environment, id) where refunded_amount > 0;
create index ix_charges_refunded_at on charges (user_id, environment, refunded_at, id) where refunded_at is not null;
-- The worker flushes the pending list of search indexes every ten seconds.
create index ix_charges_search on charges using gin (search gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 65536);
create index ix_charges_status on charges (user_id, environment, status, created_at, id) include (amount, paid_at, expires_at, held_at);
create index ix_charges_subscription on charges (subscription_id, created_at, id) where subscription_id is not null;
create index ix_charges_updated_at on charges (user_id, environment, updated_at, id) include (status, amount, created_at, paid_at, expires_at, held_at, customer_id, product_id, coupon_id, payment_link_id);
create unique index uq_charges_billing_cycle on charges (subscription_id, billing_cycle) where subscription_id is not null and billing_cycle is not null;
create unique index uq_charges_external_reference on charges (user_id, environment, external_reference) where external_reference is not null and status = 'pending';
create unique index uq_charges_txid on charges (txid);
-- Pages are read from indexes alone where vacuum has marked the table's pages as visible to all.
alter table charges set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);

create table coupons (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    code text not null,
    description text,
    discount_type text not null,
    discount_value bigint not null,
    max_uses integer,
    max_uses_per_customer integer,
    uses_count integer default '0' not null,
    min_amount bigint,
    product_ids uuid[] default '{}' not null,
    starts_at timestamptz,
    expires_at timestamptz,
    is_active boolean default 'true' not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_coupons primary key (id),
    constraint ck_coupons_environment check (environment in ('test', 'live')),
    constraint ck_coupons_discount_type check (discount_type in ('percentage', 'fixed')),
    constraint ck_coupons_discount_value check (discount_value > 0 and (discount_type <> 'percentage' or discount_value <= 10000)),
    constraint ck_coupons_max_uses check (max_uses > 0),
    constraint ck_coupons_max_uses_per_customer check (max_uses_per_customer > 0),
    constraint ck_coupons_window check (starts_at < expires_at),
    constraint ck_coupons_uses_count check (uses_count >= 0),
    constraint ck_coupons_min_amount check (min_amount >= 0),
    constraint fk_coupons_user_id foreign key(user_id) references users (id)
);
create index ix_coupons_store on coupons (user_id, environment, created_at, id);
create unique index uq_coupons_code on coupons (user_id, environment, code);

create table customers (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    name text not null,
    email text,
    cpf text,
    phone text,
    search text generated always as (search_text(variadic array[name, email, cpf, phone, id::text])) stored not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_customers primary key (id),
    constraint ck_customers_environment check (environment in ('test', 'live')),
    constraint fk_customers_user_id foreign key(user_id) references users (id)
);
create index ix_customers_cpf on customers (user_id, environment, cpf) where cpf is not null;
create index ix_customers_created_at on customers (user_id, environment, created_at, id);
create index ix_customers_email on customers (user_id, environment, lower(email), created_at, id);
create index ix_customers_name on customers (user_id, environment, normalize_search_text(name) collate "C", id);
create index ix_customers_search on customers using gin (search gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 65536);
create index ix_customers_updated_at on customers (user_id, environment, updated_at, id);

create table reconciliation_discrepancies (
    id uuid not null,
    user_id uuid,
    environment text not null,
    charge_id uuid,
    txid text,
    end_to_end_id text,
    engine text not null,
    engine_id text not null,
    kind text not null,
    charge_status text,
    engine_status text,
    amount bigint not null,
    engine_amount bigint,
    event text,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    resolved_at timestamptz,
    resolution text,
    resolved_by_id uuid,
    resolved_by_name text,
    note text,
    constraint pk_reconciliation_discrepancies primary key (id),
    constraint ck_reconciliation_discrepancies_environment check (environment in ('test', 'live')),
    constraint ck_reconciliation_discrepancies_kind check (kind in ('amount', 'status', 'missing', 'payable', 'mistaken', 'partial_refund', 'chargeback', 'unclaimed', 'unknown_payment')),
    constraint ck_reconciliation_discrepancies_charge_status check (charge_status in ('pending', 'paid', 'expired', 'canceled', 'refunded')),
    constraint ck_reconciliation_discrepancies_resolution check (resolution in ('corrected', 'staff')),
    constraint ck_reconciliation_discrepancies_resolved check ((resolved_at is null) = (resolution is null)),
    constraint ck_reconciliation_discrepancies_charge_id check (case when kind = 'unknown_payment' then charge_id is null else charge_id is not null and user_id is not null end),
    constraint fk_reconciliation_discrepancies_user_id foreign key(user_id) references users (id)
);
create index ix_reconciliation_discrepancies_charge on reconciliation_discrepancies (charge_id);
create index ix_reconciliation_discrepancies_created_at on reconciliation_discrepancies (created_at, id);
create index ix_reconciliation_discrepancies_waiting on reconciliation_discrepancies (created_at, id) where resolved_at is null;
create unique index uq_reconciliation_discrepancies_open on reconciliation_discrepancies (charge_id, kind) where resolved_at is null;
create unique index uq_reconciliation_discrepancies_payment on reconciliation_discrepancies (engine_id, end_to_end_id, engine, environment) nulls not distinct where kind = 'unknown_payment';

create table emails (
    id uuid not null,
    kind text not null,
    user_id uuid not null,
    environment text,
    recipient text not null,
    recipient_name text,
    template_data jsonb default '{}' not null,
    dedupe_key text not null,
    state smallint default '0' not null,
    failures smallint default '0' not null,
    next_attempt_at timestamptz not null,
    lease_token uuid,
    lease_until timestamptz,
    sent_at timestamptz,
    smtp_response text,
    created_at timestamptz not null,
    finished_at timestamptz,
    constraint pk_emails primary key (id),
    constraint ck_emails_kind check (kind in ('payer_receipt', 'payment_request', 'merchant_notice', 'webhook_endpoint_disabled', 'webhook_endpoint_gone', 'webhook_endpoint_failing', 'webhook_deliveries_exhausted', 'invitation', 'production_approved', 'production_refused', 'production_suspended', 'withdrawal_requested', 'withdrawal_rejected', 'payer_refund', 'refund_rejected', 'password_reset', 'password_changed', 'two_factor_changed')),
    constraint ck_emails_environment check (environment in ('test', 'live')),
    constraint uq_emails_dedupe_key unique (dedupe_key),
    constraint fk_emails_user_id foreign key(user_id) references users (id)
);
create index ix_emails_of_test on emails (user_id, kind, created_at) where environment = 'test';
create index ix_emails_sending on emails (lease_until) where state = 0 and sent_at is not null;
create index ix_emails_waiting on emails (next_attempt_at) where state = 0 and sent_at is null;

create table external_identities (
    provider text not null,
    provider_uid text not null,
    user_id uuid not null,
    email text not null,
    created_at timestamptz not null,
    constraint pk_external_identities primary key (provider, provider_uid),
    constraint ck_external_identities_provider check (provider in ('google')),
    constraint uq_external_identities_user_id unique (user_id, provider),
    constraint fk_external_identities_user_id foreign key(user_id) references users (id)
);

create table members (
    id uuid not null,
    store_id uuid not null,
    user_id uuid,
    name text,
    email text not null,
    role text not null,
    status text default 'invited' not null,
    token_hash bytea,
    invited_by uuid not null,
    invited_at timestamptz not null,
    expires_at timestamptz not null,
    accepted_at timestamptz,
    removed_at timestamptz,
    last_access_at timestamptz,
    created_at timestamptz not null,
    constraint pk_members primary key (id),
    constraint ck_members_role check (role in ('admin', 'finance', 'operator', 'viewer')),
    constraint ck_members_status check (status in ('invited', 'active', 'removed')),
    constraint ck_members_not_the_holder check (store_id <> user_id),
    constraint ck_members_accepted check (status <> 'active' or (user_id is not null and accepted_at is not null)),
    constraint ck_members_token_hash check ((status = 'invited') = (token_hash is not null)),
    constraint fk_members_store_id foreign key(store_id) references users (id),
    constraint fk_members_user_id foreign key(user_id) references users (id),
    constraint fk_members_invited_by foreign key(invited_by) references users (id)
);
create index ix_members_store_id on members (store_id, created_at, id);
-- One open row for each email, and so for each account.
create unique index uq_members_email on members (store_id, email) where status <> 'removed';
create unique index uq_members_token_hash on members (token_hash);
create unique index uq_members_user_id on members (user_id, store_id) where status = 'active';

create table onboarding_answers (
    user_id uuid not null,
    answers jsonb default '{}' not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_onboarding_answers primary key (user_id),
    constraint fk_onboarding_answers_user_id foreign key(user_id) references users (id)
);

create table password_resets (
    token_hash bytea not null,
    user_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint pk_password_resets primary key (token_hash),
    constraint fk_password_resets_user_id foreign key(user_id) references users (id)
);
create index ix_password_resets_user_id on password_resets (user_id);

create table production_documents (
    id uuid not null,
    user_id uuid not null,
    type text not null,
    file_name text not null,
    content_type text not null,
    size integer not null,
    sha256 text not null,
    object_key text not null,
    file_key bytea not null,
    uploaded_at timestamptz not null,
    constraint pk_production_documents primary key (id),
    constraint ck_production_documents_type check (type in ('company_registration', 'responsible_document', 'proof_of_address')),
    constraint ck_production_documents_content_type check (content_type in ('application/pdf', 'image/jpeg', 'image/png')),
    constraint ck_production_documents_size check (size > 0),
    constraint uq_production_documents_user_id unique (user_id, type),
    constraint fk_production_documents_user_id foreign key(user_id) references users (id)
);

create table production_status_changes (
    id uuid not null,
    user_id uuid not null,
    from_status text not null,
    to_status text not null,
    reason text,
    submitted jsonb,
    actor_id uuid not null,
    actor_name text not null,
    created_at timestamptz not null,
    constraint pk_production_status_changes primary key (id),
    constraint ck_production_status_changes_from_status check (from_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended')),
    constraint ck_production_status_changes_to_status check (to_status in ('sandbox', 'pending', 'approved', 'rejected', 'suspended')),
    constraint fk_production_status_changes_user_id foreign key(user_id) references users (id)
);
create index ix_production_status_changes_user_id on production_status_changes (user_id, created_at, id);

create table products (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    name text not null,
    description text,
    price bigint not null,
    sku text,
    image_url text,
    active boolean default 'true' not null,
    external_reference text,
    metadata jsonb default '{}' not null,
    search text generated always as (search_text(variadic array[name, sku, description, external_reference, id::text])) stored not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_products primary key (id),
    constraint ck_products_environment check (environment in ('test', 'live')),
    constraint ck_products_price check (price > 0),
    constraint fk_products_user_id foreign key(user_id) references users (id)
);
create index ix_products_created_at on products (user_id, environment, created_at, id);
create index ix_products_search on products using gin (search gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 65536);
create unique index uq_products_sku on products (user_id, environment, lower(sku)) where sku is not null;

create table receiving_accounts (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    engine text not null,
    state text not null,
    attempts smallint default '0' not null,
    account_id text,
    wallet_id text,
    secret bytea,
    company_name text not null,
    email text not null,
    cnpj text not null,
    phone text not null,
    monthly_revenue bigint not null,
    address text not null,
    address_number text not null,
    complement text,
    province text not null,
    postal_code text not null,
    company_type text,
    site text,
    webhook_registered boolean default 'false' not null,
    general text,
    commercial text,
    bank text,
    documents text,
    documents_link text,
    rejection text,
    checked_at timestamptz,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_receiving_accounts primary key (id),
    constraint ck_receiving_accounts_environment check (environment in ('test', 'live')),
    constraint ck_receiving_accounts_state check (state in ('opening', 'open', 'lost')),
    constraint ck_receiving_accounts_company_type check (company_type in ('MEI', 'LIMITED', 'INDIVIDUAL', 'ASSOCIATION')),
    constraint ck_receiving_accounts_general check (general in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_receiving_accounts_commercial check (commercial in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_receiving_accounts_bank check (bank in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_receiving_accounts_documents check (documents in ('PENDING', 'AWAITING_APPROVAL', 'APPROVED', 'REJECTED')),
    constraint ck_receiving_accounts_monthly_revenue check (monthly_revenue >= 0),
    constraint ck_receiving_accounts_secret check ((state = 'open') = (secret is not null)),
    constraint ck_receiving_accounts_account_id check (state = 'opening' or account_id is not null),
    constraint ck_receiving_accounts_checked_at check ((checked_at is null) = (general is null)),
    constraint uq_receiving_accounts_user_id unique (user_id, environment, engine),
    constraint fk_receiving_accounts_user_id foreign key(user_id) references users (id)
);
create index ix_receiving_accounts_next_attempt_at on receiving_accounts (next_attempt_at);
create unique index uq_receiving_accounts_account_id on receiving_accounts (account_id, environment, engine) where state = 'open';

create table repayments (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    status text default 'recorded' not null,
    paid_from timestamptz not null,
    paid_to timestamptz not null,
    gross bigint not null,
    fee bigint not null,
    deducted bigint default '0' not null,
    deducted_gross bigint default '0' not null,
    net bigint not null,
    charges_count integer not null,
    deducted_count integer default '0' not null,
    end_to_end_id text,
    recorded_by uuid not null,
    created_at timestamptz not null,
    concluded_by uuid,
    concluded_at timestamptz,
    constraint pk_repayments primary key (id),
    constraint ck_repayments_environment check (environment in ('test', 'live')),
    constraint ck_repayments_status check (status in ('recorded', 'done', 'discarded')),
    constraint ck_repayments_fee check (fee >= 0),
    constraint ck_repayments_deducted check (deducted >= 0),
    constraint ck_repayments_deducted_gross check (deducted_gross >= deducted),
    constraint ck_repayments_deducted_count check ((deducted_count > 0) = (deducted_gross > 0)),
    constraint ck_repayments_net check (net = gross - fee - deducted and net >= 0),
    constraint ck_repayments_charges_count check (charges_count > 0),
    constraint ck_repayments_concluded_at check ((status = 'done') = (concluded_at is not null)),
    constraint fk_repayments_user_id foreign key(user_id) references users (id)
);
create index ix_repayments_created_at on repayments (created_at, id);
create index ix_repayments_store on repayments (user_id, environment, created_at, id);

create table roadmap_comments (
    id uuid not null,
    item_id uuid not null,
    author_id uuid not null,
    author_name text not null,
    is_staff boolean not null,
    body text not null,
    created_at timestamptz not null,
    constraint pk_roadmap_comments primary key (id),
    constraint fk_roadmap_comments_item_id foreign key(item_id) references roadmap_items (id),
    constraint fk_roadmap_comments_author_id foreign key(author_id) references users (id)
);
create index ix_roadmap_comments_item_id on roadmap_comments (item_id, created_at, id);

create table roadmap_votes (
    item_id uuid not null,
    user_id uuid not null,
    created_at timestamptz not null,
    constraint pk_roadmap_votes primary key (item_id, user_id),
    constraint fk_roadmap_votes_item_id foreign key(item_id) references roadmap_items (id),
    constraint fk_roadmap_votes_user_id foreign key(user_id) references users (id)
);

create table sessions (
    id uuid not null,
    user_id uuid not null,
    ip text,
    user_agent text,
    begun_at timestamptz not null,
    last_used_at timestamptz not null,
    cookie_family bytea,
    cookie_hash bytea,
    previous_cookie_hash bytea,
    cookie_rotated_at timestamptz,
    remembered boolean default false not null,
    constraint pk_sessions primary key (id),
    constraint fk_sessions_user_id foreign key(user_id) references users (id)
);
create unique index ix_sessions_cookie_family on sessions (cookie_family);
create index ix_sessions_user_id on sessions (user_id);

create table store_balances (
    id uuid default uuidv7() not null,
    user_id uuid not null,
    environment text not null,
    receiving_account_id uuid,
    gross bigint not null,
    fee bigint not null,
    charges bigint not null,
    constraint pk_store_balances primary key (id),
    constraint ck_store_balances_environment check (environment in ('test', 'live')),
    constraint uq_store_balances_user_id unique nulls not distinct (user_id, environment, receiving_account_id),
    constraint fk_store_balances_user_id foreign key(user_id) references users (id)
);

create table subscriptions (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    customer_id uuid,
    customer_name text not null,
    customer_email text,
    customer_cpf text,
    description text,
    amount bigint not null,
    method text default 'pix' not null,
    interval text not null,
    interval_count smallint default '1' not null,
    status text not null,
    next_billing_at timestamptz,
    anchor_day smallint not null,
    utc_offset smallint,
    end_date timestamptz,
    max_cycles integer,
    cycles_count integer default '0' not null,
    external_reference text,
    metadata jsonb default '{}' not null,
    search text generated always as (search_text(variadic array[customer_name, customer_email, description, external_reference, customer_cpf, id::text])) stored not null,
    last_failure text,
    retry_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_subscriptions primary key (id),
    constraint ck_subscriptions_environment check (environment in ('test', 'live')),
    constraint ck_subscriptions_status check (status in ('active', 'paused', 'canceled')),
    constraint ck_subscriptions_interval check (interval in ('weekly', 'monthly', 'quarterly', 'semiannual', 'yearly')),
    constraint ck_subscriptions_interval_count check (interval_count between 1 and 12),
    constraint ck_subscriptions_method check (method in ('pix')),
    constraint ck_subscriptions_amount check (amount > 0),
    constraint ck_subscriptions_anchor_day check (anchor_day between 1 and 31),
    constraint ck_subscriptions_max_cycles check (max_cycles > 0),
    constraint ck_subscriptions_cycles_count check (cycles_count >= 0),
    constraint fk_subscriptions_user_id foreign key(user_id) references users (id)
);
create index ix_subscriptions_amount on subscriptions (user_id, environment, amount, id) include (status);
create index ix_subscriptions_created_at on subscriptions (user_id, environment, created_at, id) include (status);
create index ix_subscriptions_customer on subscriptions (customer_id) where customer_id is not null;
create index ix_subscriptions_due on subscriptions (environment, next_billing_at, id) where status = 'active';
create index ix_subscriptions_failing on subscriptions (user_id, environment, created_at, id) where status = 'active' and last_failure is not null;
-- A subscription without a date comes first.
create index ix_subscriptions_next_billing_at on subscriptions (user_id, environment, coalesce(next_billing_at, '0001-01-02 00:00:00+00'::timestamptz), id) include (status);
create index ix_subscriptions_search on subscriptions using gin (search gin_trgm_ops) with (fastupdate = on, gin_pending_list_limit = 65536);
create index ix_subscriptions_status on subscriptions (user_id, environment, status, created_at, id);
create index ix_subscriptions_updated_at on subscriptions (user_id, environment, updated_at, id) include (status);
create unique index uq_subscriptions_external_reference on subscriptions (user_id, environment, external_reference) where external_reference is not null and status <> 'canceled';

create table test_clocks (
    store_id uuid not null,
    time_offset INTERVAL default interval '0' not null,
    frozen_time timestamptz,
    target_time timestamptz,
    webhook_wait_ms integer default '0' not null,
    lease_token uuid,
    lease_until timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_test_clocks primary key (store_id),
    constraint ck_test_clocks_time_offset check (time_offset >= interval '0'),
    constraint ck_test_clocks_frozen_time check ((frozen_time is null) = (target_time is null)),
    constraint ck_test_clocks_lease check ((lease_token is null) = (lease_until is null)),
    constraint fk_test_clocks_store_id foreign key(store_id) references users (id)
);
create index ix_test_clocks_advancing on test_clocks (updated_at, store_id) where target_time is not null;

create table two_factors (
    user_id uuid not null,
    secret bytea not null,
    recovery_hashes bytea[] default '{}' not null,
    last_step bigint default '0' not null,
    uses integer default '0' not null,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    constraint pk_two_factors primary key (user_id),
    constraint fk_two_factors_user_id foreign key(user_id) references users (id)
);

create table webhook_endpoints (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    name text not null,
    url text not null,
    secret bytea not null,
    secret_preview text not null,
    previous_secret bytea,
    previous_secret_until timestamptz,
    events text[] default '{}' not null,
    version text default 'v1' not null,
    active boolean default 'true' not null,
    disabled_reason text,
    disabled_at timestamptz,
    expires_at timestamptz,
    deleted_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_webhook_endpoints primary key (id),
    constraint ck_webhook_endpoints_environment check (environment in ('test', 'live')),
    constraint ck_webhook_endpoints_disabled_reason check (disabled_reason in ('gone', 'failing')),
    constraint fk_webhook_endpoints_user_id foreign key(user_id) references users (id)
);
create index ix_webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;
create index ix_webhook_endpoints_expiring on webhook_endpoints (expires_at) where expires_at is not null;
create index ix_webhook_endpoints_rotating on webhook_endpoints (previous_secret_until) where previous_secret_until is not null;
create index ix_webhook_endpoints_store on webhook_endpoints (user_id, environment, created_at, id);

create table webhook_events (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    type text not null,
    body bytea not null,
    dedupe_key text not null,
    created_at timestamptz not null,
    constraint pk_webhook_events primary key (id),
    constraint ck_webhook_events_environment check (environment in ('test', 'live')),
    constraint fk_webhook_events_user_id foreign key(user_id) references users (id)
) partition by range (id);
create index ix_webhook_events_store on webhook_events (user_id, environment, created_at, id);

create table pix_keys (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    name text,
    pix_key text not null,
    pix_key_type text not null,
    created_at timestamptz not null,
    constraint pk_pix_keys primary key (id),
    constraint ck_pix_keys_environment check (environment in ('test', 'live')),
    constraint ck_pix_keys_pix_key_type check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
    constraint fk_pix_keys_user_id foreign key(user_id) references users (id)
);
create unique index uq_pix_keys_key on pix_keys (user_id, environment, pix_key);

create table refunds (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    charge_id uuid not null,
    status text default 'pending' not null,
    amount bigint not null,
    reason text,
    external_reference text,
    end_to_end_id text,
    return_id text,
    reject_reason text,
    engine text not null,
    receiving_account_id uuid,
    attempts smallint default '0' not null,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    completed_at timestamptz,
    rejected_at timestamptz,
    constraint pk_refunds primary key (id),
    constraint ck_refunds_environment check (environment in ('test', 'live')),
    constraint ck_refunds_status check (status in ('pending', 'processing', 'completed', 'rejected')),
    constraint ck_refunds_amount check (amount > 0),
    constraint ck_refunds_completed_at check ((status = 'completed') = (completed_at is not null)),
    constraint ck_refunds_rejected_at check ((status = 'rejected') = (rejected_at is not null)),
    constraint fk_refunds_user_id foreign key(user_id) references users (id),
    constraint fk_refunds_charge_id foreign key(charge_id) references charges (id)
);
create index ix_refunds_charge on refunds (charge_id, created_at, id);
create index ix_refunds_next_attempt_at on refunds (next_attempt_at) where status in ('pending', 'processing');
create index ix_refunds_store on refunds (user_id, environment, created_at, id);

create table withdrawals (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    status text default 'pending' not null,
    amount bigint not null,
    fee_amount bigint default '0' not null,
    pix_key text not null,
    pix_key_type text not null,
    description text,
    external_reference text,
    reject_reason text,
    end_to_end_id text,
    engine text not null,
    engine_id text,
    receiving_account_id uuid,
    attempts smallint default '0' not null,
    next_attempt_at timestamptz not null,
    created_at timestamptz not null,
    completed_at timestamptz,
    rejected_at timestamptz,
    constraint pk_withdrawals primary key (id),
    constraint ck_withdrawals_environment check (environment in ('test', 'live')),
    constraint ck_withdrawals_status check (status in ('pending', 'processing', 'completed', 'rejected', 'canceled')),
    constraint ck_withdrawals_pix_key_type check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
    constraint ck_withdrawals_amount check (amount > 0),
    constraint ck_withdrawals_fee_amount check (fee_amount between 0 and amount),
    constraint ck_withdrawals_completed_at check ((status = 'completed') = (completed_at is not null)),
    constraint ck_withdrawals_rejected_at check ((status = 'rejected') = (rejected_at is not null)),
    constraint fk_withdrawals_user_id foreign key(user_id) references users (id)
);
create index ix_withdrawals_created_at on withdrawals (created_at, id);
create index ix_withdrawals_engine_id on withdrawals (engine_id) where engine_id is not null;
create index ix_withdrawals_next_attempt_at on withdrawals (next_attempt_at) where status in ('pending', 'processing');
create index ix_withdrawals_store on withdrawals (user_id, environment, created_at, id);
create unique index uq_withdrawals_in_flight on withdrawals (user_id, environment) where status in ('pending', 'processing');

create table deducted_charges (
    charge_id uuid not null,
    repayment_id uuid not null,
    amount bigint not null,
    fee bigint not null,
    constraint pk_deducted_charges primary key (charge_id, repayment_id),
    constraint ck_deducted_charges_fee check (fee >= 0),
    constraint fk_deducted_charges_repayment_id foreign key(repayment_id) references repayments (id)
);
create index ix_deducted_charges_repayment_id on deducted_charges (repayment_id);

create table payment_links (
    id uuid not null,
    user_id uuid not null,
    environment text not null,
    slug text not null,
    title text,
    description text,
    amount bigint not null,
    product_id uuid,
    coupon_id uuid,
    allow_coupons boolean default 'true' not null,
    active boolean default 'true' not null,
    expires_at timestamptz,
    max_uses integer,
    uses_count integer default '0' not null,
    success_url text,
    cancel_url text,
    charge_expires_in_minutes integer default '1440' not null,
    external_reference text,
    metadata jsonb default '{}' not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint pk_payment_links primary key (id),
    constraint ck_payment_links_environment check (environment in ('test', 'live')),
    constraint ck_payment_links_amount check (amount > 0),
    constraint ck_payment_links_max_uses check (max_uses > 0),
    constraint ck_payment_links_charge_expires_in_minutes check (charge_expires_in_minutes > 0),
    constraint ck_payment_links_uses_count check (uses_count >= 0),
    constraint fk_payment_links_user_id foreign key(user_id) references users (id),
    constraint fk_payment_links_product_id foreign key(product_id) references products (id),
    constraint fk_payment_links_coupon_id foreign key(coupon_id) references coupons (id)
);
create index ix_payment_links_coupon on payment_links (coupon_id) where coupon_id is not null;
create index ix_payment_links_product on payment_links (product_id) where product_id is not null;
create index ix_payment_links_reference on payment_links (user_id, environment, external_reference) where external_reference is not null;
create index ix_payment_links_store on payment_links (user_id, environment, created_at, id);
create unique index uq_payment_links_slug on payment_links (slug);

create table repaid_charges (
    charge_id uuid not null,
    repayment_id uuid not null,
    amount bigint not null,
    fee bigint not null,
    constraint pk_repaid_charges primary key (charge_id),
    constraint ck_repaid_charges_fee check (fee >= 0),
    constraint fk_repaid_charges_repayment_id foreign key(repayment_id) references repayments (id)
);
create index ix_repaid_charges_repayment_id on repaid_charges (repayment_id);

create table webhook_deliveries (
    event_id uuid not null,
    endpoint_id uuid not null,
    id uuid default uuidv7() not null,
    state smallint default '0' not null,
    attempts smallint default '0' not null,
    failures smallint default '0' not null,
    next_attempt_at timestamptz not null,
    lease_token uuid,
    lease_until timestamptz,
    last_status smallint,
    last_error text,
    canceled_reason text,
    created_at timestamptz not null,
    finished_at timestamptz,
    constraint pk_webhook_deliveries primary key (event_id, endpoint_id),
    constraint ck_webhook_deliveries_canceled_reason check (canceled_reason in ('gone', 'failing', 'inactive')),
    constraint fk_webhook_deliveries_endpoint_id foreign key(endpoint_id) references webhook_endpoints (id)
) partition by range (event_id);
create index ix_webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where state = 0;
create index ix_webhook_deliveries_exhausted on webhook_deliveries (endpoint_id, finished_at) where state = 2;
create index ix_webhook_deliveries_failed on webhook_deliveries (endpoint_id, created_at, id) include (last_error) where last_error is not null;
create index ix_webhook_deliveries_fresh on webhook_deliveries (endpoint_id, next_attempt_at) where state = 0 and attempts = 0;
create index ix_webhook_deliveries_id on webhook_deliveries (id);
create index ix_webhook_deliveries_leased on webhook_deliveries (endpoint_id) where state = 0 and lease_token is not null;
create index ix_webhook_deliveries_log on webhook_deliveries (endpoint_id, created_at, id);
create index ix_webhook_deliveries_missed on webhook_deliveries (endpoint_id, created_at, id) where state in (2, 3);

create table webhook_endpoint_health (
    endpoint_id uuid not null,
    consecutive_failures integer default '0' not null,
    degraded boolean default 'false' not null,
    first_failure_at timestamptz,
    last_success_at timestamptz,
    last_attempt_at timestamptz,
    last_alert_hours smallint default '0' not null,
    exhausted_notified_until timestamptz,
    constraint pk_webhook_endpoint_health primary key (endpoint_id),
    constraint fk_webhook_endpoint_health_endpoint_id foreign key(endpoint_id) references webhook_endpoints (id)
);
alter table webhook_endpoint_health set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create table webhook_attempts (
    delivery_id uuid not null,
    number smallint not null,
    started_at timestamptz not null,
    duration_ms integer not null,
    address text,
    status smallint,
    error_code text,
    request_headers jsonb default '{}' not null,
    response_headers jsonb default '{}' not null,
    response bytea,
    constraint pk_webhook_attempts primary key (delivery_id, number)
) partition by range (delivery_id);

-- All records of the audit trail: those in the hash chain, and those that wait for it.
create view audit_trail as
select id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id, changes, created_at
  from audit_records
union all
select record_id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id, changes, created_at
  from audit_pending p
 where not exists (select from audit_records r where r.id = p.record_id);
