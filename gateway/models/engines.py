"""What engines have told us, and the simulator's own books."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, Index, Integer, LargeBinary, SmallInteger, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, centavos, identifier, moment, not_negative, one_of, table_of, text


class NoticeOutcome(StrEnum):
    """What became of an inbound notice."""

    received = "received"
    applied = "applied"
    ignored = "ignored"
    mismatch = "mismatch"


class Track(StrEnum):
    """Where one track of a receiving account's approval stands (specification section 2, `aprovacao`)."""

    missing = "PENDING"
    """Something has to be sent."""
    under_review = "AWAITING_APPROVAL"
    approved = "APPROVED"
    rejected = "REJECTED"


class TransferState(StrEnum):
    """Where a transfer stands at the engine. The last two are final."""

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


class EngineNotice(SQLModel, table=True):
    """One inbound notice, stored once by the engine's own event id before anything is done about it. While nobody could
    judge it (`received`), it is looked at again after `retry_after`; before that, a repetition isn't looked at either.
    """

    __tablename__ = "engine_notices"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("outcome", NoticeOutcome),
        UniqueConstraint("engine", "environment", "event_id", name="uq_engine_notices_engine"),
        Index("ix_engine_notices_received_at", "received_at"),
        Index("ix_engine_notices_waiting", "retry_after", postgresql_where=sql("outcome = 'received'")),
    )

    id: str = identifier(primary=True)
    engine: str = text()
    environment: str = text()
    event_id: str = text()
    event: str = text()
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    outcome: str = text(default=NoticeOutcome.received)
    detail: str | None = text(optional=True)
    charge_id: str | None = identifier(optional=True)
    attempts: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    retry_after: datetime = moment()
    received_at: datetime = moment()


class SimulatorCharge(SQLModel, table=True):
    """A charge as the simulated bank sees it. `external_reference` is our charge's id; like a real bank, the simulator
    does not refuse a second charge with the same one, so that a gateway that doubles a charge is caught doing it.
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
    """A merchant's account at the simulated bank, and how far its approval is. Of its secret there is only a hash."""

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
    """Money out of the simulated bank. Without an `account_id` it left the service's main account. As with charges, a
    second one with the same reference is not refused.
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


class EnginePayer(SQLModel, table=True):
    """A payer as an engine knows them, so that a known one costs no question. `account_id` is empty for the main
    account; payers of one account mean nothing to another.
    """

    __tablename__ = "engine_payers"
    __table_args__ = (one_of("environment", Environment),)

    engine: str = text(primary=True)
    environment: str = text(primary=True)
    account_id: str = text(primary=True)
    document: str = text(primary=True)
    payer_id: str = text()
    created_at: datetime = moment()


class AccountRefusal(SQLModel, table=True):
    """An account that an engine refuses to serve until somebody mends it: its last refusal, and how many there were in
    a row of days. `account_id` is empty for the main account.
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
engine_notices = table_of(EngineNotice)
engine_payers = table_of(EnginePayer)
simulator_accounts = table_of(SimulatorAccount)
simulator_charges = table_of(SimulatorCharge)
simulator_transfers = table_of(SimulatorTransfer)
