"""Where a page deep in a list begins: near the place that its number says, so that what is before it isn't
read (ADR 0035, 0041, 0042).

In the order of creation that is a milestone: of the whole list, of a period, and of a filter that is tallied in
each stretch. In the order of a column that is tallied by groups it is one of these, of the whole list or of a
status, and between its bounds.
"""

import operator
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    Column,
    ColumnElement,
    Integer,
    Subquery,
    and_,
    bindparam,
    case,
    cast,
    func,
    select,
)

from gateway.models.milestones import list_milestones, list_tallies, list_tally_entries
from gateway.resolvers.listing.cursors import Order
from gateway.resolvers.listing.filters import PERIOD, Shape, judged, without_period
from gateway.resolvers.listing.groups import Span
from gateway.resolvers.listing.milestones import BEGINNING, END, Milestones, added
from gateway.resolvers.listing.tallies import InStretches, Tallies

_M, _T, _E = list_milestones, list_tallies, list_tally_entries
_OFFSET: ColumnElement[int] = bindparam("offset", type_=BigInteger())


class Beginning(NamedTuple):
    """From where on to read a page that begins with the row number `:offset`: the rows of which `compare` is true with
    `edge`, and how many of them to skip.
    """

    place: ColumnElement[Any]
    compare: Callable[[Any, Any], ColumnElement[bool]]
    edge: ColumnElement[Any]
    skipped: ColumnElement[int]

    @property
    def condition(self) -> ColumnElement[bool]:
        """The rows that are read."""
        return self.compare(self.place, self.edge)


