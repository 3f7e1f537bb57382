"""How a period of creation is found in an order that has nothing to do with it, such as that of amounts: as a range of
ids, which begin with the moment at which they were made (ADR 0067).

The index of an order ends with the id. PostgreSQL compares that while it reads the index, many times faster than it
hands on an entry to be judged, and where many rows have the same value it skips to the next one: each of these has the
period in one place.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, literal_column, or_, select

from gateway.models.base import SAME_TIME
from gateway.resolvers.listing.cursors import Bounds
from gateway.resolvers.listing.declared import LAST
from gateway.resolvers.listing.filters import PERIOD, Condition, Shape, any_of, judged, unseen
from gateway.resolvers.listing.following import FollowingSelects, between, places_of_cursors
from gateway.resolvers.listing.selects import Inlined, ends_of, in_way, merged

_SLACK: ColumnElement[Any] = literal_column(f"interval '{SAME_TIME.seconds} seconds'")
_UNTOLD: ColumnElement[Any] = literal_column("interval '1 millisecond'")
"""What an id doesn't tell of its moment."""
_FIRST: ColumnElement[Any] = literal_column("'epoch'::timestamptz")
"""Before that there are no ids."""
_Ids = list[Select[Any]]


class PeriodSelects(FollowingSelects):
    """The queries of one list, with those of a range of ids."""

    def period_rows(self, shape: Shape, sort: str, bounds: Bounds, inlined: Inlined) -> Select[Any]:
        """As `rows`, of a period of creation in another order: what has the ids of it, and the strays."""
        assert self._list.stray_ids is not None
        order, id_ = self._list.order(sort), self._list.table.c.id
        place, at_cursors = order.expression, places_of_cursors(order, bounds)
        bounding = [name for name, _ in shape if self._list.bounds_order(name, order)]
        # A comparison of pairs would keep PostgreSQL from skipping, so that it is told where the order begins and ends,
        # and judges the pairs.
        ends = [(bindparam(name, type_=order.column.type), name.endswith(LAST)) for name in bounding] + at_cursors
        pairs = self._between_cursors(order, bounds, (place, id_))
        found = select(id_, place.label("place")).where(*self._list.scope, *between(place, ends), *map(judged, pairs))
        found = found.where(*self._found_at((order, bounds), shape, self._list.owner(shape, sort)))
        begin, end = self._ids_of(shape)
        outside = [id_ < one.scalar_subquery() for one in begin] + [id_ > one.scalar_subquery() for one in end]
        period = [self._list.condition(*one) for one in shape if one[0] in PERIOD]
        made_then = found.where(*self._among_ids(begin, end)).order_by(*self._order_by(order, backward=bounds.backward))
        # An offset of nothing keeps PostgreSQL from looking for the strays in the order, where most are none.
        strays = (
            found.where(self._list.stray_ids, judged(or_(*outside)), *period).offset(literal_column("0")).subquery()
        )
        descending = bounds.descends(order)
        astray = select(strays).order_by(*in_way(strays.c.place, strays.c.id, descending=descending))
        ways = (select(way.limit(self._upto(inlined)).subquery()) for way in (made_then, astray))
        # One plan serves all values: to make one takes as long as to read the page.
        ids = unseen(merged(ways, descending=descending))
        return self._placed(self._cut(ids, inlined, bounds), sort, bounds)

    def _ids_of(self, shape: Shape) -> tuple[_Ids, _Ids]:
        """The first id that a row of the period may have, and one behind the last, as far as it is bounded."""
        begin: _Ids = []
        end: _Ids = []
        for name, is_last in ends_of(shape):
            moment: ColumnElement[Any] = bindparam(name, type_=self._list.table.c.created_at.type)
            edge = moment + _SLACK + _UNTOLD if is_last else moment - _SLACK
            (end if is_last else begin).append(select(func.part_begin(func.greatest(edge, _FIRST))))
        return begin, end

    def _among_ids(self, begin: _Ids, end: _Ids) -> list[Condition]:
        """That a row has one of these ids, said twice.

        Once for the index of the order, as if there were several bounds of which any is enough: the planner then takes
        most rows to be among them, and has no reason to find them by another index and sort them. And once for the
        parts of a table that have no such id, so that these aren't read: of any of several bounds PostgreSQL doesn't
        know it, and a single one would have it take the index of ids.
        """
        id_ = self._list.table.c.id
        several = [id_ >= any_of(one, id_) for one in begin] + [id_ <= any_of(one, id_) for one in end]
        first, last = ([one.scalar_subquery() for one in ends] for ends in (begin, end))
        parts = [or_(id_ >= one, id_ == one) for one in first] + [or_(id_ <= one, id_ == one) for one in last]
        return [*several, *parts]
