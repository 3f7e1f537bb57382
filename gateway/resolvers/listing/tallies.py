"""Tallies: how many rows of a long list have a value that it is filtered or ordered by (ADR 0041, 0042).

The rows up to the last milestone that is tallied are in `list_tallies`, what came, went or changed there afterwards
is in `list_tally_entries`, and what is younger is counted: so the total of a filter costs the same however many
rows it finds, and is exact.

A column of few values has a tally for each, in each stretch of the list. A column in which rows are found between two
bounds, or that a list is ordered by, has one for each group of neighbouring values: whole groups are summed, and what
lies between a bound and the next group is counted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import ge, gt, le, lt
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import (
    Column,
    ColumnElement,
    CompoundSelect,
    ScalarSelect,
    Select,
    Subquery,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from gateway.models.milestones import list_milestones, list_tallies, list_tally_entries
from gateway.resolvers.listing.cursors import HAD
from gateway.resolvers.listing.dictionary import Dictionary
from gateway.resolvers.listing.filters import PERIOD, Shape, judged, unseen, without_period
from gateway.resolvers.listing.groups import NO_TEXT, Groups, Span, between_pairs, paired
from gateway.resolvers.listing.milestones import BEGINNING, END, Milestones, added, of_list, summed

_M = list_milestones
_FIRST: ColumnElement[int] = literal_column("500")
"""So many tallies of a period are often enough to know that it is long."""
_Which: TypeAlias = Callable[[ColumnElement[str]], list[ColumnElement[bool]]]


class Same(Struct, frozen=True):
    """A column whose rows are found by their value; if not all values are tallied, the `choices` that are. `besides`
    says which rows are found by a choice that have another value.
    """

    column: Column[Any]
    choices: Sequence[str] = ()
    besides: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)

    @property
    def values(self) -> dict[Shape, tuple[ColumnElement[Any], ColumnElement[bool] | None]]:
        """The value that is asked for, and what is found besides, by the filter that says so."""
        if not self.choices:
            return {((self.column.name, None),): (bindparam(self.column.name, type_=self.column.type), None)}
        told = {one: bindparam(None, one, type_=Text()) for one in self.choices}
        return {((self.column.name, one),): (value, self.besides.get(one)) for one, value in told.items()}


class Only(NamedTuple):
    """Of tallied pairs, those with one value in the column that is paired."""

    column: Column[Any]
    value: ColumnElement[Any]


class Pair(NamedTuple):
    """Two filters, of which one is the value of the column that is paired."""

    tallies: "Tallies"
    """Of what has this value."""
    others: Shape
    besides: ColumnElement[bool] | None
    """What the value's filter finds that has another value."""


class InStretches(NamedTuple):
    """What is known of a filter in each stretch."""

    rows: CompoundSelect[Any]
    """`stretch` and `rows`, to be summed: how many rows it finds there."""
    found: ColumnElement[bool]
    """What it finds."""
    others: list[list[ColumnElement[bool]]]
    """What of that is in no tally."""


