"""Groups of neighbouring values, as columns with bounds are tallied by (ADR 0041, 0042): the days of a moment,
the first digits of an amount.

What lies between two bounds is some groups as a whole, and single values at either end.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import BigInteger, Column, ColumnElement, DateTime, Text, bindparam, case, cast, func, literal_column

from gateway.resolvers.listing.cursors import BEFORE_ALL, HAD, Order


class Groups(Struct, frozen=True):
    """How the values of a column are grouped: `begin` is the first value of a value's group, `end` that of the group
    after it. `told` is the group's text, by its first value, as `tallies_of` writes it (migration 0024), and `read`
    its first value, by the text.
    """

    name: str
    begin: Callable[[Any], Any]
    end: Callable[[Any], Any]
    unit: Any
    """How far apart two values are at least."""
    told: Callable[[ColumnElement[Any]], ColumnElement[str]]
    read: Callable[[ColumnElement[Any]], ColumnElement[Any]]
    least: ColumnElement[Any]
    greatest: ColumnElement[Any]
    """No value is below the one or above the other."""


def by_digits(count: int) -> Groups:
    """Amounts, by their first digits: what is asked for is mostly round."""

    def begin(amount: int) -> int:
        return amount - amount % width(amount)

    def width(amount: int) -> int:
        return int(10 ** max(len(str(amount)) - count, 0))

    return Groups(
        name=f"digits_{count}",
        begin=begin,
        end=lambda amount: begin(amount) + width(amount),
        unit=1,
        told=lambda amount: func.lpad(cast(amount, Text), 12, "0"),
        read=lambda group: cast(group, BigInteger),
        least=literal_column("0"),
        greatest=literal_column("9223372036854775807"),
    )


def _day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


BY_DAY = Groups(
    name="day",
    begin=_day,
    end=lambda moment: _day(moment) + timedelta(days=1),
    unit=timedelta(microseconds=1),
    told=lambda moment: func.to_char(func.timezone("UTC", moment), "YYYY-MM-DD"),
    read=lambda group: case((group == "", BEFORE_ALL), else_=cast(group + " 00:00:00+00", DateTime(timezone=True))),
    least=literal_column("'-infinity'::timestamptz"),
    greatest=literal_column("'infinity'::timestamptz"),
)
"""Moments, by their day in UTC. One that is missing is a group of its own, before all others."""


LAST_LETTER = chr(sys.maxunicode)
AFTER_PAIRS: ColumnElement[str] = literal_column("'0'")
"""What follows the stroke in ASCII: a value and this are after all pairs of that value."""
NO_TEXT: ColumnElement[str] = literal_column("''")


def paired(value: ColumnElement[str], other: ColumnElement[str]) -> ColumnElement[str]:
    """The text of a pair (migration 0029)."""
    return value + literal_column("'/'") + other


def between_pairs(value: ColumnElement[str], told: ColumnElement[str]) -> list[ColumnElement[bool]]:
    """The texts of all pairs of a value."""
    return [told >= paired(value, NO_TEXT), told < value + AFTER_PAIRS]


def by_letters(count: int) -> Groups:
    """Names, by their first letters as they are ordered by (migration 0030)."""
    return Groups(
        name=f"letters_{count}",
        begin=lambda name: name[:count],
        end=lambda name: name[:count] + LAST_LETTER,
        unit=LAST_LETTER,
        told=lambda name: func.left(name, literal_column(str(count))),
        read=lambda group: group,
        least=literal_column("''"),
        greatest=literal_column("repeat(chr(1114111), 500)"),
    )


class Whole(NamedTuple):
    """The groups from that of the value `since` on, and before that of `until`; from the first on, or
    to the last, if there is none.
    """

    groups: Groups
    since: ColumnElement[Any] | None
    until: ColumnElement[Any] | None

    def conditions(self, told: ColumnElement[str], of: ColumnElement[str] | None = None) -> list[ColumnElement[bool]]:
        """What is true of these groups' texts, and not of that of a value that is missing; of
        pairs, of those `of` a value.
        """
        since, until = (None if one is None else self.groups.told(one) for one in (self.since, self.until))
        if of is None:
            found = [told > ""] if since is None else [told >= since]
            return found if until is None else [*found, told < until]
        found = [told > paired(of, NO_TEXT)] if since is None else [told >= paired(of, since)]
        return [*found, told < (of + AFTER_PAIRS if until is None else paired(of, until))]


class Span(Struct, frozen=True):
    """A column that is tallied by groups. Rows are found from `low` on and up to `high`, the names of
    two filters, if there are such.
    """

    column: Column[Any]
    groups: Groups
    low: str = ""
    high: str = ""
    order: Callable[[Column[Any]], Order] = Order
    in_stretches: Sequence[Groups] = ()
    """How it is tallied in each stretch besides, the finest groups first. Of a coarser one each
    consists of whole finer ones.
    """

    @property
    def place(self) -> ColumnElement[Any]:
        """The values as lists are ordered by them, and as an index has them."""
        return self.order(self.column).expression

    def values(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The groups of the bounds: where they begin and end, and from where on and up to where groups
        lie between them as a whole.
        """
        low, high = sent.get(self.low), sent.get(self.high)
        found: dict[str, Any] = {
            f"{self.low}_begin": None if low is None else self.groups.begin(low),
            f"{self.high}_end": None if high is None else self.groups.end(high),
        }
        for levels in ((self.groups,), self.in_stretches):
            end = None if high is None else high + self.groups.unit
            for groups in levels:
                first = None if low is None else low if low == groups.begin(low) else groups.end(low)
                last = None if end is None else groups.begin(end)
                if first is not None and last is not None and first > last:
                    # One group has both bounds. What lies between them are finer ones, or rows, that end here.
                    first = last = end
                found |= {f"{self.low}_{groups.name}": first, f"{self.high}_{groups.name}": last}
                end = last
        return {name: value for name, value in found.items() if value is not None}

    def bound(self, name: str) -> ColumnElement[Any]:
        """A bound that was sent."""
        return bindparam(name, type_=self.column.type)

    def cut(self, name: str, groups: Groups) -> ColumnElement[Any]:
        """Where the groups begin, or end, that lie within that bound as a whole."""
        return self.bound(f"{name}_{groups.name}")

    def whole(self, levels: Sequence[Groups], *, low: bool, high: bool) -> list[Whole]:
        """The groups between these bounds: the coarsest that lie there as a whole, and at either end the finer ones."""
        cut, coarsest = self.cut, levels[-1]
        found = [Whole(coarsest, cut(self.low, coarsest) if low else None, cut(self.high, coarsest) if high else None)]
        for finer, coarser in pairwise(levels):
            found += [Whole(finer, cut(self.low, finer), cut(self.low, coarser))] if low else []
            found += [Whole(finer, cut(self.high, coarser), cut(self.high, finer))] if high else []
        return found

    def edges(self, finest: Groups, *, low: bool, high: bool) -> list[list[ColumnElement[bool]]]:
        """The rows between the bounds and the groups that lie there as a whole, at either end."""
        place, cut, bound = self.place, self.cut, self.bound
        found = [[place >= bound(self.low), place < cut(self.low, finest)]] if low else []
        return [*found, [place >= cut(self.high, finest), place <= bound(self.high)]] if high else found

    def between(self, since: ColumnElement[Any] | None, until: ColumnElement[Any] | None) -> list[ColumnElement[bool]]:
        """The rows from one value on and before another one; none that misses a value."""
        missing = [self.place > HAD] if self.column.nullable else []
        above = missing if since is None else [self.place >= since]
        return above if until is None else [*above, self.place < until]
