"""The declaration of a list: its columns, scope, filters, sort orders and search.

A filter is a condition over a bound parameter of its own name. Where each value needs a condition of its own, as
`status` does, it is a table of conditions by value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Column, ColumnElement, FromClause, Select, Table, bindparam, or_

from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.listing.cursors import Order
from gateway.resolvers.core.listing.search import Condition, Search, Variant

Filter: TypeAlias = Condition | Mapping[str, Condition]


class Shape(NamedTuple):
    """What decides the text of the SQL: which filters were sent, with the value where the filter is a table of
    conditions, and the variant of the search.
    """

    filters: tuple[tuple[str, str | None], ...] = ()
    search: Variant | None = None


@dataclass(eq=False)
class Listing:
    """One list.

    * `columns` are selected, and named as the view's fields.
    * `scope` is in every statement: the store and the environment.
    * `filters`, besides those of the period of creation, which every list has.
    * `parents`, for a table without a column for the store: a column, and the ids in it that belong to the store. A
      page reads the first rows of each parent, so the index of the order begins with that column.
    * `summed` is the column whose sum belongs to the total.
    * `orders` are those that are more than a column of the table; `relation` is what is selected from, if that is more
      than the table.
    """

    table: Table
    columns: Sequence[ColumnElement[Any]]
    scope: Sequence[Condition]
    filters: Mapping[str, Filter] = field(default_factory=dict)
    search: Search | None = None
    orders: Sequence[Order] = ()
    relation: FromClause | None = None
    parents: tuple[Column[Any], Select[Any]] | None = None
    summed: Column[Any] | None = None
    names: tuple[str, ...] = field(init=False)
    _orders: dict[str, Order] = field(init=False)

    def __post_init__(self) -> None:
        created_at = self.table.c.created_at
        period = {"created_from": at_least(created_at, "created_from"), "created_to": at_most(created_at, "created_to")}
        self.filters = {**period, **self.filters}
        self.names = tuple(str(column.key) for column in self.columns)
        self._orders = {order.name: order for order in self.orders}

    def order(self, sort: str) -> Order:
        """The order that a validated `sort` names."""
        if sort not in self._orders:
            order = Order(self.table.c[sort.removeprefix("-")], descending=sort.startswith("-"))
            self._orders[order.name] = order
        return self._orders[sort]

    def applied(self, request: Input) -> tuple[Shape, dict[str, Any]]:
        """The filters of a request, and the values to bind; null is the same as absent."""
        sent = {name: value for name in self.filters if (value := getattr(request, name, None)) is not None}
        by_value = {name for name in sent if isinstance(self.filters[name], Mapping)}
        filters = tuple((name, _key(value) if name in by_value else None) for name, value in sent.items())
        values = {name: value for name, value in sent.items() if name not in by_value}
        q = getattr(request, "q", None)
        if q is None or self.search is None:
            return Shape(filters), values
        variant, terms = self.search.parse(q)
        return Shape(filters, variant), values | terms

    def conditions(self, shape: Shape) -> list[Condition]:
        """The scope, the filters and the search."""
        found = list(self.scope)
        for name, value in shape.filters:
            declared = self.filters[name]
            found.append(declared[value or ""] if isinstance(declared, Mapping) else declared)
        if shape.search is not None and self.search is not None:
            found.append(self.search.condition(shape.search))
        return found


def _key(value: Any) -> str:
    """The key of a value in a table of conditions."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(sorted(value)) if isinstance(value, tuple) else str(value)


def any_of(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """The filter of a list of values, each at most once: rows that meet one of their conditions."""
    return {
        ",".join(names): or_(*(conditions[name] for name in names))
        for count in range(1, len(conditions) + 1)
        for names in combinations(sorted(conditions), count)
    }


def yes_or_no(condition: Condition) -> dict[str, Condition]:
    """The filter of a boolean."""
    return {"true": condition, "false": ~condition}


def equals(column: Column[Any], name: str = "") -> Condition:
    return column == bindparam(name or column.name, type_=column.type)


def at_least(column: ColumnElement[Any], name: str) -> Condition:
    return column >= bindparam(name, type_=column.type)


def at_most(column: ColumnElement[Any], name: str) -> Condition:
    return column <= bindparam(name, type_=column.type)


def one_of(column: Column[Any], kinds: Iterable[StrEnum]) -> dict[str, Condition]:
    """The filter of an enumeration. Its values are literals, so that partial indexes serve it."""
    return {kind.value: column == kind.value for kind in kinds}
