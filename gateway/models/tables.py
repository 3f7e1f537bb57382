"""Imports every table, so that the metadata is complete."""

from gateway.models.accounts import external_identities, onboarding_answers, password_resets, users
from gateway.models.api_keys import api_keys
from gateway.models.audit import audit_chain, audit_pending, audit_records
from gateway.models.balances import balance_entries, store_balances
from gateway.models.base import metadata
from gateway.models.charges import charges, issuances
from gateway.models.clocks import test_clocks
from gateway.models.coupons import coupons
from gateway.models.customers import customers
from gateway.models.emails import charge_sends, emails
from gateway.models.engines import (
    account_refusals,
    engine_notifications,
    provider_customers,
    simulator_accounts,
    simulator_charges,
    simulator_refunds,
    simulator_transfers,
)
from gateway.models.idempotency import idempotency_keys
from gateway.models.members import members
from gateway.models.payment_links import payment_links
from gateway.models.pix_keys import pix_keys
from gateway.models.production import orphaned_objects, production_documents, production_status_changes
from gateway.models.products import products
from gateway.models.receiving import receiving_accounts
from gateway.models.reconciliation import charge_reconciliations, payment_listings, reconciliation_discrepancies
from gateway.models.refunds import refunds
from gateway.models.repayments import deducted_charges, repaid_charges, repayments
from gateway.models.roadmap import roadmap_comments, roadmap_items, roadmap_votes
from gateway.models.sessions import sessions, two_factors
from gateway.models.subscriptions import subscriptions
from gateway.models.webhooks import (
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoint_health,
    webhook_endpoints,
    webhook_events,
)
from gateway.models.withdrawals import withdrawals

__all__ = [
    "account_refusals",
    "api_keys",
    "audit_chain",
    "audit_pending",
    "audit_records",
    "balance_entries",
    "charge_reconciliations",
    "charge_sends",
    "charges",
    "coupons",
    "customers",
    "deducted_charges",
    "emails",
    "engine_notifications",
    "external_identities",
    "idempotency_keys",
    "issuances",
    "members",
    "metadata",
    "onboarding_answers",
    "orphaned_objects",
    "password_resets",
    "payment_links",
    "payment_listings",
    "pix_keys",
    "production_documents",
    "production_status_changes",
    "products",
    "provider_customers",
    "receiving_accounts",
    "reconciliation_discrepancies",
    "refunds",
    "repaid_charges",
    "repayments",
    "roadmap_comments",
    "roadmap_items",
    "roadmap_votes",
    "sessions",
    "simulator_accounts",
    "simulator_charges",
    "simulator_refunds",
    "simulator_transfers",
    "store_balances",
    "subscriptions",
    "test_clocks",
    "two_factors",
    "users",
    "webhook_attempts",
    "webhook_deliveries",
    "webhook_endpoint_health",
    "webhook_endpoints",
    "webhook_events",
    "withdrawals",
]
