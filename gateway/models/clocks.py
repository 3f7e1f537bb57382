"""The clocks of test stores that their merchants have moved ahead. No row: the store goes by real time."""

from datetime import datetime, timedelta

from sqlalchemy import CheckConstraint, Column, Index, Integer, Interval
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, moment, table_of


class StoreClock(SQLModel, table=True):
    """The clock of one store's test environment. There is no column for an environment, so there is none for live.

    It goes on by itself, `ahead` of real time; while it is being moved to its `target`, it stands at `stands_at`. The
    lease is that of the worker that moves it. `patience_ms` is how long that may still wait for webhooks on their way.
    A trigger copies where the clock is to the store's holder in `users`.
    """

    __tablename__ = "test_clocks"
    __table_args__ = (
        CheckConstraint("ahead >= interval '0'", name="ahead"),
        CheckConstraint("(stands_at is null) = (target is null)", name="stands_at"),
        CheckConstraint("(lease_token is null) = (lease_until is null)", name="lease"),
        Index("ix_test_clocks_advancing", "updated_at", "store_id", postgresql_where=sql("target is not null")),
    )

    store_id: str = identifier(primary=True, references="users.id")
    ahead: timedelta = Field(sa_column=Column(Interval, nullable=False, server_default=sql("interval '0'")))
    stands_at: datetime | None = moment(optional=True)
    target: datetime | None = moment(optional=True)
    patience_ms: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    lease_token: str | None = identifier(optional=True)
    lease_until: datetime | None = moment(optional=True)
    created_at: datetime = moment()
    updated_at: datetime = moment()


test_clocks = table_of(StoreClock)
