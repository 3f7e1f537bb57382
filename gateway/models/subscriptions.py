"""Subscriptions: recurring charges."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Column, Index, Integer, SmallInteger, func
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    json_object,
    money_column,
    one_of,
    search_column,
    search_index,
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


NEXT_BILLING_SORT_KEY = func.coalesce(sql("next_billing_at"), sql("'0001-01-02 00:00:00+00'::timestamptz"))
"""The sort key in lists: a subscription without a date comes first."""
HAS_ACTIVE_REFERENCE = sql("external_reference is not null and status <> 'canceled'")


class Subscription(SQLModel, table=True):
    """A subscription. `next_billing_at` is the next cycle. Its charge stores it as `billing_cycle`, which is unique.

    `anchor_day` is the day of the month to which cycles of months and years return, in the calendar of `utc_offset`
    (minutes east of UTC, as the merchant wrote the date) or, if that is null, of São Paulo. `retry_at`: after a
    failure, the catch-up job skips it until then; a daily or manual run doesn't.
    """

    __tablename__ = "subscriptions"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("status", SubscriptionStatus),
        one_of("interval", Interval),
        CheckConstraint(f"interval_count between 1 and {MAX_INTERVAL_COUNT}", name="interval_count"),
        one_of("method", Method),
        CheckConstraint("amount > 0", name="amount"),
        CheckConstraint("anchor_day between 1 and 31", name="anchor_day"),
        CheckConstraint("max_cycles > 0", name="max_cycles"),
        CheckConstraint("cycles_count >= 0", name="cycles_count"),
        *(
            Index(f"ix_subscriptions_{name}", "user_id", "environment", position, "id", postgresql_include=["status"])
            for name, position in (
                ("created_at", "created_at"),
                ("updated_at", "updated_at"),
                ("amount", "amount"),
                ("next_billing_at", NEXT_BILLING_SORT_KEY),
            )
        ),
        Index("ix_subscriptions_status", "user_id", "environment", "status", "created_at", "id"),
        Index(
            *("ix_subscriptions_failing", "user_id", "environment", "created_at", "id"),
            postgresql_where=sql("status = 'active' and last_failure is not null"),
        ),
        search_index("subscriptions"),
        Index("ix_subscriptions_customer", "customer_id", postgresql_where=sql("customer_id is not null")),
        Index(
            "ix_subscriptions_due", "environment", "next_billing_at", "id", postgresql_where=sql("status = 'active'")
        ),
        Index(
            "uq_subscriptions_external_reference",
            "user_id",
            "environment",
            "external_reference",
            unique=True,
            postgresql_where=HAS_ACTIVE_REFERENCE,
        ),
    )

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
    interval_count: int = Field(default=1, sa_column=Column(SmallInteger, nullable=False, server_default="1"))
    status: str = text_column()
    next_billing_at: datetime | None = timestamp_column(optional=True)
    anchor_day: int = Field(sa_column=Column(SmallInteger, nullable=False))
    utc_offset: int | None = Field(default=None, sa_column=Column(SmallInteger, nullable=True))
    end_date: datetime | None = timestamp_column(optional=True)
    max_cycles: int | None = Field(default=None, sa_column=Column(Integer, nullable=True))
    cycles_count: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
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