class Deep:
    """The pages of one list that begin near their place."""

    def __init__(self, milestones: Milestones, tallies: Tallies | None) -> None:
        self._milestones, self._tallies = milestones, tallies or Tallies(milestones)
        self._way_to = lru_cache(maxsize=512)(self._find_way)

    def begins(self, shape: Shape, order: Order) -> bool:
        """Whether it is known where a page of what these filters find begins."""
        return self._way_to(shape, order) is not None

    def beginning(self, shape: Shape, order: Order) -> Beginning:
        """Where that is, reckoned once in a statement."""
        way = self._way_to(shape, order)
        assert way is not None
        place, compare, edge, skipped = way(descending=order.descending)
        return Beginning(place, compare, **_once("beginning", edge=edge, skipped=skipped))

    def _find_way(self, shape: Shape, order: Order) -> Callable[..., Beginning] | None:
        names = {name for name, _ in shape}
        if order.column is self._milestones.table.c.created_at:
            period = names & {*PERIOD}
            if names == period:
                return partial(self._at_milestone, period)
            told = self._tallies.in_stretches(without_period(shape))
            return None if told is None else partial(self._at_stretch, told, period)
        for span in self._tallies.spans:
            if span.column is order.column:
                return self._way_by_groups(span, shape)
        return None

    def _way_by_groups(self, span: Span, shape: Shape) -> Callable[..., Beginning] | None:
        """Of all rows, or of those with the value of a pair, between the bounds of the column of the order."""
        tallies, others = self._tallies, shape
        if span.low and (pair := tallies.pair(shape)) is not None and pair.besides is None:
            tallies, others, _ = pair
        names = {name for name, _ in others}
        return partial(self._at_group, span, names, tallies) if names <= {span.low, span.high} else None

    def _at_milestone(self, period: set[str], *, descending: bool) -> Beginning:
        """In the order of creation, of the whole list or of a period, whose first row has so many before it."""
        milestones, total = self._milestones, self._milestones.total()
        rows, upto = _M.c.rows, _M.c.upto
        if descending:
            outside = total - milestones.until(PERIOD[1]) if PERIOD[1] in period else None
            left = total - _place(outside)
            last = milestones.kept(upto).where(rows >= left).order_by(upto).limit(1)
            skipped = last.with_only_columns(rows - left).scalar_subquery()
            compare, edge = operator.le, func.coalesce(last.scalar_subquery(), END)
        else:
            outside = milestones.before(PERIOD[0]) if PERIOD[0] in period else None
            place = _place(outside)
            last = milestones.kept(upto).where(rows <= place).order_by(upto.desc()).limit(1)
            skipped = last.with_only_columns(place - rows).scalar_subquery()
            compare, edge = operator.gt, func.coalesce(last.scalar_subquery(), BEGINNING)
        from_there = func.coalesce(_within(skipped, outside), _OFFSET)
        return Beginning(milestones.table.c.created_at, compare, edge, from_there)

    def _at_stretch(self, told: InStretches, period: set[str], *, descending: bool) -> Beginning:
        """In the order of creation, of what is tallied in each stretch, or what of it is of a period."""
        milestones, created_at = self._milestones, self._milestones.table.c.created_at
        staged = _staged(told)
        placed = _placed_stretches(staged, descending=descending)
        outside = self._created_outside(told, period, descending=descending)
        known = _once(
            "known",
            # What is younger than the last stretch comes before it, or after it.
            place=_place(outside) - self._tallies.younger(told.found) if descending else _place(outside),
            # What no tally has may stand before any stretch: as if all of it did, and what did not is skipped.
            unsure=added(milestones.counted(*other) for other in told.others),
            last=self._last_of(),
        )
        place, unsure, last = known["place"], known["unsure"], known["last"]
        begun = _begun(placed, placed.c.stretch, placed.c.upto + unsure > place, descending=descending)
        found, before, passed = (
            select(one).scalar_subquery() for one in (begun.c.stretch, begun.c.previous, begun.c.passed)
        )
        # The first stretch begins with the list. Behind the last one there is what is younger, or nothing.
        behind = and_(found.is_(None), place >= unsure)
        if descending:
            moment = case((behind, BEGINNING), (before.is_(None), END), else_=self._last_of(_M.c.stretch < before))
            edge = _once("reached", edge=func.coalesce(moment, BEGINNING))["edge"]
            others = (
                milestones.counted(*one, judged(created_at > edge), judged(created_at <= last)) for one in told.others
            )
            from_there = _within(place - passed - added(others), outside)
            return Beginning(created_at, operator.le, edge, case((before.is_(None), _OFFSET), else_=from_there))
        moment = case((behind, last), (before.is_not(None), self._last_of(_M.c.stretch <= before)))
        edge = _once("reached", edge=func.coalesce(moment, BEGINNING))["edge"]
        others = (milestones.counted(*one, judged(created_at <= edge)) for one in told.others)
        all_of_them = select(func.coalesce(func.sum(staged.c.rows), 0)).scalar_subquery()
        from_there = place - func.coalesce(passed, all_of_them) - added(others)
        return Beginning(created_at, operator.gt, edge, _within(from_there, outside))

    def _created_outside(self, told: InStretches, period: set[str], *, descending: bool) -> ColumnElement[int] | None:
        """How many of these rows there are before the bound that is read from, if there is one."""
        since, until = PERIOD
        if descending:
            return self._tallies.within(told, since=until, bounds_too=False) if until in period else None
        return self._tallies.within(told, until=since, bounds_too=False) if since in period else None

    def _last_of(self, *stretches: ColumnElement[bool]) -> ColumnElement[Any]:
        """The last moment of these stretches that is tallied."""
        tallied = self._milestones.kept(_M.c.upto).where(_M.c.tallied, *stretches)
        return tallied.order_by(_M.c.stretch.desc(), _M.c.upto.desc()).limit(1).scalar_subquery()

    def _at_group(self, span: Span, names: set[str], tallies: Tallies, *, descending: bool) -> Beginning:
        """In the order of a column with bounds, of the whole list or between them."""
        column, groups = span.column, tallies.groups
        outside = self._outside(span, names, tallies, descending=descending)
        placed = _placed_groups(column, tallies, descending=descending)
        known = _once(
            "known",
            place=_place(outside),
            last=tallies.rows - 1,
            # What is younger, or has changed, may stand before any group: as if all of it did,
            # and what did not is skipped.
            unsure=tallies.younger() + tallies.changed(column, size=True),
        )
        reached = placed.c.upto + known["unsure"] > func.least(known["place"], known["last"])
        begun = _begun(placed, placed.c.value, reached, descending=descending)
        told = tallies.group(select(begun.c.begins).scalar_subquery())
        begin = span.groups.read(told)
        if descending:
            compare, edge = operator.lt, func.coalesce(begin, span.groups.greatest)
            passed_by = groups(lambda group: group >= told)
            before = tallies.younger(span.place >= begin) + tallies.changed(column, *passed_by(_E.c.value))
        else:
            compare, edge = operator.ge, func.coalesce(begin, span.groups.least)
            passed_by = groups(lambda group: group < told)
            before = tallies.younger(span.place < begin) + tallies.changed(column, *passed_by(_E.c.value))
        passed = func.coalesce(select(begun.c.passed).scalar_subquery(), 0)
        return Beginning(span.place, compare, edge, _within(known["place"] - passed - before, outside))

    def _outside(self, span: Span, names: set[str], tallies: Tallies, *, descending: bool) -> ColumnElement[int] | None:
        """How many rows there are before the bound that is read from, if there is one."""
        if descending:
            return tallies.above(span) if span.high in names else None
        if span.low in names:
            return tallies.below(span)
        return tallies.missing(span) if names and span.column.nullable else None


