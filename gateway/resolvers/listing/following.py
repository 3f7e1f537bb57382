"""How rows are found in the order of what comes soon after their creation: payments, changes, expiries (ADRs 0056,
0059). For a payment that is missing creation stands in, and these lie before all others, as they were created (ADR
0061).
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CTE, ColumnElement, FromClause, Select, bindparam, func, literal_column, or_, select, tuple_

from gateway.resolvers.listing.cursors import HAD, Bounds, Order
from gateway.resolvers.listing.filters import PERIOD, Condition, Shape, judged, unseen
from gateway.resolvers.listing.milestones import BEGINNING, END
from gateway.resolvers.listing.selects import Inlined, Selects, ends_at, ends_of, in_way, merged

MOST_STRAYS = 10_000
"""More strays than that aren't looked through for a page."""
Ends = list[tuple[ColumnElement[Any], bool]]
"""Places that bound an order, and whether each is the last or the first."""


class FollowingSelects(Selects):
    """The queries of one list, with those of a moment that comes soon after creation."""

    def following_rows(self, shape: Shape, sort: str, bounds: Bounds, inlined: Inlined) -> Select[Any]:
        """As `rows`, of a period of creation in the order of a moment that comes soon after it: what lies there in that
        order, the strays, and what misses the moment.
        """
        order = self._list.order(sort)
        place, following = order.expression, self._list.following[order.column.name]
        cursors = places_of_cursors(order, bounds)
        created = [(self._moment(name), is_last) for name, is_last in ends_of(shape)]
        period = [(moment + following.soon if is_last else moment, is_last) for moment, is_last in created]
        # An index is read from the one bound that it is told of at each end; what both ways find is judged.
        conditions = self._passing(shape, order)
        conditions += map(judged, self._between_cursors(order, bounds, (place, self._list.table.c.id)))
        found = select(self._list.table.c.id, place.label("place")).where(*self._list.scope, *conditions)
        found = found.order_by(*self._order_by(order, backward=bounds.backward)).limit(self._upto(inlined))
        outside = or_(*(place > end if is_last else place < end for end, is_last in period))
        ways = [
            found.where(*between(place, [*period, *cursors, (HAD, False)])),
            found.where(following.strays, judged(outside), *between(place, cursors)),
        ]
        if self._list.may_miss(shape, order):
            instead = [(order.moved(moment), is_last) for moment, is_last in created]
            ways.append(found.where(place < HAD, *between(place, [*instead, *cursors])))
        # One plan serves all values: to make one takes as long as to read the page.
        ids = unseen(merged((select(way.subquery()) for way in ways), descending=bounds.descends(order)))
        return self._placed(self._cut(ids, inlined, bounds), sort, bounds)

    def as_created_rows(self, shape: Shape, sort: str, bounds: Bounds, inlined: Inlined) -> Select[Any]:
        """As `rows`, in the order of a moment that comes soon after creation, of what an index has as it was created.

        The first of that which were created fill a page, so that all on it come no later in this order than the last of
        these was created. What comes before it there was created soon before, or is a stray. What misses the moment
        lies before or behind all of that, as it was created, and is looked for if the page begins, or ends, with it.
        Nothing is found where there are too many strays to tell.
        """
        order, created_at, id_ = self._list.order(sort), self._list.table.c.created_at, self._list.table.c.id
        place, following = order.expression, self._list.following[order.column.name]
        descending, upto = bounds.descends(order), self._upto(inlined)
        place_ends, created_ends = self._ends_of_both(shape, order, bounds)
        conditions = [self._list.condition(*one) for one in shape if one[0] not in self._list.indexed]
        conditions += self._between_cursors(order, bounds, (place, id_))
        own = [self._list.condition(*one) for one in shape if one[0] in self._list.indexed]
        found = select(id_, created_at, place.label("place")).where(*self._list.scope, *map(judged, conditions))
        # What misses the moment is no stray, and doesn't follow either.
        followed = found.where(*own, following.strays.is_(False))
        in_way_of_creation = in_way(created_at, id_, descending=descending)
        newest = followed.where(*between(created_at, created_ends)).order_by(*in_way_of_creation).limit(upto)
        first = newest.cte("first").prefix_with("materialized")
        edge = _last_of(first, upto, descending=descending)
        edge_at, edge_id = (select(one).scalar_subquery() for one in (edge.c.created_at, edge.c.id))
        beyond = tuple_(created_at, id_) < tuple_(edge_at, edge_id), created_at >= edge_at - following.soon
        last_end = func.coalesce(edge_at, BEGINNING)
        if not descending:
            beyond = tuple_(created_at, id_) > tuple_(edge_at, edge_id), created_at <= edge_at + following.soon
            last_end = func.coalesce(edge_at + following.soon, END)
        strays = between(place, [*place_ends, (last_end, not descending)])
        straying: Select[Any] = select(literal_column("1")).where(*self._list.scope, following.strays, *strays)
        few = select(func.count() <= MOST_STRAYS).select_from(straying.limit(MOST_STRAYS + 1).subquery())
        ordered = self._order_by(order, backward=bounds.backward)
        stray = found.where(following.strays, *map(judged, own), *strays).order_by(*ordered).limit(upto).subquery()
        had = [first, followed.where(*beyond).subquery("rest"), stray]
        parts = [_ids(one) for one in had]
        if self._list.may_miss(shape, order):
            missing = self._missing(found.where(*own), shape, order, bounds).limit(upto)
            missed = missing.cte("missing").prefix_with("materialized")
            if descending:
                parts.append(_unless_full(missed, by=first, rows=upto))
            else:
                parts = [_ids(missed), *(_unless_full(one, by=missed, rows=upto) for one in had)]
        ids = unseen(merged(parts, descending=descending).where(few.scalar_subquery()))
        return self._placed(self._cut(ids, inlined, bounds), sort, bounds)

    def _missing(self, found: Select[Any], shape: Shape, order: Order, bounds: Bounds) -> Select[Any]:
        """Of what is found, what misses the order's moment: as it was created."""
        created_at, id_ = self._list.table.c.created_at, self._list.table.c.id
        ends = [(self._moment(name), is_last) for name, is_last in ends_of(shape)]
        ends += [(order.unmoved_in(place), is_last) for place, is_last in places_of_cursors(order, bounds)]
        missing = found.where(judged(order.column.is_(None)), *between(created_at, ends))
        return missing.order_by(*in_way(created_at, id_, descending=bounds.descends(order)))

    def _ends_of_both(self, shape: Shape, order: Order, bounds: Bounds) -> tuple[Ends, Ends]:
        """Between which moments these filters and cursors have the places of an order, and between which whatever
        isn't a stray was created.
        """
        soon = self._list.following[order.column.name].soon
        bounding = [name for name, _ in shape if name not in PERIOD and self._list.bounds_order(name, order)]
        placed = [*places_of_cursors(order, bounds), *((self._moment(name), name.endswith("_to")) for name in bounding)]
        created = [(self._moment(name), is_last) for name, is_last in ends_of(shape)]
        created += [(end if is_last else end - soon, is_last) for end, is_last in placed]
        implied = [
            name for name, _ in shape if name in self._list.ranges and self._list.ranges[name].implies is not None
        ]
        return placed, created + [(self._moment(name), True) for name in implied]

    def _moment(self, name: str) -> ColumnElement[Any]:
        """A bound of the period of creation."""
        return bindparam(name, type_=self._list.table.c.created_at.type)


