"""How a period of creation is found in an order that has nothing to do with it, such as that of amounts: as a range of
ids, which begin with the moment at which they were made (ADR 0067).

The index of an order ends with the id. PostgreSQL compares that while it reads the index, many times faster than it
hands on an entry to be judged, and where many rows have the same value it skips to the next one: each of these has the
period in one place.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, literal_column, or_, select

from gateway.models.base import SAME_TIME
from gateway.resolvers.listing.cursors import Bounds, Order
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
        upto, descending = self._upto(inlined), bounds.descends(self._list.order(sort))
        ways = self._made_then(shape, sort, bounds), self._astray(shape, sort, bounds)
        # One plan serves all values: to make one takes as long as to read the page.
        ids = unseen(merged((select(way.limit(upto).subquery()) for way in ways), descending=descending))
        return self._placed(self._cut(ids, inlined, bounds), sort, bounds)

    def _made_then(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        """What has the ids of the period, from the index of the order."""
        order = self._list.order(sort)
        # A comparison of pairs would keep PostgreSQL from skipping, so that it is told where the order begins and ends,
        # and judges the pairs.
        bounding = [name for name, _ in shape if self._list.bounds_order(name, order)]
        ends = [(bindparam(name, type_=order.column.type), name.endswith(LAST)) for name in bounding]
        within = between(order.expression, ends + places_of_cursors(order, bounds))
        conditions = self._found_at((order, bounds), shape, self._list.owner(shape, sort))
        found = self._behind_cursors(order, bounds).where(*within, *conditions, *self._among_ids(*self._ids_of(shape)))
        return found.order_by(*self._order_by(order, backward=bounds.backward))

    def _astray(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        """What was created in the period and has other ids."""
        order, (begin, end), id_ = self._list.order(sort), self._ids_of(shape), self._list.table.c.id
        outside = [id_ < one.scalar_subquery() for one in begin] + [id_ > one.scalar_subquery() for one in end]
        period, others = (
            [self._list.condition(*one) for one in shape if (one[0] in PERIOD) is which] for which in (True, False)
        )
        assert self._list.stray_ids is not None
        found = self._behind_cursors(order, bounds).where(self._list.stray_ids, *period)
        # Whatever else is asked of them is judged, and an offset of nothing keeps PostgreSQL from looking for them in
        # the order: by any other index it would come by all that are none.
        found = found.where(*map(judged, (*others, or_(*outside)))).offset(literal_column("0"))
        astray = found.subquery("astray")
        place = in_way(astray.c.place, astray.c.id, descending=bounds.descends(order))
        return select(astray).order_by(*place)

    def _behind_cursors(self, order: Order, bounds: Bounds) -> Select[Any]:
        """The ids of the list and their places in the order, as far as cursors leave them."""
        id_, place = self._list.table.c.id, order.expression
        pairs = self._between_cursors(order, bounds, (place, id_))
        return select(id_, place.label("place")).where(*self._list.scope, *map(judged, pairs))

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
