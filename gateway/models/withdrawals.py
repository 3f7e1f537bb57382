"""Withdrawals: money that leaves a store's receiving account for a Pix key (contract section 6)."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, Index, SmallInteger
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, money_column, one_of, table_of, text_column, timestamp_column, uuid_column
from gateway.models.engines import PixKeyType


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
_in_flight = sql(f"status in {IN_FLIGHT}")


class Withdrawal(SQLModel, table=True):
    """A withdrawal, in centavos. Its id is the transfer's reference at the engine, `engine_id` the engine's own id.
    `fee_amount` is what the engine keeps of the amount, known when the transfer is done.

    While it is in flight, it is checked at the engine at `next_attempt_at`: a response or notification may be lost.
    """

    __tablename__ = "withdrawals"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("status", WithdrawalStatus),
        one_of("pix_key_type", PixKeyType),
        CheckConstraint("amount > 0", name="amount"),
        CheckConstraint("fee_amount between 0 and amount", name="fee_amount"),
        CheckConstraint("(status = 'completed') = (completed_at is not null)", name="completed_at"),
        CheckConstraint("(status = 'rejected') = (rejected_at is not null)", name="rejected_at"),
        Index("uq_withdrawals_in_flight", "user_id", "environment", unique=True, postgresql_where=_in_flight),
        Index("ix_withdrawals_store", "user_id", "environment", "created_at", "id"),
        Index("ix_withdrawals_created_at", "created_at", "id"),
        Index("ix_withdrawals_next_attempt_at", "next_attempt_at", postgresql_where=_in_flight),
        Index("ix_withdrawals_engine_id", "engine_id", postgresql_where=sql("engine_id is not null")),
    )

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
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    next_attempt_at: datetime = timestamp_column()
    created_at: datetime = timestamp_column()
    completed_at: datetime | None = timestamp_column(optional=True)
    rejected_at: datetime | None = timestamp_column(optional=True)


withdrawals = table_of(Withdrawal)
