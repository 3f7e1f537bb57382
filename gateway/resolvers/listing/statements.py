"""A list, declared: what is selected, whose it is, and what it can be filtered and ordered by.

    CUSTOMERS = Listing(customers, CUSTOMER_COLUMNS, scope=..., filters=..., search=...)

Each combination of filters, order and kind of window is a statement of its own, compiled when first asked for.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Column,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    Table,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.sql.visitors import replacement_traverse

from gateway.models.database import Shapes, Statement
from gateway.resolvers.inputs import Input
from gateway.resolvers.listing.cursors import Order
from gateway.resolvers.listing.deep import Deep
from gateway.resolvers.listing.filters import Condition, Either, Filter, Range, Shape, is_telling, judged, search_values
from gateway.resolvers.listing.inputs import DEFAULT_LIMIT, LARGEST_LIMIT
from gateway.resolvers.listing.milestones import Milestones
from gateway.resolvers.listing.tallies import Tallies

SEARCH = "q"
BY_TRIGRAMS = "trigrams"
"""How the text of a search is looked for in a list with milestones, if trigrams can tell it."""
NEAR = 10
"""What no index has in the order that was asked for is looked for among so many times the rows first, and only then everywhere."""
MOST_NEAR = 100_000
"""More rows than that aren't looked at one by one."""


def looks_rare(found: int, rows: int) -> bool:
    """Whether so many, found by one look near, make it unlikely that `NEAR` times as far there are half of `rows`: then all there is
    takes less time than that look.
    """
    return found * NEAR * 2 < rows


class Asked(NamedTuple):
    """The filters that a caller sent: which they are, and the values to bind."""

    shape: Shape
    values: dict[str, Any]


class Bounds(NamedTuple):
    """Between which cursors (`:after, :after_id` and `:before, :before_id`) and from which end rows are read."""

    after: bool = False
    before: bool = False
    backward: bool = False

    def descends(self, order: Order) -> bool:
        """Whether rows of this order are read from its greatest on."""
        return order.descending != self.backward


EVERYTHING = Bounds()


class Extent(NamedTuple):
    """How much of the window stands in the statement's text: a usual limit, and a start at the first row.

    PostgreSQL can't judge a LIMIT that it doesn't see, so it plans such a statement anew each time, which takes longer
    than reading the page (docs/performance.md). Other limits and offsets stay parameters, or each would be a statement.
    """

    limit: int | None = None
    from_start: bool = False


_WITHOUT_END = select(literal_column("null::bigint")).scalar_subquery()
"""A limit that is none, but of which PostgreSQL doesn't know that when it plans: it then looks for the quickest way to the first tenth of
the rows. The quickest to all of them is to sort five million records before the first one is told.
"""
USUAL_LIMITS = frozenset({DEFAULT_LIMIT, DEFAULT_LIMIT + 1, LARGEST_LIMIT, LARGEST_LIMIT + 1})
"""Of pages, and of slices, which read one row more."""


def _extent(limit: int, offset: int) -> Extent:
    return Extent(limit if limit in USUAL_LIMITS else None, from_start=offset == 0)


