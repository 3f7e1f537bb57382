"""Tallies: how many rows of a long list have a value that it is filtered by (ADR 0041).

The rows up to the last milestone that is tallied are in `list_tallies`, what came, went or changed there afterwards is in
`list_tally_entries`, and what is younger is counted: so the total of a filter costs the same however many rows it finds, and is exact.

A column of few values has a tally for each. A column in which rows are found between two bounds has one for each group of neighbouring
values: whole groups are summed, and what lies between a bound and the next group is counted. Where a list is ordered by such a column, a
page deep in it begins at its group.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
    union_all,
)

from gateway.models.milestones import list_tallies, list_tally_entries
from gateway.resolvers.listing.cursors import BEFORE_ALL, Order
from gateway.resolvers.listing.filters import Filter, judged
from gateway.resolvers.listing.milestones import Milestones, of_list

Shape: TypeAlias = tuple[tuple[str, str | None], ...]
"""The filters of a statement by name, with the value where each value is a condition of its own."""

_DIGITS = 3
_KEPT = (list_tallies, list_tally_entries)


@dataclass(frozen=True, slots=True)
class Groups:
    """How the values of a column are grouped: `begin` is the first value of a value's group, `end` that of the group after it. `told` is
    the group's text, by its first value, as `tallies_of` writes it (migration 0023), and `read` its first value, by the text.
    """

    begin: Callable[[Any], Any]
    end: Callable[[Any], Any]
    unit: Any
    """How far apart two values are at least."""
    told: Callable[[ColumnElement[Any]], ColumnElement[str]]
    read: Callable[[ColumnElement[Any]], ColumnElement[Any]]
    least: ColumnElement[Any]
    greatest: ColumnElement[Any]


def _width(amount: int) -> int:
    return int(10 ** max(len(str(amount)) - _DIGITS, 0))


def _day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


BY_DIGITS = Groups(
    begin=lambda amount: amount - amount % _width(amount),
    end=lambda amount: amount - amount % _width(amount) + _width(amount),
    unit=1,
    told=lambda amount: func.lpad(cast(amount, Text), 12, "0"),
    read=lambda group: cast(group, BigInteger),
    least=literal_column("0"),
    greatest=literal_column("9223372036854775807"),
)
"""Amounts, by their first three digits: what is asked for is mostly round."""
BY_DAY = Groups(
    begin=_day,
    end=lambda moment: _day(moment) + timedelta(days=1),
    unit=timedelta(microseconds=1),
    told=lambda moment: func.to_char(func.timezone("UTC", moment), "YYYY-MM-DD"),
    read=lambda group: case((group == "", BEFORE_ALL), else_=cast(group + " 00:00:00+00", DateTime(timezone=True))),
    least=literal_column("'-infinity'::timestamptz"),
    greatest=literal_column("'infinity'::timestamptz"),
)
"""Moments, by their day in UTC. One that is missing is a group of its own, before all others."""


@dataclass(frozen=True, slots=True)
class Span:
    """A column in which rows are found from `low` on and up to `high`, the names of two filters."""

    column: Column[Any]
    low: str
    high: str
    groups: Groups

    @property
    def place(self) -> ColumnElement[Any]:
        """The values as lists are ordered by them, and as an index has them."""
        return Order(self.column).expression

    def values(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """From where on and up to where groups lie between the bounds as a whole. One group around both bounds ends before it begins."""
        found = {}
        if self.low in sent:
            low, begin = sent[self.low], self.groups.begin(sent[self.low])
            found[f"{self.low}_whole"] = low if low == begin else self.groups.end(low)
        if self.high in sent:
            found[f"{self.high}_whole"] = self.groups.begin(sent[self.high] + self.groups.unit)
        return found

    def bound(self, name: str) -> ColumnElement[Any]:
        return bindparam(name, type_=self.column.type)


@dataclass(frozen=True, slots=True)
class Tallies:
    """The tallies of one table's lists: of columns of few values, and of those that have bounds."""

    milestones: Milestones
    same: Sequence[Column[Any]]
    spans: Sequence[Span] = ()

    def totals(self, filters: Mapping[str, Filter]) -> dict[Shape, ColumnElement[int]]:
        """How many rows a filter finds, or the two bounds of a column, by the filters that say so."""
        found: dict[Shape, ColumnElement[int]] = {}
        for column in self.same:
            declared = filters[column.name]
            if isinstance(declared, Mapping):
                found |= {((column.name, choice),): self._of_value(column, _literal(choice)) for choice in declared}
            else:
                found[((column.name, None),)] = self._of_value(column, bindparam(column.name, type_=column.type))
        for span in self.spans:
            low, high = (span.low, None), (span.high, None)
            found[(low,)] = self._between(span, low=True)
            found[(high,)] = self._between(span, high=True)
            found[(low, high)] = self._between(span, low=True, high=True)
        return found

    def values(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """What the totals of these filters bind besides the filters' own values."""
        return {name: value for span in self.spans for name, value in span.values(sent).items()}

    def start(self, column: Column[Any], *, descending: bool) -> tuple[ColumnElement[bool], ColumnElement[int]]:
        """Where to begin to read from `:offset` on in the order of a column with bounds: a condition, and how many rows to skip then."""
        span = next(span for span in self.spans if span.column is column)
        offset = bindparam("offset", type_=BigInteger())
        kept = union_all(
            *(of_list(self.milestones.table, t.c.value, t.c.rows).where(t.c.name == column.name) for t in _KEPT)
        )
        every = kept.subquery("kept")
        rows = func.sum(every.c.rows)
        groups = select(every.c.value, rows.label("rows")).group_by(every.c.value).subquery("group")
        order = groups.c.value.desc() if descending else groups.c.value
        # Read from the great end, a group's first row comes after all rows of the group before it.
        edge = func.lag(groups.c.value).over(order_by=order) if descending else groups.c.value
        passed = (func.sum(groups.c.rows).over(order_by=order) - groups.c.rows).label("passed")
        placed = select(edge.label("edge"), passed).subquery("placed")
        # Of what is younger no group knows: as if it came all before.
        begun = placed.c.passed + self._younger() <= offset
        last = (
            select(placed)
            .where(begun)
            .order_by(placed.c.passed.desc())
            .limit(1)
            .cte("begun")
            .prefix_with("materialized")
        )
        begin = span.groups.read(select(last.c.edge).scalar_subquery())
        if descending:
            begins, before = span.place < func.coalesce(begin, span.groups.greatest), span.place >= begin
        else:
            begins, before = span.place >= func.coalesce(begin, span.groups.least), span.place < begin
        known = func.coalesce(select(cast(last.c.passed, BigInteger)).scalar_subquery(), 0)
        return begins, offset - known - self._younger(before)

    def _of_value(self, column: Column[Any], value: ColumnElement[Any]) -> ColumnElement[int]:
        told = cast(value, Text)
        return self._kept(column, lambda group: [group == told]) + self._younger(column == value)

    def _between(self, span: Span, *, low: bool = False, high: bool = False) -> ColumnElement[int]:
        place, told = span.place, span.groups.told
        since, until = span.bound(span.low), span.bound(span.high)
        first, last = span.bound(f"{span.low}_whole"), span.bound(f"{span.high}_whole")
        above = [place >= since] if low else [place > BEFORE_ALL] if span.column.nullable else []
        below = [place <= until] if high else []

        def whole(group: ColumnElement[str]) -> list[ColumnElement[bool]]:
            return [group > "", *([group >= told(first)] if low else []), *([group < told(last)] if high else [])]

        within = [*([place >= first] if low else above), *([place < last] if high else [])]
        total = self._kept(span.column, whole) + self._younger(*within)
        if low:
            total = total + self._counted(*above, *below, place < first)
        if high:
            total = total + self._counted(*above, *below, place >= last, *([place >= first] if low else []))
        return total

    def _kept(self, column: Column[Any], which: Callable[[Any], list[ColumnElement[bool]]]) -> ColumnElement[int]:
        def of(table: Any) -> ColumnElement[int]:
            summed = cast(func.coalesce(func.sum(table.c.rows), 0), BigInteger)
            mine = of_list(self.milestones.table, table.c.rows).where(
                table.c.name == column.name, *which(table.c.value)
            )
            return mine.with_only_columns(summed).scalar_subquery()

        return of(list_tallies) + of(list_tally_entries)

    def _younger(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        """How many of the rows that aren't tallied yet meet the conditions."""
        return self._counted(self.milestones.younger(tallied=True), *map(judged, conditions))

    def _counted(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        counted = select(func.count()).select_from(self.milestones.table)
        return counted.where(*self.milestones.scope, *conditions).scalar_subquery()


def _literal(choice: str) -> ColumnElement[Any]:
    return bindparam(None, choice, type_=Text())
