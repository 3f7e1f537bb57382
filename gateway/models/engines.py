"""Notifications of payment engines, what is cached of them, and the simulator's tables."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, Index, Integer, LargeBinary, SmallInteger, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, centavos, identifier, moment, not_negative, one_of, table_of, text


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
    handled stays `received` and is retried after `retry_after`; until then, repetitions are ignored.
    """

    __tablename__ = "engine_notifications"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("outcome", NotificationOutcome),
        UniqueConstraint("engine", "environment", "event_id", name="uq_engine_notifications_engine"),
        Index("ix_engine_notifications_received_at", "received_at"),
        Index("ix_engine_notifications_waiting", "retry_after", postgresql_where=sql("outcome = 'received'")),
    )

    id: str = identifier(primary=True)
    engine: str = text()
    environment: str = text()
    event_id: str = text()
    event: str = text()
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    outcome: str = text(default=NotificationOutcome.received)
    detail: str | None = text(optional=True)
    charge_id: str | None = identifier(optional=True)
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    retry_after: datetime = moment()
    received_at: datetime = moment()


class SimulatorCharge(SQLModel, table=True):
    """A charge at the simulated bank. `external_reference` is our charge's id. Like a real bank, the simulator accepts
    a second charge with the same reference, so tests detect duplicates.
    """

    __tablename__ = "simulator_charges"
    __table_args__ = (
        one_of("environment", Environment),
        not_negative("fee"),
        Index("ix_simulator_charges_external_reference", "environment", "external_reference"),
    )

    id: str = text(primary=True)
    environment: str = text()
    external_reference: str = text()
    amount: int = centavos()
    status: str = text(default="PENDING")
    br_code: str = text()
    paid_amount: int | None = centavos(optional=True)
    end_to_end_id: str | None = text(optional=True)
    paid_at: datetime | None = moment(optional=True)
    created_at: datetime = moment()
    account_id: str | None = text(optional=True)
    fee: int = centavos(default="0")


class SimulatorAccount(SQLModel, table=True):
    """A merchant's account at the simulated bank, with its approval. Only a hash of its secret is stored."""

    __tablename__ = "simulator_accounts"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("general", Track),
        one_of("commercial", Track),
        one_of("bank", Track),
        one_of("documents", Track),
        UniqueConstraint("environment", "document", name="uq_simulator_accounts_document"),
    )

    id: str = text(primary=True)
    environment: str = text()
    document: str = text()
    name: str = text()
    wallet_id: str = text()
    secret_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    general: str = text(default=Track.missing)
    commercial: str = text(default=Track.under_review)
    bank: str = text(default=Track.missing)
    documents: str = text(default=Track.missing)
    rejection: str | None = text(optional=True)
    created_at: datetime = moment()


class SimulatorTransfer(SQLModel, table=True):
    """A transfer out of the simulated bank. Without an `account_id` it left the service's main account. As with
    charges, a second one with the same reference is accepted.
    """

    __tablename__ = "simulator_transfers"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("status", TransferState),
        one_of("pix_key_type", PixKeyType),
        CheckConstraint("amount > 0", name="amount"),
        Index("ix_simulator_transfers_external_reference", "environment", "external_reference"),
    )

    id: str = text(primary=True)
    environment: str = text()
    account_id: str | None = text(optional=True)
    external_reference: str = text()
    amount: int = centavos()
    pix_key: str = text()
    pix_key_type: str = text()
    status: str = text(default=TransferState.pending)
    fail_reason: str | None = text(optional=True)
    end_to_end_id: str | None = text(optional=True)
    created_at: datetime = moment()


class ProviderCustomer(SQLModel, table=True):
    """The engine's customer id of a payer, cached to save a request. Customers belong to one account; `account_id` is
    empty for the main account.
    """

    __tablename__ = "provider_customers"
    __table_args__ = (one_of("environment", Environment),)

    engine: str = text(primary=True)
    environment: str = text(primary=True)
    account_id: str = text(primary=True)
    document: str = text(primary=True)
    customer_id: str = text()
    created_at: datetime = moment()


class AccountRefusal(SQLModel, table=True):
    """An account that an engine refuses to serve until an operator acts: its last refusal, and how many there were
    without a day between them. `account_id` is empty for the main account.
    """

    __tablename__ = "account_refusals"
    __table_args__ = (one_of("environment", Environment),)

    engine: str = text(primary=True)
    environment: str = text(primary=True)
    account_id: str = text(primary=True)
    reason: str = text()
    refusals: int = Field(sa_column=Column(Integer, nullable=False))
    first_at: datetime = moment()
    last_at: datetime = moment()


account_refusals = table_of(AccountRefusal)
engine_notifications = table_of(EngineNotification)
provider_customers = table_of(ProviderCustomer)
simulator_accounts = table_of(SimulatorAccount)
simulator_charges = table_of(SimulatorCharge)
simulator_transfers = table_of(SimulatorTransfer)
