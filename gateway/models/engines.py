"""Notifications of payment engines, what is cached of them, and the simulator's tables."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Integer, LargeBinary, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


class NotificationOutcome(StrEnum):
    """How an inbound notification was handled."""

    received = "received"
    applied = "applied"
    ignored = "ignored"
    mismatch = "mismatch"


class Track(StrEnum):
    """State of one track of a receiving account's approval (specification section 2, `aprovacao`)."""

    missing = "PENDING"
    """The account holder has to send something."""
    under_review = "AWAITING_APPROVAL"
    approved = "APPROVED"
    rejected = "REJECTED"


class TransferState(StrEnum):
    """State of a transfer at the engine. The last two are final."""

    pending = "pending"
    done = "done"
    failed = "failed"


class PixKeyType(StrEnum):
    """Kinds of Pix keys (contract section 6)."""

    cpf = "cpf"
    cnpj = "cnpj"
    email = "email"
    phone = "phone"
    random = "random"


class EngineNotification(SQLModel, table=True):
    """One inbound notification, stored once under the engine's event id before it is handled. One that could not be
    handled stays `received` and is retried after `next_attempt_at`; until then, repetitions are ignored.
    """

    __tablename__ = "engine_notifications"

    id: str = uuid_column(primary=True)
    engine: str = text_column()
    environment: str = text_column()
    event_id: str = text_column()
    event: str = text_column()
    body: bytes = column(LargeBinary)
    outcome: str = text_column(default=NotificationOutcome.received)
    detail: str | None = text_column(optional=True)
    charge_id: str | None = uuid_column(optional=True)
    attempts: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    received_at: datetime = timestamp_column()


class SimulatorCharge(SQLModel, table=True):
    """A charge at the simulated bank. `external_reference` is our charge's id. Like a real bank, the simulator accepts
    a second charge with the same reference, so tests detect duplicates.
    """

    __tablename__ = "simulator_charges"

    id: str = text_column(primary=True)
    environment: str = text_column()
    external_reference: str = text_column()
    amount: int = money_column()
    status: str = text_column(default="PENDING")
    br_code: str = text_column()
    paid_amount: int | None = money_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    paid_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()
    account_id: str | None = text_column(optional=True)
    fee: int = money_column(default="0")


class SimulatorAccount(SQLModel, table=True):
    """A merchant's account at the simulated bank, with its approval. Only a hash of its secret is stored."""

    __tablename__ = "simulator_accounts"

    id: str = text_column(primary=True)
    environment: str = text_column()
    document: str = text_column()
    name: str = text_column()
    wallet_id: str = text_column()
    secret_hash: bytes = column(LargeBinary)
    general: str = text_column(default=Track.missing)
    commercial: str = text_column(default=Track.under_review)
    bank: str = text_column(default=Track.missing)
    documents: str = text_column(default=Track.missing)
    rejection: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()


class SimulatorTransfer(SQLModel, table=True):
    """A transfer out of the simulated bank. Without an `account_id` it left the service's main account. As with
    charges, a second one with the same reference is accepted.
    """

    __tablename__ = "simulator_transfers"

    id: str = text_column(primary=True)
    environment: str = text_column()
    account_id: str | None = text_column(optional=True)
    external_reference: str = text_column()
    amount: int = money_column()
    pix_key: str = text_column()
    pix_key_type: str = text_column()
    status: str = text_column(default=TransferState.pending)
    fail_reason: str | None = text_column(optional=True)
    end_to_end_id: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()


class SimulatorRefund(SQLModel, table=True):
    """A refund at the simulated bank. As with charges, a second one with the same reference is accepted."""

    __tablename__ = "simulator_refunds"

    return_id: str = text_column(primary=True)
    environment: str = text_column()
    charge_id: str = text_column()
    external_reference: str = text_column()
    amount: int = money_column()
    status: str = text_column()
    fail_reason: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()


class ProviderCustomer(SQLModel, table=True):
    """The engine's customer id of a payer, cached to save a request. Customers belong to one account; `account_id` is
    empty for the main account.
    """

    __tablename__ = "provider_customers"

    engine: str = text_column(primary=True)
    environment: str = text_column(primary=True)
    account_id: str = text_column(primary=True)
    document: str = text_column(primary=True)
    customer_id: str = text_column()
    created_at: datetime = timestamp_column()


class AccountRefusal(SQLModel, table=True):
    """An account that an engine refuses to serve until an operator acts: its last refusal, and how many there were
    without a day between them. `account_id` is empty for the main account.
    """

    __tablename__ = "account_refusals"

    engine: str = text_column(primary=True)
    environment: str = text_column(primary=True)
    account_id: str = text_column(primary=True)
    reason: str = text_column()
    refusals: int = column(Integer)
    first_at: datetime = timestamp_column()
    last_at: datetime = timestamp_column()


account_refusals = table_of(AccountRefusal)
engine_notifications = table_of(EngineNotification)
provider_customers = table_of(ProviderCustomer)
simulator_accounts = table_of(SimulatorAccount)
simulator_charges = table_of(SimulatorCharge)
simulator_refunds = table_of(SimulatorRefund)
simulator_transfers = table_of(SimulatorTransfer)
