"""Test clocks of stores. A store without a row uses the real clock."""

from datetime import datetime, timedelta

from sqlalchemy import Integer, Interval
from sqlalchemy import text as sql
from sqlmodel import SQLModel

from gateway.models.base import column, table_of, timestamp_column, uuid_column


class StoreClock(SQLModel, table=True):
    """The clock of a store's test environment: `time_offset` ahead of real time. Live has no such clock.

    During an advance to `target_time` it is frozen at `frozen_time`, and a worker holds the lease. `webhook_wait_ms`:
    how long the advance may still wait for webhooks. A trigger copies offset and frozen time to `users`.
    """

    __tablename__ = "test_clocks"

    store_id: str = uuid_column(primary=True, references="users.id")
    time_offset: timedelta = column(Interval, default=sql("interval '0'"))
    frozen_time: datetime | None = timestamp_column(optional=True)
    target_time: datetime | None = timestamp_column(optional=True)
    webhook_wait_ms: int = column(Integer, default="0")
    lease_token: str | None = uuid_column(optional=True)
    lease_until: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


test_clocks = table_of(StoreClock)