def _staged(told: InStretches) -> Subquery:
    """How many rows there are in each stretch."""
    each = told.rows.subquery("each")
    rows = cast(func.sum(each.c.rows), Integer).label("rows")
    return select(each.c.stretch, rows).group_by(each.c.stretch).subquery("staged")


def _placed_stretches(staged: Subquery, *, descending: bool) -> Subquery:
    """The stretches as they are read: the `previous` one of each, and how many rows there are before it, `passed`, and
    `upto` its end.
    """
    stretch, rows, way = staged.c.stretch, staged.c.rows, _way(descending=descending)
    previous = func.lag(stretch).over(order_by=way(stretch)).label("previous")
    upto = func.sum(rows).over(order_by=way(stretch), rows=(None, 0))
    return select(stretch, previous, (upto - rows).label("passed"), upto.label("upto")).subquery("placed")


def _placed_groups(column: Column[Any], tallies: Tallies, *, descending: bool) -> Subquery:
    """The groups of a column as they are read: where each `begins`, how many rows are before it,
    `passed`, and `upto` its end.
    """
    value, rows, way = _T.c.value, cast(_T.c.rows, Integer), _way(descending=descending)
    # Read from the great end, a group begins where the one before it does. The first begins with the list: what is
    # younger may come before it.
    previous = func.lag(value).over(order_by=way(value))
    begins = previous if descending else case((previous.is_not(None), value))
    upto = func.sum(rows).over(order_by=way(value), rows=(None, 0))
    summed = tallies.of(_T, column, value, begins.label("begins"), (upto - rows).label("passed"), upto.label("upto"))
    return summed.where(*tallies.groups()(value)).subquery("placed")


def _begun(placed: Subquery, key: ColumnElement[Any], reached: ColumnElement[bool], *, descending: bool) -> CTE:
    """The stretch or the group in which the page begins: the first, as they are read, that has `reached` its place."""
    first = select(placed).where(reached).order_by(_way(descending=descending)(key)).limit(1)
    return first.cte("begun").prefix_with("materialized")


def _once(name: str, **columns: ColumnElement[Any]) -> dict[str, ColumnElement[Any]]:
    """These, reckoned once in a statement, however often it speaks of them."""
    known = select(*(one.label(key) for key, one in columns.items())).cte(name).prefix_with("materialized")
    return {key: select(known.c[key]).scalar_subquery() for key in columns}


def _place(outside: ColumnElement[int] | None) -> ColumnElement[int]:
    """Where in the whole list the page begins."""
    return _OFFSET if outside is None else _OFFSET + outside


def _within(skipped: ColumnElement[int], outside: ColumnElement[int] | None) -> ColumnElement[int]:
    """How many rows to skip: none that lies outside, where what is read begins before the bound."""
    return skipped if outside is None else func.least(skipped, _OFFSET)


def _way(*, descending: bool) -> Callable[[ColumnElement[Any]], ColumnElement[Any]]:
    return (lambda one: one.desc()) if descending else (lambda one: one.asc())
