"""Imports every module with tables, so that the metadata is complete."""

from gateway.models import (  # noqa: F401  # For the metadata.
    accounts,
    api_keys,
    audit,
    balances,
    charges,
    clocks,
    coupons,
    customers,
    emails,
    engines,
    idempotency,
    members,
    payment_links,
    pix_keys,
    production,
    products,
    receiving,
    reconciliation,
    refunds,
    repayments,
    roadmap,
    sessions,
    subscriptions,
    webhooks,
    withdrawals,
)
from gateway.models.base import metadata

__all__ = ["metadata"]
