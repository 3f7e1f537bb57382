"""The outbox of mails. A row is written in the transaction of the act that it tells of, and a worker sends it."""

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from sqlalchemy import Column, Index, SmallInteger, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, identifier, json_object, moment, one_of, table_of, text


class MailKind(StrEnum):
    """Every mail that the service writes."""

    payer_receipt = "payer_receipt"
    payment_request = "payment_request"
    merchant_notice = "merchant_notice"
    webhook_endpoint_disabled = "webhook_endpoint_disabled"
    webhook_endpoint_gone = "webhook_endpoint_gone"
    webhook_endpoint_failing = "webhook_endpoint_failing"
    webhook_deliveries_exhausted = "webhook_deliveries_exhausted"
    invitation = "invitation"
    production_approved = "production_approved"
    production_refused = "production_refused"
    production_suspended = "production_suspended"
    withdrawal_requested = "withdrawal_requested"
    withdrawal_rejected = "withdrawal_rejected"
    password_reset = "password_reset"  # noqa: S105  # It names a mail.
    password_changed = "password_changed"  # noqa: S105  # It names a mail.
    two_factor_changed = "two_factor_changed"


class MailState(IntEnum):
    """What has become of one mail."""

    waiting = 0
    sent = 1
    """The relay accepted it."""
    failed = 2
    """The relay refused it for good, or it grew too old."""
    uncertain = 3
    """It was being handed over when the connection or the worker died. It may have been accepted, so it is never sent
    again."""


class Mail(SQLModel, table=True):
    """One mail. `facts` are frozen when it is queued and rendered when it is sent; secrets among them are sealed.

    A lease with its token is the only claim to send it. `handed_at` is written just before the relay is given the
    message: until then a lease that runs out frees the mail, from then on nobody sends it again. `failures` counts what
    the relay said of this very mail; `reply` is the last of it, or why it has not been tried.
    """

    __tablename__ = "mails"
    __table_args__ = (
        one_of("kind", MailKind),
        one_of("environment", Environment),
        UniqueConstraint("dedupe_key", name="uq_mails_dedupe_key"),
        Index("ix_mails_waiting", "next_attempt_at", postgresql_where=sql("state = 0 and handed_at is null")),
        Index("ix_mails_of_test", "user_id", "kind", "created_at", postgresql_where=sql("environment = 'test'")),
        Index("ix_mails_handed", "lease_until", postgresql_where=sql("state = 0 and handed_at is not null")),
    )

    id: str = identifier(primary=True)
    kind: str = text()
    user_id: str = identifier(references="users.id")
    environment: str | None = text(optional=True)
    recipient: str = text()
    recipient_name: str | None = text(optional=True)
    facts: dict[str, Any] = json_object("facts")
    dedupe_key: str = text()
    state: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    failures: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    next_attempt_at: datetime = moment()
    lease_token: str | None = identifier(optional=True)
    lease_until: datetime | None = moment(optional=True)
    handed_at: datetime | None = moment(optional=True)
    reply: str | None = text(optional=True)
    created_at: datetime = moment()
    finished_at: datetime | None = moment(optional=True)


class ChargeSend(SQLModel, table=True):
    """One mail about a charge that its store asked for: what bounds how many there are. It lives for a day."""

    __tablename__ = "charge_sends"
    __table_args__ = (
        Index("ix_charge_sends_charge", "charge_id", "sent_at"),
        Index("ix_charge_sends_recipient", "user_id", "recipient", "sent_at"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier()
    charge_id: str = identifier()
    recipient: str = text()
    sent_at: datetime = moment()


mails = table_of(Mail)
charge_sends = table_of(ChargeSend)
