"""Withdrawals: money that leaves a store's receiving account for a Pix key (contract section 6)."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


class WithdrawalStatus(StrEnum):
    """The states of a withdrawal (contract section 6)."""

    pending = "pending"
    """The balance is reserved; the engine has not confirmed the order yet."""
    processing = "processing"
    """The engine has the order."""
    completed = "completed"
    rejected = "rejected"
    canceled = "canceled"
    """Listed in the contract, but never reached: no route cancels a withdrawal."""


IN_FLIGHT = (WithdrawalStatus.pending.value, WithdrawalStatus.processing.value)
"""States in which the amount is reserved."""


class Withdrawal(SQLModel, table=True):
    """A withdrawal, in centavos. Its id is the transfer's reference at the engine, `engine_id` the engine's own id.
    `fee_amount` is what the engine keeps of the amount, known when the transfer is done.

    While it is in flight, it is checked at the engine at `next_attempt_at`: a response or notification may be lost.
    """

    __tablename__ = "withdrawals"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    status: str = text_column(default=WithdrawalStatus.pending)
    amount: int = money_column()
    fee_amount: int = money_column(default="0")
    pix_key: str = text_column()
    pix_key_type: str = text_column()
    description: str | None = text_column(optional=True)
    external_reference: str | None = text_column(optional=True)
    reject_reason: str | None = text_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    engine: str = text_column()
    engine_id: str | None = text_column(optional=True)
    receiving_account_id: str | None = uuid_column(optional=True)
    attempts: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()
    completed_at: datetime | None = timestamp_column(optional=True)
    rejected_at: datetime | None = timestamp_column(optional=True)


withdrawals = table_of(Withdrawal)
