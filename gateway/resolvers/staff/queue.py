"""The order in which staff works: who waits for a decision comes first, the oldest request before all others."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import field
from sqlalchemy import BigInteger, Column, ColumnElement, case, cast, extract, func, literal_column

from gateway.models.accounts import ProductionStatus, users
from gateway.resolvers.core.listing.cursors import Order
from gateway.resolvers.core.views import View
from gateway.resolvers.staff.inputs import MerchantOrder

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER_ALL = 10**17
"""Microseconds: the year 5138. Who doesn't wait stands before it by as much as their account is younger than 1970."""


class QueueOrder(Order, frozen=True):
    """By one number: of those who wait, the microsecond of their request; then all others, the newest account first."""

    column: Column[Any] = field(default_factory=lambda: Column("queue", BigInteger, nullable=False))
    descending: bool = False

    @property
    def name(self) -> str:
        return MerchantOrder.queue.value

    @property
    def expression(self) -> ColumnElement[Any]:
        waits = users.c.production_status == ProductionStatus.pending.value
        since = func.coalesce(users.c.production_requested_at, users.c.created_at)
        later = literal_column(str(_AFTER_ALL), BigInteger) - _microsecond(users.c.created_at)
        return case((waits, _microsecond(since)), else_=later)

    def position(self, view: View) -> int:
        row: Any = view
        if row.production_status == ProductionStatus.pending:
            return _microsecond_of(row.production_requested_at or row.created_at)
        return _AFTER_ALL - _microsecond_of(row.created_at)


def _microsecond(moment: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(extract("epoch", moment) * literal_column("1000000"), BigInteger)


def _microsecond_of(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
