"""Orders, and cursors: where a row stands in an order, opaque to callers, checked as all that comes back from them is.

A cursor is the base64url text of `[sort, value, id]`. It names the order it belongs to, because in another order it
would point nowhere; it holds no secret and grants nothing, since every query keeps to the caller's store.
"""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson
from msgspec import Struct
from sqlalchemy import BigInteger, Column, ColumnElement, DateTime, Text, collate, func, literal_column

from gateway.dates import read_beginning
from gateway.errors import InvalidInput
from gateway.ids import is_id
from gateway.resolvers.views import View

LONGEST = 2000
_BEFORE_ALL = datetime(1, 1, 2, tzinfo=UTC)
"""Not the first of January: asyncpg writes the smallest datetime as `-infinity`, which
the statement's moment is not.
"""
BEFORE_ALL: ColumnElement[datetime] = literal_column("'0001-01-02 00:00:00+00'::timestamptz")
"""Where lists put a moment that is missing, if no other one stands in for it."""
HAD: ColumnElement[datetime] = literal_column("'1000-01-01 00:00:00+00'::timestamptz")
"""What moments that are missing stand before in any case, and all others after."""
_EARLIER = timedelta(days=720_000)
"""By so much is a moment moved that stands in for one that is missing: from this century to the first one."""
_LATER: ColumnElement[timedelta] = literal_column(f"interval '{_EARLIER // timedelta(hours=1)} hours'")
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
_UTC: ColumnElement[str] = literal_column("'UTC'")


class Order(Struct, frozen=True):
    """A total order: by one column, and by id where that ties. A moment that is missing comes before all others; where
    another moment of the row stands in for it, `instead`, these are in the order of that one.
    """

    column: Column[Any]
    descending: bool = True
    instead: Column[Any] | None = None

    @property
    def name(self) -> str:
        """As `sort` says it: `-created_at`."""
        return f"-{self.column.name}" if self.descending else self.column.name

    @property
    def expression(self) -> ColumnElement[Any]:
        if not self.column.nullable:
            return self.column
        return func.coalesce(self.column, BEFORE_ALL if self.instead is None else self.moved(self.instead))

    def told(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Where a row with this value stands, a value that isn't missing."""
        return value

    def cursor(self, view: View) -> str:
        """The cursor of a row of a list in this order."""
        content = orjson.dumps([self.name, self.place(view), view.id])  # type: ignore[attr-defined]  # what is listed has an id.
        return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

    def place(self, view: View) -> Any:
        """Where a row stands, as its cursor says it: the value of the column, or that of the one that stands in, with
        its name.
        """
        value, instead = getattr(view, self.column.name), self.instead
        return {instead.name: getattr(view, instead.name)} if value is None and instead is not None else value

    def moved(self, moment: ColumnElement[Any]) -> ColumnElement[Any]:
        """Where a moment stands in for one that is missing, as an index has it, which takes no arithmetic that a time
        zone might change.
        """
        days: ColumnElement[timedelta] = literal_column(f"interval '{_EARLIER.days} days'")
        return func.timezone(_UTC, func.timezone(_UTC, moment) - days, type_=moment.type)

    def unmoved(self, place: Any) -> Any:
        """A place of this order, in that of the moment that stands in."""
        return place + min(_EARLIER, _LATEST - place)

    def unmoved_in(self, place: ColumnElement[Any]) -> ColumnElement[Any]:
        """The same, in SQL."""
        return place + _LATER

    def read(self, cursor: str, field: str) -> tuple[Any, str]:
        """The value and id that a cursor stands at. Raises `InvalidInput` for `field`."""
        try:
            name, value, row_id = orjson.loads(base64.urlsafe_b64decode(cursor[:LONGEST] + "=="))
            place = self._read_value(value)
        except (ValueError, TypeError, OverflowError):
            name = place = row_id = None
        if name != self.name or not isinstance(row_id, str) or not is_id(row_id):
            raise InvalidInput((field, "cursor inválido para esta lista e ordem"))
        return place, row_id

    def _read_value(self, value: Any) -> Any:
        if isinstance(self.column.type, DateTime):
            if self.instead is not None and isinstance(value, dict):
                return read_beginning(value.get(self.instead.name)).astimezone(UTC) - _EARLIER
            takes_none = self.column.nullable and self.instead is None
            return _BEFORE_ALL if value is None and takes_none else read_beginning(value).astimezone(UTC)
        if isinstance(self.column.type, BigInteger):
            if type(value) is int and abs(value) < 2**62:
                return value
        elif isinstance(value, str) and "\x00" not in value:
            return value
        raise ValueError("no value of this column")


class ByName(Order, frozen=True):
    """By a column of names, as people look for them, so that letter case and accents make no difference, and the same
    on every machine (ADR 0045).
    """

    @property
    def expression(self) -> ColumnElement[Any]:
        return self.told(self.column)

    def told(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return collate(func.name_order(value, type_=Text()), "C")


def by_name(column: Column[Any]) -> tuple[Order, Order]:
    """Both directions."""
    return ByName(column, descending=False), ByName(column)


class Bounds(NamedTuple):
    """Between which cursors (`:after, :after_id` and `:before, :before_id`) and from which end rows are read."""

    after: bool = False
    before: bool = False
    backward: bool = False

    def descends(self, order: Order) -> bool:
        """Whether rows of this order are read from its greatest on."""
        return order.descending != self.backward


EVERYTHING = Bounds()
