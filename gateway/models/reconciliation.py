"""Charges that wait for a check at their engine, and what differs between our record and the engine's."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


class DiscrepancyKind(StrEnum):
    """What differs about one charge, or one payment. The GraphQL type has the same name."""

    amount = "amount"
    """The amount paid at the engine is not the charge's."""
    status = "status"
    """It is paid or refunded here, but not at the engine."""
    missing = "missing"
    """The engine has no such charge."""
    payable = "payable"
    """It is expired or canceled here, but can still be paid at the engine."""
    mistaken = "mistaken"
    """The engine's charge with its id has another reference."""
    partial_refund = "partial_refund"
    """The engine reports a partial refund."""
    chargeback = "chargeback"
    """The engine reports a dispute."""
    unclaimed = "unclaimed"
    """The engine was paid for an order that has no charge: the caller received an error."""
    unknown_payment = "unknown_payment"
    """The engine received a payment of no charge of ours: another system's, or a late one of a failed order."""


COMPARABLE_KINDS = (
    DiscrepancyKind.amount,
    DiscrepancyKind.status,
    DiscrepancyKind.missing,
    DiscrepancyKind.payable,
    DiscrepancyKind.mistaken,
)
"""Kinds that a check detects, and so also resolves. The others come from notifications; only staff resolves them."""


class Resolution(StrEnum):
    """How a discrepancy was resolved."""

    corrected = "corrected"
    """A check no longer finds it."""
    staff = "staff"
    """Staff closed it."""


class ChargeReconciliation(SQLModel, table=True):
    """A charge to check at its engine, not before `next_attempt_at`: long unpaid, expired, without EndToEndId, or with
    a discrepancy. A settled charge has no row.

    `attempts` counts answered checks since its state last changed, `failures` unanswered ones since the last answer.
    """

    __tablename__ = "charge_reconciliations"

    charge_id: str = uuid_column(primary=True)
    environment: str = text_column()
    attempts: int = column(SmallInteger, default="0")
    failures: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()


class PaymentListing(SQLModel, table=True):
    """Until when the payments of an engine were listed (gateway.resolvers.reconciliation.payment_listing)."""

    __tablename__ = "payment_listings"

    environment: str = text_column(primary=True)
    engine: str = text_column(primary=True)
    listed_until: datetime = timestamp_column()


class Discrepancy(SQLModel, table=True):
    """One discrepancy about one charge, open until `resolved_at`. A charge has at most one open row of a kind.
    `charge_status` and `engine_status` are as last seen, at `seen_at`. An `unclaimed` one has no charge: `charge_id` is
    the reference sent to the engine, txid and status are null.

    An `unknown_payment` has no charge, and a store only where the payment came to a store's account. A payment has one
    row ever.
    """

    __tablename__ = "reconciliation_discrepancies"

    id: str = uuid_column(primary=True)
    user_id: str | None = uuid_column(optional=True, references="users.id")
    environment: str = text_column()
    charge_id: str | None = uuid_column(optional=True)
    txid: str | None = text_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    engine: str = text_column()
    engine_id: str = text_column()
    kind: str = text_column()
    charge_status: str | None = text_column(optional=True)
    engine_status: str | None = text_column(optional=True)
    amount: int = money_column()
    engine_amount: int | None = money_column(optional=True)
    event: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()
    seen_at: datetime = timestamp_column()
    resolved_at: datetime | None = timestamp_column(optional=True)
    resolution: str | None = text_column(optional=True)
    resolved_by_id: str | None = uuid_column(optional=True)
    resolved_by_name: str | None = text_column(optional=True)
    note: str | None = text_column(optional=True)


charge_reconciliations = table_of(ChargeReconciliation)
payment_listings = table_of(PaymentListing)
reconciliation_discrepancies = table_of(Discrepancy)
