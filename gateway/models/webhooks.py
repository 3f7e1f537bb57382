"""The webhook outbox: endpoints and their health, events, deliveries and attempts.

Events and deliveries are inserted in the transaction of the state change that they report. Health has a table of its
own, which only the worker writes, so that no payment waits for a row that all payments of a store share.
"""

from datetime import datetime
from enum import IntEnum, StrEnum

from sqlalchemy import Boolean, Integer, LargeBinary, SmallInteger, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import SQLModel

from gateway.models.base import column, encrypted, json_object, table_of, text_column, timestamp_column, uuid_column

RETENTION_DAYS = 30
"""Events and their deliveries are stored at least this long. Then their monthly partition is dropped."""
TEST_RECEIVER_URL = "gateway:test-receiver"
"""The URL of a test receiver: an endpoint inside the gateway, which answers 200. No request leaves for it."""


class EventType(StrEnum):
    """The catalogue of events (specification section 6): exactly five."""

    charge_created = "charge.created"
    charge_paid = "charge.paid"
    subscription_charged = "subscription.charged"
    withdrawal_completed = "withdrawal.completed"
    withdrawal_rejected = "withdrawal.rejected"


class DeliveryState(IntEnum):
    """The state of a delivery."""

    due = 0
    delivered = 1
    exhausted = 2
    canceled = 3


class DisabledReason(StrEnum):
    """Why the service disabled an endpoint."""

    gone = "gone"
    """It answered 410."""
    failing = "failing"
    """No delivery succeeded for days."""


class CanceledReason(StrEnum):
    """Why a delivery was canceled: the state of its endpoint."""

    gone = "gone"
    """It answered 410."""
    failing = "failing"
    """The service disabled it after days without a success."""
    inactive = "inactive"
    """Its merchant switched it off."""


class WebhookEndpoint(SQLModel, table=True):
    """A merchant's URL for events. Secrets are encrypted at rest; empty `events` means all.

    `disabled_at`: since when it is inactive. `disabled_reason` is set if the service switched it off, and null if the
    merchant did. `expires_at`: when a test receiver is deleted. `deleted_at`: hidden from the merchant; maintenance
    deletes its log in batches and then the row.
    """

    __tablename__ = "webhook_endpoints"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    name: str = text_column()
    url: str = text_column()
    secret: bytes = encrypted()
    secret_preview: str = text_column()
    previous_secret: bytes | None = encrypted(optional=True)
    previous_secret_until: datetime | None = timestamp_column(optional=True)
    events: list[str] = column(ARRAY(Text), default="{}")
    version: str = text_column(default="v1")
    active: bool = column(Boolean, default="true")
    disabled_reason: str | None = text_column(optional=True)
    disabled_at: datetime | None = timestamp_column(optional=True)
    expires_at: datetime | None = timestamp_column(optional=True)
    deleted_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


class WebhookEndpointHealth(SQLModel, table=True):
    """The failures of an endpoint, and the alerts about them that were sent.

    `last_attempt_at` may be a minute old. `last_alert_hours`: after how many hours without a success the last warning
    was sent, 0 for none. `exhausted_notified_until`: deliveries exhausted before it were counted in an email.
    """

    __tablename__ = "webhook_endpoint_health"

    endpoint_id: str = uuid_column(primary=True, references="webhook_endpoints.id")
    consecutive_failures: int = column(Integer, default="0")
    degraded: bool = column(Boolean, default="false")
    first_failure_at: datetime | None = timestamp_column(optional=True)
    last_success_at: datetime | None = timestamp_column(optional=True)
    last_attempt_at: datetime | None = timestamp_column(optional=True)
    last_alert_hours: int = column(SmallInteger, default="0")
    exhausted_notified_until: datetime | None = timestamp_column(optional=True)


class WebhookEvent(SQLModel, table=True):
    """One event. `body` holds the exact bytes that are signed and sent, on every attempt.

    `dedupe_key` is the event's name and the id of what it is about, `charge.paid:…`; of a test event it is `test:…`.
    It is unique within a monthly partition. Across months an event is emitted once, because the statement that changes
    the status of a row also inserts its event.
    """

    __tablename__ = "webhook_events"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    type: str = text_column()
    body: bytes = column(LargeBinary)
    dedupe_key: str = text_column()
    created_at: datetime = timestamp_column()


class WebhookDelivery(SQLModel, table=True):
    """One event on its way to one endpoint. Only the worker that holds its lease may send it.

    `attempts` counts the claims and numbers the attempts. `failures` counts the failed ones since the schedule began; a
    redelivery sets it to zero. An attempt that died with its worker is no failure, but a row of them is.

    It is in the same monthly partition as its event, so both are dropped together. No foreign key points from one
    partitioned table to another: it would prevent dropping a partition.
    """

    __tablename__ = "webhook_deliveries"

    event_id: str = uuid_column(primary=True)
    endpoint_id: str = uuid_column(primary=True, references="webhook_endpoints.id")
    id: str = uuid_column(generated=True)
    state: int = column(SmallInteger, default="0")
    attempts: int = column(SmallInteger, default="0")
    failures: int = column(SmallInteger, default="0")
    next_attempt_at: datetime = timestamp_column()
    lease_token: str | None = uuid_column(optional=True)
    lease_until: datetime | None = timestamp_column(optional=True)
    last_status: int | None = column(SmallInteger, optional=True)
    last_error: str | None = text_column(optional=True)
    canceled_reason: str | None = text_column(optional=True)
    created_at: datetime = timestamp_column()
    finished_at: datetime | None = timestamp_column(optional=True)


class WebhookAttempt(SQLModel, table=True):
    """One request that was sent, or refused before. `response` is bytes: receivers send NUL and invalid UTF-8.

    `request_headers` are those that the gateway signs and sends, `response_headers` the first 4 KiB of the receiver's.
    """

    __tablename__ = "webhook_attempts"

    delivery_id: str = uuid_column(primary=True)
    number: int = column(SmallInteger, primary=True)
    started_at: datetime = timestamp_column()
    duration_ms: int = column(Integer)
    address: str | None = text_column(optional=True)
    status: int | None = column(SmallInteger, optional=True)
    error_code: str | None = text_column(optional=True)
    request_headers: dict[str, str] = json_object("request_headers")
    response_headers: dict[str, str] = json_object("response_headers")
    response: bytes | None = column(LargeBinary, optional=True)


webhook_endpoints = table_of(WebhookEndpoint)
webhook_endpoint_health = table_of(WebhookEndpointHealth)
webhook_events = table_of(WebhookEvent)
webhook_deliveries = table_of(WebhookDelivery)
webhook_attempts = table_of(WebhookAttempt)
