"""Sort orders and cursors. A cursor is the base64url text of `[sort, value, id]`, the position of a row.

It names its order, because it is valid only there. It has no secret and grants no access: every query is limited to the
caller's store.
"""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson
from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Integer,
    Text,
    bindparam,
    collate,
    func,
    literal_column,
    tuple_,
)
from sqlalchemy.types import TypeEngine

from gateway.errors import InvalidInput
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT, Slice
from gateway.resolvers.core.views import View
from gateway.values.dates import read_beginning
from gateway.values.ids import is_id

MAX_LENGTH = 2000
_NO_TIME = datetime(1, 1, 2, tzinfo=UTC)
"""The sort key of a missing timestamp. Not `datetime.min`, which asyncpg writes as `-infinity`."""
_NO_TIME_SQL: ColumnElement[datetime] = literal_column("'0001-01-02 00:00:00+00'::timestamptz")
_SHIFT = timedelta(days=720_000)
"""The shift of a substitute for a missing timestamp, so that it sorts first."""
_UTC: ColumnElement[str] = literal_column("'UTC'")


class Order(Struct, frozen=True):
    """A total order: by one column, and by id where that ties.

    A missing timestamp comes before all others. With `instead`, rows without it are in the order of that column.
    """

    column: Column[Any]
    descending: bool = True
    instead: Column[Any] | None = None

    @property
    def name(self) -> str:
        """The value of `sort`, such as `-created_at`."""
        return f"-{self.column.name}" if self.descending else self.column.name

    @property
    def expression(self) -> ColumnElement[Any]:
        if not self.column.nullable:
            return self.column
        return func.coalesce(self.column, _NO_TIME_SQL if self.instead is None else _shifted(self.instead))

    def comparable(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """A bound value in the form that `expression` compares."""
        return value

    def position(self, view: View) -> Any:
        """The position of a row, for its cursor."""
        value, instead = getattr(view, self.column.name), self.instead
        return {instead.name: getattr(view, instead.name)} if value is None and instead is not None else value

    def cursor(self, view: View) -> str:
        """The cursor of a row of a list in this order."""
        content = orjson.dumps([self.name, self.position(view), view.id])  # type: ignore[attr-defined]  # Rows of lists have an id.
        return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

    def read(self, cursor: str, field: str) -> tuple[Any, str]:
        """The value and id of a cursor. Raises `InvalidInput` for `field`."""
        try:
            name, value, row_id = orjson.loads(base64.urlsafe_b64decode(cursor[:MAX_LENGTH] + "=="))
            position = self._read_value(value)
        except (ValueError, TypeError, OverflowError):
            name = position = row_id = None
        if name != self.name or not isinstance(row_id, str) or not is_id(row_id):
            raise InvalidInput((field, "cursor inválido para esta lista e ordem"))
        return position, row_id

    def _read_value(self, value: Any) -> Any:
        if isinstance(self.column.type, DateTime):
            if self.instead is not None and isinstance(value, dict):
                return read_beginning(value.get(self.instead.name)).astimezone(UTC) - _SHIFT
            may_miss = self.column.nullable and self.instead is None
            return _NO_TIME if value is None and may_miss else read_beginning(value).astimezone(UTC)
        if isinstance(self.column.type, Integer):
            bits = 62 if isinstance(self.column.type, BigInteger) else 31
            if type(value) is int and abs(value) < 2**bits:
                return value
        elif isinstance(value, str) and "\x00" not in value:
            return value
        raise ValueError("no value of this column")

    def sorted(
        self, position: ColumnElement[Any], row_id: ColumnElement[Any], *, backward: bool = False
    ) -> Sequence[Any]:
        """The `order by` expressions."""
        down = self.descending != backward
        return (position.desc(), row_id.desc()) if down else (position, row_id)


class NameOrder(Order, frozen=True):
    """By names, without regard to letter case and accents, the same on every machine."""

    @property
    def expression(self) -> ColumnElement[Any]:
        return self.comparable(self.column)

    def comparable(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return collate(func.normalize_search_text(value, type_=Text()), "C")


def by_name(column: Column[Any]) -> tuple[Order, Order]:
    """Both directions."""
    return NameOrder(column, descending=False), NameOrder(column)


def _shifted(timestamp: Column[Any]) -> ColumnElement[Any]:
    # In UTC: an index expression must not depend on the session's time zone.
    days: ColumnElement[timedelta] = literal_column(f"interval '{_SHIFT.days} days'")
    return func.timezone(_UTC, func.timezone(_UTC, timestamp) - days, type_=timestamp.type)


class Bounds(NamedTuple):
    """Whether a window begins after a cursor, ends before one, and is read from its end."""

    after: bool = False
    before: bool = False
    backward: bool = False

    def conditions(self, order: Order, row_id: Column[Any]) -> list[ColumnElement[bool]]:
        """The keyset conditions; they bind `after`, `after_id`, `before` and `before_id`."""
        row, kind = tuple_(order.expression, row_id), order.expression.type
        found = []
        if self.after:
            cursor = _bound(order, "after", kind, row_id)
            found.append(row < cursor if order.descending else row > cursor)
        if self.before:
            cursor = _bound(order, "before", kind, row_id)
            found.append(row > cursor if order.descending else row < cursor)
        return found


UNBOUNDED = Bounds()


def _bound(order: Order, name: str, kind: TypeEngine[Any], row_id: Column[Any]) -> ColumnElement[Any]:
    return tuple_(order.comparable(bindparam(name, type_=kind)), bindparam(f"{name}_id", type_=row_id.type))


class Window(Struct, frozen=True):
    """A slice by cursor, validated. `values` are those of its cursors."""

    size: int
    bounds: Bounds
    values: dict[str, Any]

    @property
    def limit(self) -> int:
        """One row more than returned, to know whether there are more."""
        return self.size + 1

    @classmethod
    def of(cls, order: Order, requested: Slice) -> "Window":
        """Raises `InvalidInput` for a size out of range and for the cursor of another list or order."""
        size, backward = _size(requested)
        values: dict[str, Any] = {}
        for end, cursor in (("after", requested.after), ("before", requested.before)):
            if cursor is not None:
                values[end], values[f"{end}_id"] = order.read(cursor, end)
        return cls(size, Bounds("after" in values, "before" in values, backward), values)


def _size(requested: Slice) -> tuple[int, bool]:
    if requested.first is not None and requested.last is not None:
        raise InvalidInput(("last", "use first ou last, não os dois"))
    backward = requested.last is not None
    size = requested.last if backward else requested.first
    if size is None:
        return DEFAULT_LIMIT, False
    if not 0 <= size <= MAX_LIMIT:
        raise InvalidInput(("last" if backward else "first", f"deve ser de 0 a {MAX_LIMIT}"))
    return size, backward
