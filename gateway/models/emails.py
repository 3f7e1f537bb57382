"""The outbox of emails. An operation inserts a row in its transaction, and a worker sends it."""

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from sqlalchemy import SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, json_object, table_of, text_column, timestamp_column, uuid_column


class EmailKind(StrEnum):
    """The kinds of emails."""

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
    payer_refund = "payer_refund"
    refund_rejected = "refund_rejected"
    password_reset = "password_reset"  # noqa: S105  # It names an email.
    password_changed = "password_changed"  # noqa: S105  # It names an email.
    two_factor_changed = "two_factor_changed"


class EmailState(IntEnum):
    """The state of an email."""

    waiting = 0
    sent = 1
    """The relay accepted it."""
    failed = 2
    """The relay rejected it, or it is too old."""
    uncertain = 3
    """The connection or the worker died during sending. The relay may have accepted it, so it is never sent
    again."""


class Email(SQLModel, table=True):
    """One email. `template_data` is stored when it is enqueued and rendered when it is sent; its secrets are encrypted.

    A worker claims it by a lease with a token. `sent_at` is set just before the message is sent: until then an expired
    lease releases the email, and from then on it is never sent again. `failures` counts rejections of this email.
    `smtp_response` is the relay's last response, or the reason why it was not attempted.
    """

    __tablename__ = "emails"

    id: str = uuid_column(primary=True)
    kind: str = text_column()
    user_id: str = uuid_column(references="users.id")
    environment: str | None = text_column(optional=True)
    recipient: str = text_column()
    recipient_name: str | None = text_column(optional=True)
    template_data: dict[str, Any] = json_object("template_data")
    dedupe_key: str = text_column()
    state: int = column(SmallInteger, default="0")
    failures: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    lease_token: str | None = uuid_column(optional=True)
    lease_until: datetime | None = timestamp_column(optional=True)
    sent_at: datetime | None = timestamp_column(optional=True)
    smtp_response: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()
    finished_at: datetime | None = timestamp_column(optional=True)


class ChargeSend(SQLModel, table=True):
    """One email about a charge, sent by its store. The rows limit how many there are, and are deleted after a day."""

    __tablename__ = "charge_sends"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column()
    charge_id: str = uuid_column()
    recipient: str = text_column()
    sent_at: datetime = timestamp_column()


emails = table_of(Email)
charge_sends = table_of(ChargeSend)