def between(place: ColumnElement[Any], ends: Sequence[tuple[ColumnElement[Any], bool]]) -> list[Condition]:
    """From the greatest of the first places on, and up to the least of the last ones, as each end says it is."""
    first, last = ([end for end, is_last in ends if is_last is which] for which in (False, True))
    return [*([place >= func.greatest(*first)] if first else []), *([place <= func.least(*last)] if last else [])]


def places_of_cursors(order: Order, bounds: Bounds) -> Ends:
    """The places of an order that cursors stand at."""
    return [(order.told(bindparam(name, type_=order.column.type)), is_last) for name, is_last in ends_at(order, bounds)]


def _last_of(first: CTE, rows: Any, *, descending: bool) -> CTE:
    """The last of so many rows, as they were created; nothing if there are fewer."""
    in_order = in_way(first.c.created_at, first.c.id, descending=descending)
    return select(first.c.created_at, first.c.id).order_by(*in_order).offset(rows - 1).limit(1).cte("edge")


def _ids(part: FromClause) -> Select[Any]:
    return select(part.c.id, part.c.place)


def _unless_full(part: FromClause, *, by: CTE, rows: Any) -> Select[Any]:
    """The same, looked for only if something else has found fewer than so many rows."""
    return _ids(part).where(select(func.count()).select_from(by).scalar_subquery() < rows)