class Tallies(Struct, frozen=True):
    """The tallies of one table's lists: of columns of few values, and of those that have bounds."""

    milestones: Milestones
    same: Sequence[Same] = ()
    spans: Sequence[Span] = ()
    paired: Same | None = None
    """The column whose values are tallied together with those of each other one that has
    filters, as `status/amount`.
    """
    only: Only | None = None
    dictionary: Callable[[Shape], Dictionary | None] = lambda _shape: None
    """What filters are looked up in, if they are."""

    def total(self, shape: Shape, enough: int | None = None) -> ColumnElement[int] | None:
        """How many rows these filters find, if they are one that is tallied, or the two bounds of a column, and a
        period of creation or none; or two that are tallied as a pair. At least so many, of a period, if it is more
        than `enough` to know.
        """
        since, until = (name if (name, None) in shape else "" for name in PERIOD)
        if since or until:
            told = self.in_stretches(without_period(shape))
            return None if told is None else self.within(told, since, until, enough=enough)
        known = self.alone(shape)
        return self._of_pair(shape) if known is None else known

    def alone(self, shape: Shape) -> ColumnElement[int] | None:
        """How many rows a filter finds, if this is one that is tallied, or the two bounds of a column."""
        if dictionary := self.dictionary(shape):
            return dictionary.total()
        for one in self.same:
            if shape in one.values:
                return self.of_value(one.column, *one.values[shape])
        for span in self.spans:
            if shape in _bounded(span):
                return self._between(span, **_bounded(span)[shape])
        return None

    def pair(self, shape: Shape) -> Pair | None:
        """These filters, if one of them is of the column that is paired."""
        if self.paired is None:
            return None
        for told, (value, besides) in self.paired.values.items():
            others = tuple(one for one in shape if one not in told)
            if len(others) < len(shape):
                return Pair(replace(self, only=Only(self.paired.column, value)), others, besides)
        return None

    def _of_pair(self, shape: Shape) -> ColumnElement[int] | None:
        pair = self.pair(shape)
        total = None if pair is None else pair.tallies.alone(pair.others)
        if pair is None or total is None or pair.besides is None:
            return total
        return total + self.milestones.counted(pair.besides, *map(judged, self._found(pair.others)))

    def _found(self, shape: Shape) -> list[ColumnElement[bool]]:
        """What one filter finds, told row by row."""
        for one in self.same:
            if shape in one.values:
                return [one.column == one.values[shape][0]]
        (span,) = (one for one in self.spans if shape in _bounded(one))
        bounds = _bounded(span)[shape]
        found = span.between(span.bound(span.low) if bounds["low"] else None, None)
        return [*found, span.place <= span.bound(span.high)] if bounds["high"] else found

    def in_stretches(self, shape: Shape) -> InStretches | None:
        """What is known of the rows that these filters find in each stretch, if it is."""
        known = self.alone_in_stretches(shape)
        return self._pair_in_stretches(shape) if known is None else known

    def _pair_in_stretches(self, shape: Shape) -> InStretches | None:
        pair = self.pair(shape)
        told = None if pair is None else pair.tallies.alone_in_stretches(pair.others)
        if pair is None or told is None:
            return None
        found = and_(*pair.tallies.are_meant)
        others = [[*edge, found] for edge in told.others]
        if pair.besides is not None:
            found, others = or_(found, pair.besides), [*others, [pair.besides, told.found]]
        return InStretches(told.rows, and_(found, told.found), others)

    def alone_in_stretches(self, shape: Shape) -> InStretches | None:
        """The same of a filter, or of the two bounds of a column."""
        if dictionary := self.dictionary(shape):
            rows = self._rows(dictionary.in_stretches, dictionary.of_stretches)
            return InStretches(union_all(*rows), judged(dictionary.condition), [])
        for one in self.same:
            if shape in one.values:
                value, besides = one.values[shape]
                rows = self._rows(one.column.name, partial(_is, value, of=self._value))
                others = [] if besides is None else [besides]
                return InStretches(union_all(*rows), or_(one.column == value, *others), [[other] for other in others])
        for span in self.spans:
            if span.in_stretches and shape in _bounded(span):
                bounds = _bounded(span)[shape]
                wholes = span.whole(span.in_stretches, **bounds)
                rows = [
                    part
                    for one in wholes
                    for part in self._rows(_of_stretches(span, one.groups), partial(one.conditions, of=self._value))
                ]
                edges = span.edges(span.in_stretches[0], **bounds)
                return InStretches(union_all(*rows), and_(*map(judged, self._found(shape))), edges)
        return None

    def within(
        self, told: InStretches, since: str = "", until: str = "", *, bounds_too: bool = True, enough: int | None = None
    ) -> ColumnElement[int]:
        """How many of these rows were created from one bound moment on and up to another, or between them: whole
        stretches are summed, and what lies between a moment and the next stretch is counted, unless the others have
        more than `enough`.
        """
        created_at, counted = self.milestones.table.c.created_at, self.milestones.counted
        cut = self._cut(told, since, until, enough).c
        above, below = (ge, le) if bounds_too else (gt, lt)
        bounds = [above(created_at, _moment(since))] if since else []
        bounds += [below(created_at, _moment(until))] if until else [created_at < END]
        begun = func.coalesce(cut.first, END) if since else BEGINNING
        ended = func.coalesce(cut.last, BEGINNING)
        behind_them = counted(told.found, *bounds, created_at > func.greatest(begun, ended))
        before_them = [counted(told.found, *bounds, created_at <= begun)] if since else []
        in_no_tally = [
            counted(*other, judged(created_at > begun), judged(created_at <= ended)) for other in told.others
        ]
        edges = added([behind_them, *before_them, *in_no_tally])
        if enough is not None:
            edges = case((cut.rows > literal_column(str(enough)), literal_column("0")), else_=edges)
        total: ScalarSelect[int] = select(cut.rows + edges).scalar_subquery()
        return total

    def _cut(self, told: InStretches, since: str, until: str, enough: int | None) -> Subquery:
        """Where the bound moments cut the list, and how many of these `rows` the stretches have that lie between them
        as a whole, or the first of them, if that is more than `enough`.
        """
        cuts, kept = self._cuts(since, until), told.rows.subquery("kept").c
        inside = [kept.stretch > cuts.c.begins] if since else []
        inside += [or_(cuts.c.ends.is_(None), kept.stretch < cuts.c.ends)] if until else []
        rows: ColumnElement[int] = select(summed(kept.rows)).where(*inside).correlate(cuts).scalar_subquery()
        if enough is not None:
            first = select(kept.rows).where(*inside).correlate(cuts).limit(_FIRST).subquery()
            found = summed(first.c.rows)
            decided = case((or_(found > literal_column(str(enough)), func.count() < _FIRST), found))
            rows = func.coalesce(select(decided).select_from(first).correlate(cuts).scalar_subquery(), rows)
        return _once(select(cuts, rows.label("rows")), "cut")

    def _cuts(self, since: str, until: str) -> Subquery:
        """Where the bound moments cut the list: the stretches that they lie in, `begins` and `ends`; where the first of
        these ends, `first`; and where the last stretch ends that lies before the second as a whole, `last`. Of a moment
        that isn't bound there is nothing.
        """
        upto, stretch = _M.c.upto, _M.c.stretch
        tallied = self.milestones.kept(upto).where(_M.c.tallied)
        # Later stretches have higher numbers, by which an index finds where one ends.
        latest = stretch.desc(), upto.desc()
        last = tallied.order_by(*latest).limit(1)
        first = tallied.with_only_columns(stretch).order_by(upto).limit(1)
        columns, whole = [], []
        if since:
            begins = first.where(upto >= _moment(since)).scalar_subquery()
            columns += [begins.label("begins"), last.where(stretch <= begins).scalar_subquery().label("first")]
        if until:
            ends = first.where(upto >= _moment(until)).scalar_subquery()
            columns.append(ends.label("ends"))
            whole.append(or_(ends.is_(None), stretch < ends))
        columns.append(last.where(*whole).scalar_subquery().label("last"))
        return _once(select(*columns), "cuts")

    def values(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """What the totals of these filters bind besides the filters' own values."""
        return {name: value for span in self.spans for name, value in span.values(sent).items()}

    def below(self, span: Span) -> ColumnElement[int]:
        """How many rows are below the lower bound, also those that miss a value."""
        begin, low = span.bound(f"{span.low}_begin"), span.bound(span.low)
        groups = self._kept(span.column, self.groups(lambda group: group < span.groups.told(begin)))
        return groups + self.younger(span.place < begin) + self._counted(span.place >= begin, span.place < low)

    def above(self, span: Span) -> ColumnElement[int]:
        """How many rows are above the upper bound."""
        end, high = span.bound(f"{span.high}_end"), span.bound(span.high)
        groups = self._kept(span.column, self.groups(lambda group: group >= span.groups.told(end)))
        return groups + self.younger(span.place >= end) + self._counted(span.place > high, span.place < end)

    def missing(self, span: Span) -> ColumnElement[int]:
        """How many rows miss a value."""
        missing = self._kept(span.column, self.groups(lambda group: group == ""))
        return missing + self.younger(span.place < HAD)

    @property
    def rows(self) -> ColumnElement[int]:
        """How many rows there are, or how many have the value that is meant."""
        if self.only is None:
            return self.milestones.total()
        return replace(self, only=None).of_value(*self.only, besides=None)

    def younger(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        """How many of the rows that aren't tallied yet meet the conditions."""
        return self._counted(self.milestones.younger(tallied=True), *map(judged, conditions))

    def groups(self, which: Callable[[ColumnElement[str]], ColumnElement[bool]] | None = None) -> _Which:
        """The texts of all groups, or of those of which this is true; of pairs, of those
        with the value that is meant.
        """
        return lambda told: [*self._of_value_told(told), *([] if which is None else [which(self.group(told))])]

    def group(self, told: ColumnElement[str]) -> ColumnElement[str]:
        """A group's text, without the value that it is paired with."""
        before = None if self._value is None else paired(self._value, NO_TEXT)
        return told if before is None else func.substr(told, func.length(before) + 1, type_=Text())

    def _of_value_told(self, told: ColumnElement[str]) -> list[ColumnElement[bool]]:
        return [] if self._value is None else between_pairs(self._value, told)

    def changed(self, column: Column[Any], *which: ColumnElement[bool], size: bool = False) -> ColumnElement[int]:
        """How many rows more, or fewer, the tallies of these values have had since; or how many changes there were."""
        rows = func.abs(list_tally_entries.c.rows) if size else list_tally_entries.c.rows
        return self.of(list_tally_entries, column, summed(rows)).where(*which).scalar_subquery()

    def of(self, kept: Table, column: Column[Any], *columns: Any) -> Select[Any]:
        """What the tallies or the entries have of a column."""
        return of_list(self.milestones.table, kept, *columns).where(kept.c.name == self._name(column.name))

    def of_value(
        self, column: Column[Any], value: ColumnElement[Any], besides: ColumnElement[bool] | None
    ) -> ColumnElement[int]:
        """How many rows have a value, and how many are found `besides`."""
        rows = self._kept(column, partial(_is, value, of=self._value)) + self.younger(column == value)
        return rows if besides is None else rows + self._counted(besides)

    def _between(self, span: Span, *, low: bool, high: bool) -> ColumnElement[int]:
        """How many rows lie between the bounds of a column, of which one may be missing."""
        (whole,) = span.whole((span.groups,), low=low, high=high)
        edges = (self._counted(*edge) for edge in span.edges(span.groups, low=low, high=high))
        younger = self.younger(*span.between(whole.since, whole.until))
        return self._kept(span.column, partial(whole.conditions, of=self._value)) + younger + added(edges)

    @property
    def _value(self) -> ColumnElement[str] | None:
        """The value that is meant, as the text of a pair has it."""
        return None if self.only is None else cast(self.only.value, Text)

    @property
    def are_meant(self) -> list[ColumnElement[bool]]:
        """That rows have the value that is meant, if there is one."""
        return [] if self.only is None else [judged(self.only.column == self.only.value)]

    def _name(self, name: str) -> str:
        """What the tallies of a column are called: those of pairs `status/amount`."""
        return name if self.only is None else f"{self.only.column.name}/{name}"

    def _counted(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        """How many rows meet the conditions, one by one."""
        return self.milestones.counted(*conditions, *self.are_meant)

    def _kept(self, column: Column[Any], which: _Which) -> ColumnElement[int]:
        """How many rows have one of these values, as far as it is tallied: the tallies, and what has changed since."""
        tallied = self.of(list_tallies, column, summed(list_tallies.c.rows)).where(*which(list_tallies.c.value))
        return tallied.scalar_subquery() + self.changed(column, *which(list_tally_entries.c.value))

    def _rows(self, name: str, which: _Which) -> list[Select[Any]]:
        """`stretch` and `rows` of the tallies and entries of that name."""
        return [
            of_list(self.milestones.table, t, t.c.stretch, t.c.rows).where(
                t.c.name == self._name(name), *which(t.c.value)
            )
            for t in (list_tallies, list_tally_entries)
        ]


def _bounded(span: Span) -> dict[Shape, dict[str, bool]]:
    """Which of its bounds there are, by the filters that say so."""
    if not span.low:
        return {}
    low, high = (span.low, None), (span.high, None)
    return {
        (low,): {"low": True, "high": False},
        (high,): {"low": False, "high": True},
        (low, high): {"low": True, "high": True},
    }


def _once(reckoned: Select[Any], name: str) -> Subquery:
    """Reckoned once: an offset of nothing keeps PostgreSQL from putting it where it is spoken of."""
    return reckoned.offset(literal_column("0")).subquery(name)


def _moment(name: str) -> ColumnElement[Any]:
    """A bound moment, where the planner doesn't look."""
    return unseen(bindparam(name, type_=_M.c.upto.type))


def _is(
    value: ColumnElement[Any], told: ColumnElement[str], of: ColumnElement[str] | None = None
) -> list[ColumnElement[bool]]:
    """That a tally's text is that of a value, or of its pair with the value `of`."""
    text = cast(value, Text)
    return [told == (text if of is None else paired(of, text))]


def _of_stretches(span: Span, groups: Groups) -> str:
    """What the tallies of a column's groups in each stretch are called."""
    return f"{span.column.name}/{groups.name}"
