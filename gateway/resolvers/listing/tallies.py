"""Tallies: how many rows of a long list have a value that it is filtered by (ADR 0041).

The rows up to the last milestone that is tallied are in `list_tallies`, what came, went or changed there afterwards is in
`list_tally_entries`, and what is younger is counted: so the total of a filter costs the same however many rows it finds, and is exact.

A column of few values has a tally for each, in each stretch of the list. A column in which rows are found between two bounds has one for
each group of neighbouring values: whole groups are summed, and what lies between a bound and the next group is counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Select,
    Table,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
)

from gateway.models.milestones import list_tallies, list_tally_entries
from gateway.resolvers.listing.cursors import BEFORE_ALL, Order
from gateway.resolvers.listing.filters import Shape, judged
from gateway.resolvers.listing.milestones import Milestones, of_list

_DIGITS = 3


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
    """No value is below the one or above the other."""


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
        """A value of the column that is bound: a bound that was sent, or one of `values`."""
        return bindparam(name, type_=self.column.type)


@dataclass(frozen=True, slots=True)
class Same:
    """A column whose rows are found by their value; if not all values are tallied, the `choices` that are."""

    column: Column[Any]
    choices: Sequence[str] = ()

    @property
    def values(self) -> dict[Shape, ColumnElement[Any]]:
        """The value that is asked for, by the filter that says so."""
        if not self.choices:
            return {((self.column.name, None),): bindparam(self.column.name, type_=self.column.type)}
        return {((self.column.name, one),): bindparam(None, one, type_=Text()) for one in self.choices}


@dataclass(frozen=True, slots=True)
class Tallies:
    """The tallies of one table's lists: of columns of few values, and of those that have bounds."""

    milestones: Milestones
    same: Sequence[Same]
    spans: Sequence[Span] = ()

    def totals(self) -> dict[Shape, ColumnElement[int]]:
        """How many rows a filter finds, or the two bounds of a column, by the filters that say so."""
        found = {shape: self.of_value(same.column, value) for same in self.same for shape, value in same.values.items()}
        for span in self.spans:
            low, high = (span.low, None), (span.high, None)
            found[(low,)] = self._between(span, low=True)
            found[(high,)] = self._between(span, high=True)
            found[(low, high)] = self._between(span, low=True, high=True)
        return found

    def values(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """What the totals of these filters bind besides the filters' own values."""
        return {name: value for span in self.spans for name, value in span.values(sent).items()}

    def of_value(self, column: Column[Any], value: ColumnElement[Any]) -> ColumnElement[int]:
        """How many rows have the value."""
        told = cast(value, Text)
        return self._kept(column, lambda group: [group == told]) + self.younger(column == value)

    def below(self, span: Span) -> ColumnElement[int]:
        """How many rows are below the lower bound, also those that miss a value."""
        first, since = span.bound(f"{span.low}_whole"), span.bound(span.low)
        groups = self._kept(span.column, lambda group: [group < span.groups.told(first)])
        return (
            groups + self.younger(span.place < first) - self.milestones.counted(span.place >= since, span.place < first)
        )

    def above(self, span: Span) -> ColumnElement[int]:
        """How many rows are above the upper bound."""
        last, until = span.bound(f"{span.high}_whole"), span.bound(span.high)
        groups = self._kept(span.column, lambda group: [group >= span.groups.told(last)])
        return (
            groups + self.younger(span.place >= last) - self.milestones.counted(span.place >= last, span.place <= until)
        )

    def missing(self, span: Span) -> ColumnElement[int]:
        """How many rows miss a value."""
        return self._kept(span.column, lambda group: [group == ""]) + self.younger(span.place <= BEFORE_ALL)

    def younger(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        """How many of the rows that aren't tallied yet meet the conditions."""
        return self.milestones.counted(self.milestones.younger(tallied=True), *map(judged, conditions))

    def changed(self, column: Column[Any], *which: ColumnElement[bool], size: bool = False) -> ColumnElement[int]:
        """How many rows more, or fewer, the tallies of these values have had since; or how many changes there were."""
        rows = func.abs(list_tally_entries.c.rows) if size else list_tally_entries.c.rows
        return self.of(list_tally_entries, column, _sum(rows)).where(*which).scalar_subquery()

    def of(self, kept: Table, column: Column[Any], *columns: Any) -> Select[Any]:
        """What the tallies or the entries have of a column."""
        return of_list(self.milestones.table, kept, *columns).where(kept.c.name == column.name)

    def _between(self, span: Span, *, low: bool = False, high: bool = False) -> ColumnElement[int]:
        place, told = span.place, span.groups.told
        since, until = span.bound(span.low), span.bound(span.high)
        first, last = span.bound(f"{span.low}_whole"), span.bound(f"{span.high}_whole")
        above = [place >= since] if low else [place > BEFORE_ALL] if span.column.nullable else []
        below = [place <= until] if high else []

        def whole(group: ColumnElement[str]) -> list[ColumnElement[bool]]:
            return [group > "", *([group >= told(first)] if low else []), *([group < told(last)] if high else [])]

        within = [*([place >= first] if low else above), *([place < last] if high else [])]
        total = self._kept(span.column, whole) + self.younger(*within)
        if low:
            total = total + self.milestones.counted(*above, *below, place < first)
        if high:
            total = total + self.milestones.counted(*above, *below, place >= last, *([place >= first] if low else []))
        return total

    def _kept(self, column: Column[Any], which: Callable[[Any], list[ColumnElement[bool]]]) -> ColumnElement[int]:
        tallied = self.of(list_tallies, column, _sum(list_tallies.c.rows)).where(*which(list_tallies.c.value))
        return tallied.scalar_subquery() + self.changed(column, *which(list_tally_entries.c.value))


def _sum(rows: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(rows), 0), BigInteger)
