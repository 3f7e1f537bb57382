"""Subscriptions: recurring charges."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Integer, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import (
    column,
    json_object,
    money_column,
    search_column,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class Interval(StrEnum):
    """The unit of time between two charges of a subscription; `interval_count` says how many of them."""

    weekly = "weekly"
    monthly = "monthly"
    quarterly = "quarterly"
    semiannual = "semiannual"
    yearly = "yearly"


MAX_INTERVAL_COUNT = 12


class SubscriptionStatus(StrEnum):
    """The states of a subscription (specification section 3)."""

    active = "active"
    paused = "paused"
    canceled = "canceled"


class Method(StrEnum):
    """How a subscription is paid."""

    pix = "pix"


class Subscription(SQLModel, table=True):
    """A subscription. `next_billing_at` is the next cycle. Its charge stores it as `billing_cycle`, which is unique.

    `anchor_day` is the day of the month to which cycles of months and years return, in the calendar of `utc_offset`
    (minutes east of UTC, as the merchant wrote the date) or, if that is null, of São Paulo. `retry_at`: after a
    failure, the catch-up job skips it until then; a daily or manual run doesn't.
    """

    __tablename__ = "subscriptions"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    customer_id: str | None = uuid_column(optional=True)
    customer_name: str = text_column()
    customer_email: str | None = text_column(optional=True)
    customer_cpf: str | None = text_column(optional=True)
    description: str | None = text_column(optional=True)
    amount: int = money_column()
    method: str = text_column(default="pix")
    interval: str = text_column()
    interval_count: int = column(SmallInteger, default="1")
    status: str = text_column()
    next_billing_at: datetime | None = timestamp_column(optional=True)
    anchor_day: int = column(SmallInteger)
    utc_offset: int | None = column(SmallInteger, optional=True)
    end_date: datetime | None = timestamp_column(optional=True)
    max_cycles: int | None = column(Integer, optional=True)
    cycles_count: int = column(Integer, default="0")
    external_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    search: str = search_column(
        "customer_name", "customer_email", "description", "external_reference", "customer_cpf", "id::text"
    )
    last_failure: str | None = text_column(optional=True)
    retry_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


subscriptions = table_of(Subscription)