class Listing:
    """The statements of one list. `scope` comes first in every one of them: whose rows, of which environment. `orders`
    are those that no column gives; `source` is what is selected from, where that is more than the table.
    `milestones` are kept of lists that grow long, and `totals` are known without counting.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[ColumnElement[Any]],
        *,
        scope: Sequence[Condition],
        filters: Mapping[str, Filter],
        search: Condition | None = None,
        orders: Iterable[Order] = (),
        source: FromClause | None = None,
        milestones: Milestones | None = None,
        tallies: Tallies | None = None,
        totals: Mapping[Shape, ColumnElement[int]] = MappingProxyType({}),
        ranges: Mapping[str, Range] = MappingProxyType({}),
    ) -> None:
        self.names = tuple(str(column.key) for column in columns)
        self._table = table
        self._source = table if source is None else source
        self._columns = columns
        self._scope = scope
        self._filters: dict[str, Filter] = {**filters} if search is None else {**filters, SEARCH: search}
        self._milestones = milestones
        self._ranges = ranges
        self._tallies = tallies
        self._deep = None if milestones is None else Deep(milestones, tallies)
        self._totals = {**totals}
        if milestones is not None:
            self._totals |= milestones.totals()
        if tallies is not None:
            self._totals |= tallies.totals()
        self._orders: dict[str, Order] = {order.name: order for order in orders}
        self._rows = Shapes(self._select_rows)
        self._near_rows = Shapes(self._select_near_rows)
        self._counted_rows = Shapes(self._select_counted_rows)
        self._deep_rows = Shapes(self._select_deep_rows)
        self._rows_per = Shapes(self._select_rows_per)
        self._counts = Shapes(self._select_count)
        self._counts_per = Shapes(self._select_counts_per)
        self._exports = Shapes(self._select_columns)

    def asked(self, order: Input) -> Asked:
        """The filters of an input: null is the same as absent."""
        sent = {name: value for name in self._filters if (value := getattr(order, name, None)) is not None}
        shape = tuple((name, self._choice(name, value)) for name, value in sent.items())
        values = {name: sent[name] for name, choice in shape if choice is None and name != SEARCH}
        if self._tallies is not None:
            values |= self._tallies.values(sent)
        return Asked(shape, values | search_values(sent[SEARCH]) if SEARCH in sent else values)

    def order(self, sort: str) -> Order:
        """The order that `sort` names; the input has judged it."""
        known = self._orders.get(sort)
        if known is None:
            known = Order(self._table.c[sort.removeprefix("-")], descending=sort.startswith("-"))
            self._orders[known.name] = known
        return known

    def rows(
        self, asked: Asked, sort: str, bounds: Bounds = EVERYTHING, *, limit: int = 0, offset: int = 0
    ) -> Statement:
        """At most `:limit` rows: from `:offset` on, or within bounds. Both are to be bound in any case."""
        return self._rows.of(asked.shape, str(sort), bounds, _extent(limit, offset))

    def near_rows(
        self, asked: Asked, sort: str, bounds: Bounds = EVERYTHING, *, limit: int = 0, offset: int = 0
    ) -> Statement:
        """As `rows`, but of the first `:near` rows of the order only."""
        return self._near_rows.of(asked.shape, str(sort), bounds, _extent(limit, offset))

    def counted_rows(self, asked: Asked, sort: str, *, limit: int = 0, offset: int = 0) -> Statement:
        """As `rows`, with how many there are in all as a last column, `total`."""
        return self._counted_rows.of(asked.shape, str(sort), _extent(limit, offset))

    def knows_total(self, asked: Asked, sort: str) -> bool:
        """Whether `counted_rows` tells the total at little cost, however much these filters find."""
        return not self._ranges_elsewhere(asked.shape, sort) and (not asked.shape or self.tells_total(asked))

    def tells_total(self, asked: Asked) -> bool:
        """Whether `count` takes little, however much these filters find."""
        return asked.shape in self._totals

    def begins_deep(self, asked: Asked, sort: str, offset: int) -> bool:
        """Whether `deep_rows` reads such a page."""
        return offset > 0 and self._deep is not None and self._deep.begins(asked.shape, self.order(sort))

    def looks_near(self, asked: Asked, sort: str, rows: int, total: int | None = None) -> list[int]:
        """Among how many of the first rows `near_rows` is to look for so many of them, in turn, before `rows` is asked: what is found often fills the page
        from there, and of what isn't there is less to put in order. If the `total` is known, it tells which.
        """
        near: list[int] = []
        if self._ranges_elsewhere(asked.shape, sort):
            near = [NEAR] if total is None or total > NEAR * rows else []
        elif (SEARCH, BY_TRIGRAMS) in asked.shape and not _by_creation(sort):
            near = [NEAR, NEAR * NEAR]
        return [times * rows for times in near if times * rows <= MOST_NEAR]

    def deep_rows(self, asked: Asked, sort: str, *, limit: int) -> Statement:
        """As `counted_rows`, for a later page of which it is known where it begins."""
        return self._deep_rows.of(asked.shape, str(sort), _extent(limit, 0))

    def rows_per(self, reference: str, asked: Asked, sort: str, bounds: Bounds) -> Statement:
        """At most `:limit` rows for each of `:parents`, the ids in the column `reference`."""
        return self._rows_per.of(reference, asked.shape, str(sort), bounds)

    def count(self, asked: Asked) -> Statement:
        """How many rows there are in all."""
        return self._counts.of(asked.shape)

    def counts_per(self, reference: str, asked: Asked) -> Statement:
        """How many rows there are for each of `:parents`: `parent` and `rows`."""
        return self._counts_per.of(reference, asked.shape)

    def export(self, asked: Asked, sort: str, columns: tuple[str, ...]) -> Statement:
        """All rows, with these columns alone."""
        return self._exports.of(asked.shape, str(sort), columns)

    def _choice(self, name: str, value: Any) -> str | None:
        if name == SEARCH:
            known = self._milestones is not None and self._milestones.searched and is_telling(value)
            return BY_TRIGRAMS if known else None
        return str(value) if isinstance(self._filters[name], Mapping) else None

    def _ranges_elsewhere(self, shape: Shape, sort: str) -> bool:
        """Whether an index that finds what is asked for has it in another order."""
        if (SEARCH, BY_TRIGRAMS) in shape:
            return False
        column = self.order(sort).column
        return any(name in self._ranges and self._ranges[name].column is not column for name, _ in shape)

    def _condition(self, name: str, choice: str | None) -> Condition:
        declared = self._declared(name, choice)
        return declared.together if isinstance(declared, Either) else declared

    def _declared(self, name: str, choice: str | None) -> Condition | Either:
        declared = self._filters[name]
        return declared[choice or ""] if isinstance(declared, Mapping) else declared

    def _select(
        self, columns: Sequence[Any], shape: Shape, candidates: ColumnElement[Any] | None = None
    ) -> Select[Any]:
        """What is found, in all of the list or among the candidates, an array of ids; trigrams tell some."""
        if candidates is None and self._milestones is not None and (SEARCH, BY_TRIGRAMS) in shape:
            candidates = self._milestones.candidates()
        found = select(*columns).select_from(self._source)
        if candidates is None:
            found = found.where(*self._scope)
        else:
            found = found.where(self._table.c.id == func.any(candidates), *map(judged, self._scope))
        return found.where(*(self._condition(name, choice) for name, choice in shape))

    def _select_rows(self, shape: Shape, sort: str, bounds: Bounds, extent: Extent) -> Select[Any]:
        if (SEARCH, BY_TRIGRAMS) in shape and _by_creation(sort):
            return self._cut(self._found_by_stretches(shape, sort, bounds), extent, bounds)
        if self._ranges_elsewhere(shape, sort):
            found = self._found_elsewhere(shape, sort, bounds)
        elif self._has_ways(shape):
            found = self._found_either_way(shape, sort, bounds, extent)
        else:
            found = self._window(shape, sort, bounds)
            if extent.from_start or any(bounds):
                return self._cut(found, extent, bounds)
            found = found.with_only_columns(self._table.c.id)
        return self._placed(self._cut(found, extent, bounds), sort, bounds)

    def _cut(self, found: Select[Any], extent: Extent, bounds: Bounds) -> Select[Any]:
        if extent.limit is not None:
            found = found.limit(extent.limit)
        return found if extent.from_start or any(bounds) else found.offset(_bound("offset"))

    def _select_near_rows(self, shape: Shape, sort: str, bounds: Bounds, extent: Extent) -> Select[Any]:
        # The conditions are judged row by row in the order, with no index to tempt the planner, and no further than the page is full.
        order = self.order(sort)
        implied = (self._ranges[name].implies for name, _ in shape if name in self._ranges)
        meets = and_(*(self._condition(name, choice) for name, choice in shape)).label("meets")
        possible = self._select([*self._columns, order.expression.label("place"), meets], ())
        possible = possible.where(*(one for one in implied if one is not None))
        first = self._within(possible, order, bounds).limit(_bound("near")).subquery("first")
        found = select(*(first.c[name] for name in self.names)).where(first.c.meets)
        found = found.order_by(*_in_way(first.c.place, first.c.id, descending=bounds.descends(order)))
        return self._cut(found.limit(_bound("limit")), extent, bounds)

    def _has_ways(self, shape: Shape) -> bool:
        either = (isinstance(self._declared(name, choice), Either) for name, choice in shape)
        return SEARCH not in dict(shape) and any(either)

    def _found_either_way(self, shape: Shape, sort: str, bounds: Bounds, extent: Extent) -> Select[Any]:
        # Each from its index, and as far as the window may need: of their disjunction no index has the order.
        order = self.order(sort)
        declared = (self._declared(name, choice) for name, choice in shape)
        ways = product(*(one.conditions if isinstance(one, Either) else (one,) for one in declared))
        upto = extent.limit if extent.limit and extent.from_start else _bound("limit") + _bound("offset")
        found = select(self._table.c.id, order.expression.label("place")).where(*self._scope)
        parts = (self._within(found.where(*way), order, bounds).limit(upto).subquery() for way in ways)
        merged = union_all(*(select(part) for part in parts)).subquery("merged")
        place = _in_way(merged.c.place, merged.c.id, descending=bounds.descends(order))
        return select(merged.c.id).order_by(*place).limit(_bound("limit"))

    def _found_elsewhere(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        # Found first and ordered then: put together, the planner might take the index of the order, and pass by a year until it finds a day.
        order = self.order(sort)
        found = self._within(self._select([self._table.c.id, order.expression.label("place")], shape), order, bounds)
        known = found.order_by(None).cte("found").prefix_with("materialized")
        place = _in_way(known.c.place, known.c.id, descending=bounds.descends(order))
        return select(known.c.id).order_by(*place).limit(_bound("limit"))

    def _found_by_stretches(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        # Stretches lie one behind the other in this order: the page is full with the first that fill it, and no other is asked.
        assert self._milestones is not None
        order = self.order(sort)
        older = {name: order.descending == (name == "after") for name in ("after", "before") if getattr(bounds, name)}
        stretch = self._milestones.stretches(descending=bounds.descends(order), bounds=older.items())
        found = self._within(self._select(self._columns, shape, self._milestones.candidates(stretch)), order, bounds)
        rows = found.limit(_bound("limit") + _bound("offset")).lateral("found")
        return (
            select(*(rows.c[name] for name in self.names))
            .select_from(stretch.join(rows, true()))
            .limit(_bound("limit"))
        )

    def _select_counted_rows(self, shape: Shape, sort: str, extent: Extent) -> Select[Any]:
        total = self._select_count(shape).scalar_subquery().label("total")
        return self._select_rows(shape, sort, EVERYTHING, extent).add_columns(total)

    def _select_deep_rows(self, shape: Shape, sort: str, extent: Extent) -> Select[Any]:
        assert self._deep is not None
        begins, skipped = self._deep.beginning(shape, self.order(sort))
        # Whoever changes rows behind the triggers' back puts tallies out of step: that is no reason to refuse a page.
        found = self._window(shape, sort, EVERYTHING).where(begins).offset(func.greatest(skipped, 0))
        found = found.limit(extent.limit) if extent.limit is not None else found
        total = self._select_count(shape).scalar_subquery().label("total")
        return self._placed(found.with_only_columns(self._table.c.id), sort).add_columns(total)

    def _placed(self, ids: Select[Any], sort: str, bounds: Bounds = EVERYTHING) -> Select[Any]:
        """The rows with these ids: those that are passed by are read from an index alone."""
        place = ids.subquery("place")
        source = self._source.join(place, place.c.id == self._table.c.id)
        ordered = self._order_by(self.order(sort), backward=bounds.backward)
        return select(*self._columns).select_from(source).order_by(*ordered)

    def _window(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        return self._within(self._select(self._columns, shape), self.order(sort), bounds).limit(_bound("limit"))

    def _within(self, found: Select[Any], order: Order, bounds: Bounds) -> Select[Any]:
        found = found.order_by(*self._order_by(order, backward=bounds.backward))
        if bounds.after:
            found = found.where(self._beyond(order, "after", later=True))
        if bounds.before:
            found = found.where(self._beyond(order, "before", later=False))
        return found

    def _select_rows_per(self, reference: str, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        # One index scan for each parent, that stops at the limit: a window function would read all rows of all parents.
        column = self._table.c[reference]
        parents = func.unnest(_parents(column)).table_valued(Column("id", column.type), name="parent").render_derived()
        order = self._order_by(self.order(sort), backward=bounds.backward)
        place = func.row_number().over(order_by=order).label("place")
        window = self._window(shape, sort, bounds).where(column == parents.c.id).add_columns(place)
        found = window.lateral("found")
        shown = [found.c[name] for name in self.names]
        return select(*shown).select_from(parents.join(found, true())).order_by(found.c.place)

    def _select_count(self, shape: Shape) -> Select[Any]:
        known = self._totals.get(shape)
        counted = self._select([func.count()], shape) if known is None else select(known.label("total"))
        # Whose rows are counted tells the planner how many there will be, so it would plan anew each time. Without filters
        # one plan serves every store: what is bound then comes from where the planner doesn't look.
        plain = shape and known is None
        return counted if plain else cast("Select[Any]", replacement_traverse(counted, {}, _as_subquery))

    def _select_counts_per(self, reference: str, shape: Shape) -> Select[Any]:
        column = self._table.c[reference]
        counted = self._select([column.label("parent"), func.count().label("rows")], shape)
        return counted.where(column == func.any(_parents(column))).group_by(column)

    def _select_columns(self, shape: Shape, sort: str, columns: tuple[str, ...]) -> Select[Any]:
        named = dict(zip(self.names, self._columns, strict=True))
        found = self._select([named[name] for name in columns], shape)
        return found.order_by(*self._order_by(self.order(sort))).limit(_WITHOUT_END)

    def _beyond(self, order: Order, end: str, *, later: bool) -> Condition:
        """Rows on one side of a cursor. One comparison of pairs, which the index of the order serves."""
        row_id = self._table.c.id
        place = tuple_(order.expression, row_id)
        cursor = tuple_(bindparam(end, type_=order.column.type), bindparam(f"{end}_id", type_=row_id.type))
        return place < cursor if later == order.descending else place > cursor

    def _order_by(self, order: Order, *, backward: bool = False) -> list[ColumnElement[Any]]:
        return _in_way(order.expression, self._table.c.id, descending=order.descending != backward)


def _in_way(*columns: ColumnElement[Any], descending: bool) -> list[ColumnElement[Any]]:
    return [one.desc() if descending else one.asc() for one in columns]


def _as_subquery(element: Any, **_options: Any) -> ColumnElement[Any] | None:
    bound = isinstance(element, BindParameter) and element.required
    return select(element).scalar_subquery() if bound else None


def _by_creation(sort: str) -> bool:
    return sort.removeprefix("-") == "created_at"


def _bound(name: str) -> BindParameter[int]:
    return bindparam(name, type_=Integer())


def _parents(reference: ColumnElement[Any]) -> ColumnElement[Any]:
    return bindparam("parents", type_=ARRAY(reference.type))
