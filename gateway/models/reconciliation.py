"""Where we and an engine stand apart: which charges are looked at again there, and what differs."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, Index, SmallInteger
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, centavos, identifier, moment, one_of, table_of, text
from gateway.models.charges import ChargeStatus


class DifferenceKind(StrEnum):
    """What differs between us and an engine, about one charge."""

    amount = "amount"
    """What was paid there isn't what we asked for."""
    status = "status"
    """It is paid or refunded here, and not there."""
    missing = "missing"
    """The engine has no such charge."""
    payable = "payable"
    """It is expired or canceled here, and can still be paid there."""
    mistaken = "mistaken"
    """What the engine has under its id is a charge of another reference."""
    partial_refund = "partial_refund"
    """The engine tells that a part of the money went back."""
    chargeback = "chargeback"
    """The engine tells that the payment is disputed."""
    unclaimed = "unclaimed"
    """The engine was paid for an order that has no charge: whoever ordered was told that it failed."""


COMPARED = (
    DifferenceKind.amount,
    DifferenceKind.status,
    DifferenceKind.missing,
    DifferenceKind.payable,
    DifferenceKind.mistaken,
)
"""What a look at the engine finds, and so finds to be over. The others are only told, and end when staff says so."""


class Resolution(StrEnum):
    """How a difference came to its end."""

    mended = "mended"
    """It differs no longer."""
    staff = "staff"
    """Somebody has dealt with it."""


class ChargeCheck(SQLModel, table=True):
    """A charge that will be looked at again at its engine, not before `next_at`: one that nobody has paid for long, one
    that has expired, one whose EndToEndId is missing, one that differs. What is settled has no row.

    `looks` counts the answers since its state last changed, `failures` the calls without an answer since the last one.
    """

    __tablename__ = "charge_checks"
    __table_args__ = (one_of("environment", Environment), Index("ix_charge_checks_next_at", "environment", "next_at"))

    charge_id: str = identifier(primary=True)
    environment: str = text()
    looks: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    failures: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    next_at: datetime = moment()


class Difference(SQLModel, table=True):
    """One thing that differs about one charge and doesn't mend itself. It is open until `resolved_at`; of a charge and
    a kind there is one open row. `charge_status` and `engine_status` are as last seen, at `seen_at`. Of what is
    `unclaimed` there is no charge: `charge_id` is the one that the engine was told, and neither txid nor status exist.
    """

    __tablename__ = "differences"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("kind", DifferenceKind),
        one_of("charge_status", ChargeStatus),
        one_of("resolution", Resolution),
        CheckConstraint("(resolved_at is null) = (resolution is null)", name="resolved"),
        Index("uq_differences_open", "charge_id", "kind", unique=True, postgresql_where=sql("resolved_at is null")),
        Index("ix_differences_charge", "charge_id"),
        Index("ix_differences_created_at", "created_at", "id"),
        Index("ix_differences_waiting", "created_at", "id", postgresql_where=sql("resolved_at is null")),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    environment: str = text()
    charge_id: str = identifier()
    txid: str | None = text(optional=True)
    engine: str = text()
    engine_id: str = text()
    kind: str = text()
    charge_status: str | None = text(optional=True)
    engine_status: str | None = text(optional=True)
    amount: int = centavos()
    engine_amount: int | None = centavos(optional=True)
    event: str | None = text(optional=True)
    created_at: datetime = moment()
    seen_at: datetime = moment()
    resolved_at: datetime | None = moment(optional=True)
    resolution: str | None = text(optional=True)
    resolved_by_id: str | None = identifier(optional=True)
    resolved_by_name: str | None = text(optional=True)
    note: str | None = text(optional=True)


charge_checks = table_of(ChargeCheck)
differences = table_of(Difference)
