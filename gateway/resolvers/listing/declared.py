"""What a list is declared as, and what follows from it for the filters and the order that are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Column, ColumnElement, FromClause, Index, Table
from sqlalchemy.sql import visitors

from gateway.resolvers.listing.cursors import HAD, Bounds, Order
from gateway.resolvers.listing.deep import Deep
from gateway.resolvers.listing.dictionary import Dictionary, Forms
from gateway.resolvers.listing.filters import (
    PERIOD,
    SEARCH,
    Condition,
    Either,
    Filter,
    Following,
    Own,
    Range,
    Shape,
    kept_as,
    several,
    sought,
    without_period,
)
from gateway.resolvers.listing.leads import Lead, parts_of
from gateway.resolvers.listing.marks import Mark
from gateway.resolvers.listing.milestones import Milestones
from gateway.resolvers.listing.tallies import Tallies

LAST = ("_to", "_max")
"""How filters end that bound a column from above."""


def is_by_creation(sort: str) -> bool:
    return sort.removeprefix("-") == "created_at"


@dataclass(eq=False)
class Declared:
    """The parts that `Listing` is made of, which says what they are."""

    table: Table
    columns: Sequence[ColumnElement[Any]]
    scope: Sequence[Condition]
    filters: Mapping[str, "Filter | Forms"]
    orders: dict[str, Order]
    relation: FromClause
    milestones: Milestones | None
    tallies: Tallies | None
    totals: Mapping[Shape, ColumnElement[int]]
    ranges: Mapping[str, Range]
    following: Mapping[str, Following]
    indexed: Mapping[str, Mapping[str, Own]]
    stray_ids: Condition | None
    all_but: Mapping[tuple[str, str | None], Sequence[Condition]]
    names: tuple[str, ...] = field(init=False)
    deep: Deep | None = field(init=False)

    def __post_init__(self) -> None:
        self.names = tuple(str(column.key) for column in self.columns)
        self.deep = None if self.milestones is None else Deep(self.milestones, self.tallies)
        if self.milestones is not None:
            self.totals = {**self.totals, **self.milestones.totals()}
        self._total = lru_cache(maxsize=512)(self._known_total)
        self._covered = lru_cache(maxsize=512)(self._is_covered)

    def order(self, sort: str) -> Order:
        """The order that `sort` names; the input has judged it."""
        known = self.orders.get(sort)
        if known is None:
            known = Order(self.table.c[sort.removeprefix("-")], descending=sort.startswith("-"))
            self.orders[known.name] = known
        return known

    def choice(self, name: str, value: Any) -> str | None:
        """Which of its conditions a filter stands for with this value, if it has several."""
        declared = self.filters[name]
        if isinstance(declared, Forms):
            return declared.of(value)
        if name == SEARCH:
            return None if self.milestones is None or self.milestones.search is None else kept_as(value)
        return str(value) if isinstance(declared, Mapping) else None

    def condition(self, name: str, choice: str | None) -> Condition:
        """What a filter is true of."""
        declared = self.filter(name, choice)
        return declared.together if isinstance(declared, Either) else declared

    def dictionary(self, shape: Shape) -> Dictionary | None:
        """What these filters are looked up in, of the whole list or of a period."""
        return None if self.tallies is None else self.tallies.dictionary(without_period(shape))

    def filter(self, name: str, choice: str | None) -> Condition | Either:
        """A filter as it is declared, by its choice if it has several: one condition, or
        two that have an index each.
        """
        declared = self.filters[name]
        if isinstance(declared, Forms):
            return declared.found[choice or ""]
        return declared[choice or ""] if isinstance(declared, Mapping) else declared

    def total(self, shape: Shape, enough: int | None = None) -> ColumnElement[int] | None:
        """How many rows there are, where that is known without counting them; or, of a period, at least, if that is
        more than `enough` to know.
        """
        return self._total(shape, enough)

    def has_ways(self, shape: Shape) -> bool:
        """Whether what is asked for is found by two indexes, and by none together: a filter is an `Either`."""
        declared = [(name, self.filter(name, choice)) for name, choice in shape]
        told = all(name != SEARCH or isinstance(one, Either) for name, one in declared)
        return told and any(isinstance(one, Either) for _, one in declared)

    def marks(self, shape: Shape) -> list[Mark]:
        """What rows are marked by that these filters ask for. Of two that an index finds together, one is enough."""
        asked, known = dict(shape), () if self.milestones is None else self.milestones.marks
        named = asked.keys() & self.indexed.keys() or asked.keys()
        return [mark for mark in known if mark.filter in named and mark.is_asked(asked[mark.filter])]

    def is_elsewhere(self, shape: Shape, sort: str) -> bool:
        """Whether an index that finds what is asked for has it in another order."""
        order = self.order(sort)
        names = [name for name, _ in shape if name in self.ranges or name in self.indexed]
        return sought(shape) is None and not all(self.has_in_order(name, order) for name in names)

    def leads_in_order(self, lead: Lead, sort: str) -> bool:
        """Whether an index of what leads has it in this order, so that no more is read than fills the page."""
        order = self.order(sort)
        ranged = any(
            name in self.ranges or isinstance(self.filter(name, choice), Either) for name, choice in lead or ()
        )
        by_creation = is_by_creation(sort) and not ranged
        return bool(lead) and (by_creation or all(self.index_of(name, order) for name, _ in lead or ()))

    def owner(self, shape: Shape, sort: str) -> Shape:
        """Of these filters the one with an index of its own in this order, which says all that the others ask of."""
        order = self.order(sort)
        owner = tuple(one for one in shape if self.index_of(one[0], order) is not None)
        return owner if len(owner) == 1 and self.is_covered(shape, sort) else ()

    def parts(self, shape: Shape) -> list[Shape]:
        """The filters of which one may lead: each by itself, the two bounds of a column together, and of those in whose
        order another one has an index of its own both at once.
        """
        parts = parts_of(shape, self.ranges)
        return parts + [(*one, *other) for one in parts for other in parts if self.pairing((*one, *other)) is not None]

    def pairing(self, lead: Lead) -> Own | None:
        """The index that finds two filters at once: of the first, in the order of the column that the second bounds."""
        parts = parts_of(lead or (), self.ranges)
        ranged = self.ranges.get(parts[1][0][0]) if len(parts) == 2 else None
        return self.indexed.get(parts[0][0][0], {}).get(ranged.column.name) if ranged is not None else None

    def has_in_order(self, name: str, order: Order) -> bool:
        """Whether an index has what a filter finds in this order, and nothing else between."""
        by_creation = order.column is self.table.c.created_at
        in_order = (by_creation and name not in self.ranges) or self.index_of(name, order) is not None
        return in_order or self.bounds_order(name, order)

    def passes_by(self, shape: Shape, sort: str) -> bool:
        """Whether the index of an order has others between what these filters find, and says which. Of long lists."""
        order = self.order(sort)
        if self.milestones is None or all(self.has_in_order(name, order) for name, _ in shape):
            return False
        return not is_by_creation(sort) and self.is_covered(shape, sort)

    def index_of(self, name: str, order: Order) -> Own | None:
        """The index that has what a filter finds in this order, where that is another one than the order's own."""
        return self.indexed.get(name, {}).get(order.column.name)

    def bounds_order(self, name: str, order: Order) -> bool:
        """Whether a filter is a bound in the column of the order."""
        ranged = self.ranges[name].column if name in self.ranges else None
        return ranged is order.column or (name in PERIOD and order.column is self.table.c.created_at)

    def bounds_beginning(self, name: str, order: Order, bounds: Bounds) -> bool:
        """Whether a filter bounds the column of the order at the end from which a cursor has it read."""
        descending = bounds.descends(order)
        begun_at_cursor = bounds.before if bounds.backward else bounds.after
        return begun_at_cursor and self.bounds_order(name, order) and name.endswith(LAST) == descending

    def follows(self, shape: Shape, sort: str) -> bool:
        """Whether a period of creation is found in this order, with nothing in it that its index doesn't say."""
        order = self.order(sort)
        of_period = any(name in PERIOD for name, _ in shape) and order.column.name in self.following
        bounded = any(self.bounds_order(name, order) for name, _ in shape)
        return of_period and not bounded and self.is_covered(shape, sort)

    def is_range_of_ids(self, shape: Shape, sort: str) -> bool:
        """Whether a period of creation is found in this order by ids, with nothing in it that its index doesn't say."""
        of_period = any(name in PERIOD for name, _ in shape) and not is_by_creation(sort)
        return (
            self.stray_ids is not None and of_period and not self.follows(shape, sort) and self.is_covered(shape, sort)
        )

    def is_as_created(self, shape: Shape, sort: str) -> bool:
        """Whether what is found lies in this order much as it was created, and its own index says all that is asked
        of.
        """
        owned = any(name in self.indexed for name, _ in shape)
        return owned and self.order(sort).column.name in self.following and self.is_covered(shape, "created_at")

    def sort_instead(self, shape: Shape, sort: str) -> str:
        """The order of the moment that stands in, if that of this order is missing in all that these filters find."""
        order = self.order(sort)
        following = self.following.get(order.column.name)
        if order.instead is None or following is None or not any(one in following.always_missing for one in shape):
            return sort
        return self.order(f"-{order.instead.name}" if order.descending else order.instead.name).name

    def may_miss(self, shape: Shape, order: Order) -> bool:
        """Whether the order's moment may be missing in what these filters find."""
        known = any(one in self.following[order.column.name].never_missing for one in shape)
        return (
            bool(order.column.nullable) and not known and not any(self.bounds_order(name, order) for name, _ in shape)
        )

    def moments_of(self, shape: Shape, order: Order) -> list[Condition]:
        """That what these filters find has the order's moment, if they say so: where it lies in the order."""
        following = self.following.get(order.column.name)
        had = following is not None and any(one in following.never_missing for one in shape)
        return [order.expression > HAD] if had else []

    def excludes_itself(self, shape: Shape, values: Mapping[str, Any]) -> bool:
        """Whether no row can be what these filters ask for together: they bound a moment that others of them miss, or
        to before it was created.
        """
        since = values.get(PERIOD[0])
        for name, following in self.following.items():
            bounds = [one for one, ranged in self.ranges.items() if ranged.column.name == name and one in values]
            early = since is not None and any(values[one] < since for one in bounds if one.endswith(LAST))
            if early or (bounds and any(one in following.always_missing for one in shape)):
                return True
        return False

    def is_covered(self, shape: Shape, sort: str) -> bool:
        """Whether the index of an order includes what these filters ask of, so that they are judged without rows."""
        return self._covered(shape, self.order(sort).column.name)

    def _is_covered(self, shape: Shape, name: str) -> bool:
        asked = {column.name for one in shape for column in _columns_of(self.condition(*one))}
        own = [self.indexed[filter_][name] for filter_, _ in shape if name in self.indexed.get(filter_, {})]
        index = self._index(own[-1].name if own else name)
        included = index.dialect_options["postgresql"]["include"] or ()
        return asked <= {*(column.name for column in index.columns), *included}

    def narrows(self, name: str, choice: str | None, order: Order) -> Condition | None:
        """What a filter says of a column in the key of an order's index, by which that passes by all others."""
        told = several(self.filter(name, choice))
        if told is None or self.bounds_order(name, order):
            return None
        column, condition = told
        return condition if column.name in self._index(order.column.name).columns else None

    def _index(self, name: str) -> Index:
        """The index of that name, or of the order of a column of that name."""
        # That of an order has the column's name, but for that of the order of creation, which is the store's.
        named = name, f"ix_{self.table.name}_{'store' if name == 'created_at' else name}"
        (index,) = (index for index in self.table.indexes if index.name in named)
        return index

    def left_out(self, shape: Shape) -> Sequence[Condition]:
        """What a filter leaves out of all rows, or of a period, if that is all that is asked for, and few."""
        others = [one for one in shape if one[0] not in PERIOD]
        return self.all_but.get(others[0], ()) if len(others) == 1 else ()

    def _known_total(self, shape: Shape, enough: int | None) -> ColumnElement[int] | None:
        known = self.totals.get(shape)
        return self.tallies.total(shape, enough) if known is None and self.tallies is not None else known


def _columns_of(condition: Condition) -> list[Column[Any]]:
    return [one for one in visitors.iterate(condition) if isinstance(one, Column)]
