"""A list, declared: what is selected, whose it is, and what it can be filtered and ordered by.

    CUSTOMERS = Listing(customers, CUSTOMER_COLUMNS, scope=..., filters=..., search=...)

Each combination of filters, order and kind of window is a statement of its own, compiled when first asked for.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
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
from gateway.resolvers.listing.filters import (
    PERIOD,
    Condition,
    Either,
    Filter,
    Range,
    Shape,
    is_telling,
    judged,
    search_values,
)
from gateway.resolvers.listing.inputs import DEFAULT_LIMIT, LARGEST_LIMIT
from gateway.resolvers.listing.leads import Lead, lead_of, parts_of
from gateway.resolvers.listing.milestones import Milestones
from gateway.resolvers.listing.tallies import Tallies

SEARCH = "q"
BY_TRIGRAMS = "trigrams"
"""How the text of a search is looked for in a list with milestones, if trigrams can tell it."""
EVERYWHERE = 2**31 - 1
"""So many rows no list has."""
NEAR = 10
"""What no index has in the order that was asked for is looked for among so many times the rows first, and only then everywhere."""
LEAST_NEAR = 1000
"""The newest charges of a store may be waiting for their payers yet, and a thousand entries of an index are read in a tenth of a millisecond."""
MOST_NEAR = 100_000
"""More rows than that aren't looked at one by one."""
MOST_SORTED = 10_000
"""More rows than that aren't put in order for a page, where there is another way."""


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
    `milestones` and `tallies` are kept of lists that grow long, other `totals` are known without counting. `telling` filters find a few rows whatever the list has; `covered` says that the index of the order of creation includes what all others ask of.
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
        telling: Container[str] = (),
        covered: bool = False,
    ) -> None:
        self.names = tuple(str(column.key) for column in columns)
        self._table = table
        self._source = table if source is None else source
        self._columns = columns
        self._scope = scope
        self._filters: dict[str, Filter] = {**filters} if search is None else {**filters, SEARCH: search}
        self._milestones = milestones
        self._ranges = {**ranges}
        if covered:
            self._ranges |= {name: Range(table.c.created_at) for name in PERIOD}
        self._telling, self._covered = telling, covered
        self._tallies = tallies
        self._deep = None if milestones is None else Deep(milestones, tallies)
        self._totals = {**totals} | ({} if milestones is None else milestones.totals())
        self._total = lru_cache(maxsize=512)(self._known_total)
        self._orders: dict[str, Order] = {order.name: order for order in orders}
        self._rows = Shapes(self._select_rows)
        self._near_rows = Shapes(self._select_near_rows)
        self._counted_rows = Shapes(self._select_counted_rows)
        self._deep_rows = Shapes(self._select_deep_rows)
        self._rows_per = Shapes(self._select_rows_per)
        self._counts = Shapes(self._select_count)
        self._weights = Shapes(self._select_weights)
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
        self,
        asked: Asked,
        sort: str,
        bounds: Bounds = EVERYTHING,
        *,
        limit: int = 0,
        offset: int = 0,
        lead: Lead = None,
    ) -> Statement:
        """At most `:limit` rows: from `:offset` on, or within bounds. Both are to be bound in any case."""
        return self._rows.of(asked.shape, str(sort), bounds, _extent(limit, offset), lead)

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
        return not self.is_elsewhere(asked.shape, sort) and (not asked.shape or self.tells_total(asked))

    def tells_total(self, asked: Asked) -> bool:
        """Whether `count` takes little, however much these filters find."""
        return self._total(asked.shape) is not None

    def begins_deep(self, asked: Asked, sort: str, total: int | None = None) -> bool:
        """Whether `deep_rows` reads a later page. Of what is found in another order the `total` tells, once it is known."""
        if self._deep is None or not self._deep.begins(asked.shape, self.order(sort)):
            return False
        return not self.is_elsewhere(asked.shape, sort) or (total is not None and total > MOST_SORTED)

    def looks_near(self, asked: Asked, sort: str, rows: int, total: int | None = None) -> list[int]:
        """Among how many of the first rows `near_rows` is to look for so many of them, in turn, before `rows` is asked: what is found often fills the page
        from there, and of what isn't there is less to put in order. If the `total` is known, it tells which.
        """
        near: list[int] = []
        if self.is_elsewhere(asked.shape, sort):
            near = [max(NEAR * rows, LEAST_NEAR)] if total is None or total > NEAR * rows else []
            near += [MOST_NEAR] if total is None and self.tells_total(asked) else []
        elif (SEARCH, BY_TRIGRAMS) in asked.shape and not _by_creation(sort):
            near = [NEAR * rows, NEAR * NEAR * rows]
        return [one for one in near if one <= MOST_NEAR]

    def passes_by(self, sort: str, lead: Lead) -> bool:
        """Whether `near_rows` is to look for what isn't near everywhere."""
        return lead == () and _by_creation(sort)

    def is_elsewhere(self, shape: Shape, sort: str) -> bool:
        """Whether an index that finds what is asked for has it in another order."""
        order = self.order(sort)
        return (SEARCH, BY_TRIGRAMS) not in shape and any(self._ranges_elsewhere(name, order) for name, _ in shape)

    def deep_rows(self, asked: Asked, sort: str, *, limit: int, counted: bool = True) -> Statement:
        """As `counted_rows`, or as `rows`, for a page of which it is known where it begins."""
        return self._deep_rows.of(asked.shape, str(sort), _extent(limit, 0), counted)

    def rows_per(self, reference: str, asked: Asked, sort: str, bounds: Bounds) -> Statement:
        """At most `:limit` rows for each of `:parents`, the ids in the column `reference`."""
        return self._rows_per.of(reference, asked.shape, str(sort), bounds)

    def count(self, asked: Asked, lead: Lead = None) -> Statement:
        """How many rows there are in all."""
        return self._counts.of(asked.shape, lead)

    def is_weighed(self, asked: Asked) -> bool:
        """Whether these are filters of which one is to lead, as `weights` tells."""
        if not self._covered or len(asked.shape) < 2 or self.tells_total(asked):
            return False
        telling = any(name == SEARCH or name in self._telling for name, _ in asked.shape)
        return not telling and len(parts_of(asked.shape, self._ranges)) > 1

    def weights(self, asked: Asked) -> Statement:
        """How many rows each of them finds alone, and how many the list has."""
        return self._weights.of(asked.shape)

    def lead(self, asked: Asked, weights: Sequence[int]) -> Lead:
        """Which of them leads."""
        *found, rows = weights
        return lead_of(parts_of(asked.shape, self._ranges), found, rows)

    def counts_per(self, reference: str, asked: Asked) -> Statement:
        """How many rows there are for each of `:parents`: `parent` and `rows`."""
        return self._counts_per.of(reference, asked.shape)

    def export(self, asked: Asked, sort: str, columns: tuple[str, ...]) -> Statement:
        """All rows, with these columns alone."""
        return self._exports.of(asked.shape, str(sort), columns)

    def _known_total(self, shape: Shape) -> ColumnElement[int] | None:
        """How many rows there are, where that is known without counting them."""
        known = self._totals.get(shape)
        return self._tallies.total(shape) if known is None and self._tallies is not None else known

    def _choice(self, name: str, value: Any) -> str | None:
        if name == SEARCH:
            known = self._milestones is not None and self._milestones.searched and is_telling(value)
            return BY_TRIGRAMS if known else None
        return str(value) if isinstance(self._filters[name], Mapping) else None

    def _leads_in_order(self, lead: Lead, sort: str) -> bool:
        """Whether the index of what leads has it as it was created, so that no more is read than fills the page."""
        ranged = any(
            name in self._ranges or isinstance(self._declared(name, choice), Either) for name, choice in lead or ()
        )
        return bool(lead) and not ranged and _by_creation(sort)

    def _bounds_order(self, name: str, order: Order) -> bool:
        """Whether a filter is a bound in the column of the order."""
        ranged = self._ranges[name].column if name in self._ranges else None
        return ranged is order.column or (name in PERIOD and order.column is self._table.c.created_at)

    def _ranges_elsewhere(self, name: str, order: Order) -> bool:
        return name in self._ranges and self._ranges[name].column is not order.column

    def _condition(self, name: str, choice: str | None) -> Condition:
        declared = self._declared(name, choice)
        return declared.together if isinstance(declared, Either) else declared

    def _declared(self, name: str, choice: str | None) -> Condition | Either:
        declared = self._filters[name]
        return declared[choice or ""] if isinstance(declared, Mapping) else declared

    def _select(
        self, columns: Sequence[Any], shape: Shape, candidates: ColumnElement[Any] | None = None, lead: Lead = None
    ) -> Select[Any]:
        """What is found, in all of the list or among the candidates, an array of ids; trigrams tell some."""
        if candidates is None and self._milestones is not None and (SEARCH, BY_TRIGRAMS) in shape:
            candidates = self._milestones.candidates()
        found = select(*columns).select_from(self._source)
        if candidates is None:
            found = found.where(*self._scope)
        else:
            found = found.where(self._table.c.id == func.any(candidates), *map(judged, self._scope))
        return found.where(*(self._led(one, lead) for one in shape))

    def _led(self, one: tuple[str, str | None], lead: Lead) -> Condition:
        condition = self._condition(*one)
        return condition if lead is None or one in lead else judged(condition)

    def _select_rows(self, shape: Shape, sort: str, bounds: Bounds, extent: Extent, lead: Lead = None) -> Select[Any]:
        if (SEARCH, BY_TRIGRAMS) in shape and _by_creation(sort):
            return self._cut(self._found_by_stretches(shape, sort, bounds), extent, bounds)
        if self.is_elsewhere(shape, sort) and not self._leads_in_order(lead, sort):
            found = self._found_elsewhere(shape, sort, bounds, lead)
        elif self._has_ways(shape) and lead is None:
            upto = extent.limit if extent.limit and extent.from_start else _bound("limit") + _bound("offset")
            found = self._found_either_way(shape, sort, bounds, upto)
        else:
            found = self._window(shape, sort, bounds, lead)
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
        bounds_of_order = tuple(one for one in shape if self._bounds_order(one[0], order))
        implied = (self._ranges[name].implies for name, _ in shape if name in self._ranges)
        others = (self._condition(*one) for one in shape if one not in bounds_of_order)
        place, meets = order.expression.label("place"), and_(true(), *others).label("meets")
        possible = self._select([self._table.c.id, place, meets], bounds_of_order)
        possible = possible.where(*(one for one in implied if one is not None))
        first = self._within(possible, order, bounds).limit(_bound("near")).subquery("first")
        found = select(first.c.id).where(first.c.meets)
        found = found.order_by(*_in_way(first.c.place, first.c.id, descending=bounds.descends(order)))
        return self._placed(self._cut(found.limit(_bound("limit")), extent, bounds), sort, bounds)

    def _has_ways(self, shape: Shape) -> bool:
        either = (isinstance(self._declared(name, choice), Either) for name, choice in shape)
        return SEARCH not in dict(shape) and any(either)

    def _found_either_way(
        self, shape: Shape, sort: str, bounds: Bounds, upto: Any, begins: Sequence[Condition] = ()
    ) -> Select[Any]:
        # Each from its index, and as far as the window may need: of their disjunction no index has the order.
        order = self.order(sort)
        found = select(self._table.c.id, order.expression.label("place")).where(*self._scope)
        declared = [self._declared(name, choice) for name, choice in shape]
        (either,) = (one for one in declared if isinstance(one, Either))
        others = [*(one for one in declared if not isinstance(one, Either)), *begins]
        # Who looks for the few among what the others find passes by all of that.
        ways = found.where(either.many, *others), found.where(either.few, *map(judged, others))
        parts = (self._within(way, order, bounds).limit(upto).subquery() for way in ways)
        merged = union_all(*(select(part) for part in parts)).subquery("merged")
        place = _in_way(merged.c.place, merged.c.id, descending=bounds.descends(order))
        return select(merged.c.id).order_by(*place).limit(_bound("limit"))

    def _found_elsewhere(self, shape: Shape, sort: str, bounds: Bounds, lead: Lead) -> Select[Any]:
        # Found first and ordered then: put together, the planner might take the index of the order, and pass by a year until it finds a day.
        order = self.order(sort)
        columns = [self._table.c.id, order.expression.label("place")]
        found = self._within(self._select(columns, shape, lead=lead), order, bounds)
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
        return self._select_rows(shape, sort, EVERYTHING, extent).add_columns(self._total_beside(shape))

    def _select_deep_rows(self, shape: Shape, sort: str, extent: Extent, counted: bool) -> Select[Any]:
        assert self._deep is not None
        order = self.order(sort)
        begins, skipped = self._deep.beginning(shape, order)
        # Whoever changes rows behind the triggers' back puts tallies out of step: that is no reason to refuse a page.
        skipped = func.greatest(skipped, 0)
        if self._has_ways(shape):
            found = self._found_either_way(shape, sort, EVERYTHING, _bound("limit") + skipped, [begins])
        else:
            lead = tuple(one for one in shape if not self._ranges_elsewhere(one[0], order))
            conditions = (self._led(one, lead) for one in shape)
            found = select(self._table.c.id).where(*self._scope, *conditions, begins)
            found = self._within(found, order, EVERYTHING).limit(_bound("limit"))
        found = found.limit(extent.limit) if extent.limit is not None else found
        placed = self._placed(found.offset(skipped), sort)
        return placed.add_columns(self._total_beside(shape)) if counted else placed

    def _total_beside(self, shape: Shape) -> ColumnElement[int]:
        return self._select_count(shape).scalar_subquery().label("total")

    def _placed(self, ids: Select[Any], sort: str, bounds: Bounds = EVERYTHING) -> Select[Any]:
        """The rows with these ids: those that are passed by are read from an index alone."""
        place = ids.subquery("place")
        source = self._source.join(place, place.c.id == self._table.c.id)
        ordered = self._order_by(self.order(sort), backward=bounds.backward)
        return select(*self._columns).select_from(source).order_by(*ordered)

    def _window(self, shape: Shape, sort: str, bounds: Bounds, lead: Lead = None) -> Select[Any]:
        found = self._select(self._columns, shape, lead=lead)
        return self._within(found, self.order(sort), bounds).limit(_bound("limit"))

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

    def _select_count(self, shape: Shape, lead: Lead = None) -> Select[Any]:
        known = self._total(shape)
        counted = self._select([func.count()], shape, lead=lead) if known is None else select(known.label("total"))
        # Whose rows are counted tells the planner how many there will be, so it would plan anew each time. Without filters
        # one plan serves every store: what is bound then comes from where the planner doesn't look.
        plain = shape and known is None
        return counted if plain else cast("Select[Any]", replacement_traverse(counted, {}, _as_subquery))

    def _select_weights(self, shape: Shape) -> Select[Any]:
        parts = ((), *parts_of(shape, self._ranges))
        rows, *found = (self._select_count(part).scalar_subquery().label(f"rows_{n}") for n, part in enumerate(parts))
        return select(*found, rows)

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
