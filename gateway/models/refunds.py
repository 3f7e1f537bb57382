"""Refunds: money that goes back to the payer of a charge (contract section 8)."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


class RefundStatus(StrEnum):
    """The states of a refund (contract section 8)."""

    pending = "pending"
    """The amount is reserved; the engine has not confirmed the order yet."""
    processing = "processing"
    """The engine has the order."""
    completed = "completed"
    rejected = "rejected"


REFUND_IN_FLIGHT = (RefundStatus.pending.value, RefundStatus.processing.value)
"""States in which the amount is reserved."""


class Refund(SQLModel, table=True):
    """A refund of a charge, in centavos. Its id is the reference at the engine. `return_id` is the Central Bank's id of
    the return, `end_to_end_id` that of the charge's payment. `receiving_account_id` is the charge's.

    While it is in flight, it is checked at the engine at `next_attempt_at`: a response or notification may be lost.
    """

    __tablename__ = "refunds"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    charge_id: str = uuid_column(references="charges.id")
    status: str = text_column(default=RefundStatus.pending)
    amount: int = money_column()
    reason: str | None = text_column(optional=True)
    external_reference: str | None = text_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    return_id: str | None = text_column(optional=True)
    reject_reason: str | None = text_column(optional=True)
    engine: str = text_column()
    receiving_account_id: str | None = uuid_column(optional=True)
    attempts: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()
    completed_at: datetime | None = timestamp_column(optional=True)
    rejected_at: datetime | None = timestamp_column(optional=True)


refunds = table_of(Refund)
