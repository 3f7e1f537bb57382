"""Where a page deep in a list begins: near the place that its number says, so that what is before it isn't read (ADR 0035, 0041).

In the order of creation that is a milestone: of the whole list, of a period, and of a value that is tallied, whose stretches say how many rows
have it. In the order of a column with bounds it is a group of values, of the whole list and between bounds.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Column, ColumnElement, Integer, Text, bindparam, case, cast, func, select, union_all

from gateway.models.milestones import list_milestones, list_tallies, list_tally_entries
from gateway.resolvers.listing.cursors import Order
from gateway.resolvers.listing.filters import Shape
from gateway.resolvers.listing.milestones import BEGINNING, END, Milestones
from gateway.resolvers.listing.tallies import Span, Tallies

_M, _T, _E = list_milestones, list_tallies, list_tally_entries
_OFFSET: ColumnElement[int] = bindparam("offset", type_=BigInteger())


class Beginning(NamedTuple):
    """From where on to read a page that begins with the row number `:offset`, and how many rows to skip from there."""

    condition: ColumnElement[bool]
    skipped: ColumnElement[int]


class Deep:
    """The pages of one list that begin near their place."""

    def __init__(self, milestones: Milestones, tallies: Tallies | None) -> None:
        self._milestones, self._tallies = milestones, tallies or Tallies(milestones, ())
        self._values = {shape: (one.column, value) for one in self._tallies.same for shape, value in one.values.items()}

    def begins(self, shape: Shape, order: Order) -> bool:
        """Whether it is known where a page of what these filters find begins."""
        return self._way_to(shape, order) is not None

    def beginning(self, shape: Shape, order: Order) -> Beginning:
        """Where it begins."""
        way = self._way_to(shape, order)
        assert way is not None
        return way(descending=order.descending)

    def _way_to(self, shape: Shape, order: Order) -> Callable[..., Beginning] | None:
        names = {name for name, _ in shape}
        if order.column is self._milestones.table.c.created_at:
            if names <= {"created_from", "created_to"}:
                return partial(self._at_milestone, names)
            return partial(self._at_stretch, *self._values[shape]) if shape in self._values else None
        for span in self._tallies.spans:
            if span.column is order.column and names <= {span.low, span.high}:
                return partial(self._at_group, span, names)
        return None

    def _at_milestone(self, names: set[str], *, descending: bool) -> Beginning:
        """In the order of creation, of the whole list or of a period, whose first row has so many before it."""
        milestones, total = self._milestones, self._milestones.total()
        rows, upto = _M.c.rows, _M.c.upto
        created_at = milestones.table.c.created_at
        if descending:
            outside = total - milestones.until("created_to") if "created_to" in names else None
            left = total - _place(outside)
            last = milestones.kept(upto).where(rows >= left).order_by(upto).limit(1)
            skipped = last.with_only_columns(rows - left).scalar_subquery()
            condition = created_at <= func.coalesce(last.scalar_subquery(), END)
        else:
            outside = milestones.before("created_from") if "created_from" in names else None
            place = _place(outside)
            last = milestones.kept(upto).where(rows <= place).order_by(upto.desc()).limit(1)
            skipped = last.with_only_columns(place - rows).scalar_subquery()
            condition = created_at > func.coalesce(last.scalar_subquery(), BEGINNING)
        return Beginning(condition, func.coalesce(_within(skipped, outside), _OFFSET))

    def _at_stretch(self, column: Column[Any], value: ColumnElement[Any], *, descending: bool) -> Beginning:
        """In the order of creation, of a value that is tallied in each stretch."""
        tallies, told = self._tallies, cast(value, Text)
        parts = (tallies.of(t, column, t.c.stretch, t.c.rows).where(t.c.value == told) for t in (_T, _E))
        kept = union_all(*parts).subquery("kept")
        summed = select(kept.c.stretch, cast(func.sum(kept.c.rows), Integer).label("rows")).group_by(kept.c.stretch)
        staged = summed.subquery("staged")
        way = _way(descending=descending)
        upto = func.sum(staged.c.rows).over(order_by=way(staged.c.stretch), rows=(None, 0))
        placed = select(staged.c.stretch, (upto - staged.c.rows).label("passed"), upto.label("upto")).subquery("placed")
        # What is younger than the last stretch comes before it, or after it.
        place = _OFFSET - tallies.younger(column == value) if descending else _OFFSET
        reached = select(placed).where(placed.c.upto > place).order_by(way(placed.c.stretch)).limit(1)
        first = reached.cte("begun").prefix_with("materialized")
        stretch, passed = select(first.c.stretch).scalar_subquery(), select(first.c.passed).scalar_subquery()
        created_at = self._milestones.table.c.created_at
        if descending:
            end = self._last_of(_M.c.stretch <= stretch)
            condition = created_at <= case((place < 0, END), else_=func.coalesce(end, BEGINNING))
            return Beginning(condition, case((place < 0, _OFFSET), else_=place - func.coalesce(passed, 0)))
        since = case((stretch.is_(None), self._last_of()), else_=self._last_of(_M.c.stretch < stretch))
        all_of_them = select(func.coalesce(func.sum(staged.c.rows), 0)).scalar_subquery()
        return Beginning(created_at > func.coalesce(since, BEGINNING), place - func.coalesce(passed, all_of_them))

    def _last_of(self, *stretches: ColumnElement[bool]) -> ColumnElement[Any]:
        """The last moment of these stretches that is tallied."""
        tallied = self._milestones.kept(_M.c.upto).where(_M.c.tallied, *stretches)
        return tallied.order_by(_M.c.upto.desc()).limit(1).scalar_subquery()

    def _at_group(self, span: Span, names: set[str], *, descending: bool) -> Beginning:
        """In the order of a column with bounds, of the whole list or between them."""
        tallies, column = self._tallies, span.column
        outside = self._outside(span, names, descending=descending)
        value, rows = _T.c.value, cast(_T.c.rows, Integer)
        way = _way(descending=descending)
        # Read from the great end, a group begins where the one before it does. The first begins with the list: what is younger may come before it.
        previous = func.lag(value).over(order_by=way(value))
        edge = previous if descending else case((previous.is_not(None), value))
        upto = func.sum(rows).over(order_by=way(value), rows=(None, 0))
        summed = tallies.of(_T, column, value, edge.label("edge"), (upto - rows).label("passed"), upto.label("upto"))
        placed = summed.subquery("placed")
        # What is younger, or has changed, may stand before any group: as if all of it did, and what did not is skipped.
        unsure = tallies.younger() + tallies.changed(column, size=True)
        reached = placed.c.upto + unsure > func.least(_place(outside), self._milestones.total() - 1)
        first = select(placed).where(reached).order_by(way(placed.c.value)).limit(1)
        begun = first.cte("begun").prefix_with("materialized")
        told = select(begun.c.edge).scalar_subquery()
        begin = span.groups.read(told)
        if descending:
            condition = span.place < func.coalesce(begin, span.groups.greatest)
            before = tallies.younger(span.place >= begin) + tallies.changed(column, _E.c.value >= told)
        else:
            condition = span.place >= func.coalesce(begin, span.groups.least)
            before = tallies.younger(span.place < begin) + tallies.changed(column, _E.c.value < told)
        passed = func.coalesce(select(begun.c.passed).scalar_subquery(), 0)
        return Beginning(condition, _within(_place(outside) - passed - before, outside))

    def _outside(self, span: Span, names: set[str], *, descending: bool) -> ColumnElement[int] | None:
        """How many rows there are before the bound that is read from, if there is one."""
        if descending:
            return self._tallies.above(span) if span.high in names else None
        if span.low in names:
            return self._tallies.below(span)
        return self._tallies.missing(span) if names and span.column.nullable else None


def _place(outside: ColumnElement[int] | None) -> ColumnElement[int]:
    """Where in the whole list the page begins."""
    return _OFFSET if outside is None else _OFFSET + outside


def _within(skipped: ColumnElement[int], outside: ColumnElement[int] | None) -> ColumnElement[int]:
    """How many rows to skip: none that lies outside, where what is read begins before the bound."""
    return skipped if outside is None else func.least(skipped, _OFFSET)


def _way(*, descending: bool) -> Callable[[ColumnElement[Any]], ColumnElement[Any]]:
    return (lambda one: one.desc()) if descending else (lambda one: one.asc())
