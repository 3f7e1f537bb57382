"""A list, declared: what is selected, whose it is, and what it can be filtered and ordered by.

    CUSTOMERS = Listing(customers, CUSTOMER_COLUMNS, scope=..., filters=..., search=...)

Each combination of filters, order and kind of window is a statement of its own, compiled when first asked for.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Table

from gateway.models.database import Shapes, Statement
from gateway.resolvers.inputs import Input
from gateway.resolvers.listing.cursors import EVERYTHING, Bounds, Order
from gateway.resolvers.listing.declared import Declared, is_by_creation
from gateway.resolvers.listing.dictionary import Forms
from gateway.resolvers.listing.filters import (
    PERIOD,
    SEARCH,
    Condition,
    Filter,
    Following,
    Own,
    Range,
    Search,
    Shape,
    search_values,
    searched_in_rows,
    sought,
)
from gateway.resolvers.listing.leads import Lead, lead_of, parts_of
from gateway.resolvers.listing.marks import sought_marks
from gateway.resolvers.listing.milestones import Milestones
from gateway.resolvers.listing.periods import PeriodSelects
from gateway.resolvers.listing.selects import Inlined
from gateway.resolvers.listing.tallies import Tallies
from gateway.resolvers.listing.totals import MOST_FOUND, MOST_JUDGED, Sampled

EVERYWHERE = 2**31 - 1
"""Larger than any list."""
NEAR = 10
"""Rows that no index has in the order asked for are first looked for among the first NEAR times as many rows of that
order as were asked for, and only then everywhere.
"""
AT_FIRST = 3
"""A search in another order than that of creation first looks at this many times the rows asked for; what it finds
there tells how far to look next.
"""
LEAST_NEAR = 1000
"""The newest charges of a store may be waiting for their payers yet, and a thousand entries of an index are read
in a tenth of a millisecond.
"""
JUDGED = 2
"""As many rows of an order are searched at most for each row that a search finds by its texts: those lie far apart."""
BLINDLY = 10
"""Where the first rows have nothing of what a search finds, more are looked at if it finds so many times as many."""
SEARCHED = 3
"""A row that a filter leads to is searched in the time of so many that a search finds by its texts."""
SEARCHED_AT_ONCE = 300
"""As many rows that a filter leads to are searched in the time of finding out how many a search finds."""
NARROW = 20
"""As many entries of an index are passed by in it in the time in which a row is searched."""
LOOKED_AT = 10
"""A row is looked at in the time in which so many are put in order by an index that includes their place."""
MOST_NEAR = 100_000
"""More rows than that aren't looked at one by one, but for entries of an index that includes all that is asked of."""
PASSED = 2
"""As many entries of an index are passed by at most for each row that would be put in order instead."""
MOST_SORTED = 10_000
"""More rows than that aren't put in order for a page, where there is another way."""
SAMPLED_AT_ONCE = 200
"""As many rows of a stretch are found in the time in which those are searched that are near for a page."""
MARGIN = 2
"""Rows are looked for among so many times as many as are likely to have them: no more is read than fills the page, and
what falls short of it has been read for nothing.
"""
SORTED_AT_ONCE = 2_000
"""As many rows of an index of their own are put in order in the time in which those near their creation are found."""


def _at_first(rows: int) -> int:
    """Among how many rows of an order to look first for so many that another index has."""
    return max(NEAR * rows, LEAST_NEAR)


def _as_far(rows: int, near: int, found: int) -> int | None:
    """How far there are likely to be so many rows, if some were found near."""
    return max(2 * near, near * rows * 3 // (found * 2)) if found else None


class Asked(NamedTuple):
    """The filters that a caller sent: which they are, the values to bind, and whether they exclude each other."""

    shape: Shape
    values: dict[str, Any]
    nothing: bool = False


class Beside(NamedTuple):
    """The filter beside a search that finds the fewest rows, how many it finds, and of how many."""

    lead: Lead = None
    found: int = 0
    rows: int = 0


class Listing:
    """The statements of one list.

    * `scope` comes first in every one of them: whose rows, of which environment.
    * `orders` are those that a column doesn't give as it is; `source` is what is selected from, where that is more than
      the table.
    * `milestones` and `tallies` are kept of lists that grow long; other `totals` are known without counting.
    * `ranges` are the filters that bound a column with an index of its own, in whose order they find rows.
    * `following` are the columns of moments that come soon after a row is created.
    * `indexed` are the filters with an index of their own, which includes what others ask of, and by the column of an
      order the one that they have in that order.
    * `all_but`: the few rows that a filter leaves out of all, by the filter and its value, as indexes find them.
    * `stray_ids` are the rows whose ids are of another time than they, in a list whose periods are ranges of ids.
    * `telling` filters find a few rows whatever the list has; `covered` says that the index of the order of creation
      includes what all others ask of, so that they can be judged without reading rows.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[ColumnElement[Any]],
        *,
        scope: Sequence[Condition],
        filters: Mapping[str, Filter],
        search: Search | Forms | None = None,
        orders: Iterable[Order] = (),
        source: FromClause | None = None,
        milestones: Milestones | None = None,
        tallies: Tallies | None = None,
        totals: Mapping[Shape, ColumnElement[int]] = MappingProxyType({}),
        ranges: Mapping[str, Range] = MappingProxyType({}),
        following: Mapping[str, Following] = MappingProxyType({}),
        indexed: Mapping[str, Mapping[str, Own]] = MappingProxyType({}),
        telling: Container[str] = (),
        covered: bool = False,
        stray_ids: Condition | None = None,
        all_but: Mapping[tuple[str, str | None], Sequence[Condition]] = MappingProxyType({}),
    ) -> None:
        self._telling, self._covered = telling, covered
        self.most_sorted, self.searched_at_once = MOST_SORTED, SEARCHED_AT_ONCE
        self.most_found, self.most_judged = MOST_FOUND, MOST_JUDGED
        if milestones is not None and milestones.search is not None:
            search = milestones.search
        sought_by = search.ways if isinstance(search, Search) else search
        by_creation = {} if milestones is None else {name: Range(table.c.created_at) for name in PERIOD}
        self._list = Declared(
            table=table,
            columns=columns,
            scope=scope,
            filters={**filters} if sought_by is None else {**filters, SEARCH: sought_by},
            orders={order.name: order for order in orders},
            relation=table if source is None else source,
            milestones=milestones,
            tallies=tallies,
            totals=totals,
            ranges={**ranges, **by_creation},
            following=following,
            indexed=indexed,
            stray_ids=stray_ids,
            all_but=all_but,
        )
        self.names = self._list.names
        selects = PeriodSelects(self._list)
        self._rows = Shapes(selects.rows)
        self._near_rows = Shapes(selects.near_rows)
        self._period_rows = Shapes(selects.period_rows)
        self._following_rows = Shapes(selects.following_rows)
        self._as_created_rows = Shapes(selects.as_created_rows)
        self._counted_rows = Shapes(selects.counted_rows)
        self._deep_rows = Shapes(selects.deep_rows)
        self._rows_per = Shapes(selects.rows_per)
        self._counts = Shapes(selects.count)
        self._abouts = Shapes(selects.about)
        self._counts_of_some = Shapes(selects.count_some)
        self._weights = Shapes(selects.weights)
        self._counts_per = Shapes(selects.counts_per)
        self._samples = Shapes(selects.sample)
        self._exports = Shapes(selects.export)

    def order(self, sort: str) -> Order:
        """The order that `sort` names; the input has judged it."""
        return self._list.order(sort)

    def sort_instead(self, asked: Asked, sort: str) -> str:
        """The order in which what is asked for lies all the same, where that is one of which more is known."""
        return self._list.sort_instead(asked.shape, sort)

    def is_elsewhere(self, asked: Asked, sort: str) -> bool:
        """Whether an index that finds what is asked for has it in another order."""
        return self._list.is_elsewhere(asked.shape, sort)

    def asked(self, given: Input) -> Asked:
        """The filters of an input, and what they bind: null is the same as absent."""
        sent = {name: value for name in self._list.filters if (value := getattr(given, name, None)) is not None}
        shape = tuple((name, self._list.choice(name, value)) for name, value in sent.items())
        if any(name in self._telling and name not in self._list.indexed for name in sent):
            shape = searched_in_rows(shape)
        values = {name: sent[name] for name, choice in shape if choice is None and name != SEARCH}
        nothing = self._list.excludes_itself(shape, values)
        if self._list.tallies is not None:
            values |= self._list.tallies.values(sent)
        if SEARCH in sent:
            values |= sought_marks(self._list.marks(shape), sent)
        return Asked(shape, values | search_values(sent[SEARCH]) if SEARCH in sent else values, nothing)

    def beside_search(self, asked: Asked) -> Asked | None:
        """The filters beside a search that may find fewer rows than it does, so that these are to be weighed: then the
        rows that they find are searched one by one.
        """
        others = tuple(one for one in asked.shape if one[0] not in (SEARCH, *PERIOD))
        return asked._replace(shape=others) if self._covered and sought(asked.shape) and others else None

    def searched_in_rows(self, asked: Asked) -> Asked:
        """The same, with the search to be judged row by row."""
        return asked._replace(shape=searched_in_rows(asked.shape))

    def sample(self, asked: Asked, *, most: int | None = None) -> Statement:
        """About how many `rows` the search among these filters finds, together with those that mark rows, judged by a
        stretch of the list, and `of` how many. With `most`, at least, if the stretch has more: `capped`.
        """
        marked = {mark.filter for mark in self._list.marks(asked.shape)}
        return self._samples.of(tuple(one for one in asked.shape if one[0] == SEARCH or one[0] in marked), most)

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
        return self._rows.of(asked.shape, str(sort), bounds, Inlined.of(limit, offset), lead)

    def near_rows(
        self,
        asked: Asked,
        sort: str,
        bounds: Bounds = EVERYTHING,
        *,
        limit: int = 0,
        offset: int = 0,
        narrowed: Shape = (),
    ) -> Statement:
        """As `rows`, but of the first `:near` rows of the order only, or the first of those that `narrowed` filters
        find.
        """
        return self._near_rows.of(asked.shape, str(sort), bounds, Inlined.of(limit, offset), narrowed)

    def narrowing(self, sort: str, beside: Beside) -> Shape:
        """The filter beside a search, if those of its rows that are near in another order are read from the index of
        that, without too many others between them.
        """
        if is_by_creation(sort) or beside.lead is None or beside.found * NARROW < beside.rows:
            return ()
        order = self._list.order(sort)
        return tuple(one for one in beside.lead if self._list.narrows(*one, order) is not None)

    def period_rows(
        self, asked: Asked, sort: str, bounds: Bounds = EVERYTHING, *, limit: int = 0, offset: int = 0
    ) -> Statement:
        """As `rows`, of a period of creation where `is_range_of_ids` is true."""
        return self._period_rows.of(asked.shape, str(sort), bounds, Inlined.of(limit, offset))

    def is_range_of_ids(self, asked: Asked, sort: str) -> bool:
        """Whether this is a period of creation, in an order that has nothing to do with that."""
        return self._list.is_range_of_ids(asked.shape, sort)

    def following_rows(
        self, asked: Asked, sort: str, bounds: Bounds = EVERYTHING, *, limit: int = 0, offset: int = 0
    ) -> Statement:
        """As `rows`, of a period of creation where `follows` is true."""
        return self._following_rows.of(asked.shape, str(sort), bounds, Inlined.of(limit, offset))

    def follows(self, asked: Asked, sort: str) -> bool:
        """Whether this is a period of creation, in the order of a moment that comes soon after it."""
        return self._list.follows(asked.shape, sort)

    def as_created_rows(
        self, asked: Asked, sort: str, bounds: Bounds = EVERYTHING, *, limit: int = 0, offset: int = 0
    ) -> Statement:
        """As `rows`, where `is_as_created` is true. If it finds fewer than `:limit`, there may be too many strays to
        tell.
        """
        return self._as_created_rows.of(asked.shape, str(sort), bounds, Inlined.of(limit, offset))

    def is_as_created(self, asked: Asked, sort: str) -> bool:
        """Whether an index of a filter's own has what is found as it was created, and the order's moment comes soon
        after that.
        """
        return self._list.is_as_created(asked.shape, sort)

    def owner(self, asked: Asked, sort: str) -> Shape:
        """Of filters that are found in another order the one with an index of its own in this one, which says all that
        the others ask of.
        """
        return self._list.owner(asked.shape, sort) if self._list.is_elsewhere(asked.shape, sort) else ()

    def of_own_index(self, asked: Asked) -> Asked:
        """Of these filters the one with an index of its own, alone."""
        return asked._replace(shape=tuple(one for one in asked.shape if one[0] in self._list.indexed))

    def counted_rows(self, asked: Asked, sort: str, *, limit: int = 0, offset: int = 0, lead: Lead = None) -> Statement:
        """As `rows`, with how many there are in all as a last column, `total`."""
        return self._counted_rows.of(asked.shape, str(sort), Inlined.of(limit, offset), lead)

    def knows_total(self, asked: Asked, sort: str, *, later: bool = False) -> bool:
        """Whether `counted_rows` tells the total at little cost, however much these filters find. Not beside a `later`
        page of which the total is to tell first how it is read.
        """
        if self._list.is_elsewhere(asked.shape, sort) or (later and self.begins_deep(asked, sort, EVERYWHERE)):
            return False
        return not asked.shape or self.tells_total(asked)

    def counts_what_it_finds(self, asked: Asked, sort: str) -> bool:
        """Whether `counted_rows` finds all there is before it shows any, and so tells the total besides."""
        return sought(asked.shape) is not None and not is_by_creation(sort)

    def tells_total(self, asked: Asked) -> bool:
        """Whether `count` takes little, however much these filters find."""
        return self._list.total(asked.shape) is not None

    def begins_deep(self, asked: Asked, sort: str, total: int | None = None) -> bool:
        """Whether `deep_rows` reads a later page. Where other rows of the order are passed by, the `total` tells, once
        it is known: few are put in order instead.
        """
        order = self._list.order(sort)
        if self._list.deep is None or not self._list.deep.begins(asked.shape, order):
            return False
        in_order = all(self._list.has_in_order(name, order) for name, _ in asked.shape)
        return in_order or (total is not None and total > self.most_sorted)

    def looks_near(self, asked: Asked, sort: str, rows: int, total: int | None = None) -> int | None:
        """Among how many of the first rows `near_rows` is to look for so many of them, before `rows` is asked: what is
        found often fills the page from there. None where it isn't worth a look, as the `total` tells if it is known.
        """
        near = None
        if self._list.is_elsewhere(asked.shape, sort) and not any(name in self._telling for name, _ in asked.shape):
            near = _at_first(rows) if total is None or total > NEAR * rows else None
        elif sought(asked.shape) and not is_by_creation(sort):
            near = AT_FIRST * rows
        return near if near is not None and near <= MOST_NEAR else None

    def looks_a_little_on(self, rows: int, near: int, found: int) -> int | None:
        """Among how many of the first rows there are likely to be so many, of which the first `near` had half: that is
        read in less time than it takes to ask how many there are in all. None where fewer were found, or too far.
        """
        further = _as_far(rows, near, found) if 2 * found >= rows else None
        return further if further is not None and further <= self.most_sorted else None

    def looks_on(self, asked: Asked, sort: str, total: int, rows: int, *, near: int, found: int) -> int | None:
        """The same, after too few of so many rows, `found`, were among the first `near`: an entry of an index is passed
        by in less time than a row is put in order. None where there are few.
        """
        if self.begins_deep(asked, sort, total):
            return None
        further = _as_far(rows, near, found)
        if self._list.is_covered(asked.shape, sort):
            return self._passes_to(total, rows, near, further)
        if total <= self.most_sorted:
            return None
        if not any(name in self._list.indexed for name, _ in asked.shape):
            return min(MOST_NEAR, total)
        # Their own index includes the order, so that rows that are looked at one by one have to be far fewer.
        return further if further is not None and further * LOOKED_AT <= total else None

    def _passes_to(self, total: int, rows: int, near: int, further: int | None) -> int | None:
        """The same, where the index of the order says all that is asked of: no more is read than fills the page, so
        that one look is enough if it is likely to.
        """
        most = PASSED * total
        likely = total > self.most_sorted if further is None else further <= most
        if not likely:
            return None
        if near > _at_first(rows):
            # What was found near lay together there, as all that has the least amount.
            return most if total > MOST_NEAR else None
        return most if further is None else min(MARGIN * further, most)

    def looks_as_sampled(self, rows: int, found: int, sampled: Sampled) -> int | None:
        """Among how many of the first rows there are likely to be `rows`, where so many are `found` of all that have
        been sampled. None where that takes longer than reading what the search finds, which may lie together elsewhere:
        nothing of it has been seen near.
        """
        likely = rows * sampled.of * 3 // (found * 2) if found else MOST_NEAR + 1
        return likely if likely <= min(sampled.rows, MOST_NEAR) else None

    def look_further(self, rows: int, near: int, found: int, total: int) -> int | None:
        """Among how many of the first rows there are likely to be `rows` that a search finds, of which the first `near`
        rows had `found` so many. None where that takes longer than reading about the `total` of what is found, of
        which it has to be a small part where nothing was found: it may lie together elsewhere, as a name among names.
        """
        likely = _as_far(rows, near, found)
        if likely is None:
            return NEAR * near if NEAR * near <= min(total, MOST_NEAR) // BLINDLY else None
        most = min(JUDGED * total, MOST_NEAR)
        return min(MARGIN * likely, most) if likely <= most else None

    def leads_in_order(self, lead: Lead, sort: str) -> bool:
        """Whether an index has what leads in the order asked for, so that no more is read than fills the page."""
        return self._list.leads_in_order(lead, sort)

    def passes_by(self, sort: str, lead: Lead) -> bool:
        """Whether rows that aren't near are looked for by reading the whole list as it was created, with `near_rows`:
        no filter leads, and the list is asked for in that order.
        """
        return lead == () and is_by_creation(sort)

    def deep_rows(self, asked: Asked, sort: str, *, limit: int, counted: bool = True) -> Statement:
        """As `counted_rows`, or as `rows`, for a page of which it is known where it begins."""
        return self._deep_rows.of(asked.shape, str(sort), Inlined.of(limit, 0), counted)

    def rows_per(self, reference: str, asked: Asked, sort: str, bounds: Bounds) -> Statement:
        """At most `:limit` rows for each of `:parents`, the ids in the column `reference`."""
        return self._rows_per.of(reference, asked.shape, str(sort), bounds)

    def count(self, asked: Asked, lead: Lead = None) -> Statement:
        """How many rows there are in all."""
        return self._counts.of(asked.shape, lead)

    def about(self, asked: Asked, *, enough: int) -> Statement:
        """How many rows there are in all, where `tells_total` is true; or, of a period, at least, if that is more than
        `enough` to know.
        """
        return self._abouts.of(asked.shape, enough)

    def count_some(self, asked: Asked, lead: Lead = None, *, most: int) -> Statement:
        """How many `rows` there are among the first `most` that are counted one by one, and whether these are
        `capped`, for there are more.
        """
        return self._counts_of_some.of(asked.shape, lead, most)

    def most_hits(self, asked: Asked) -> int:
        """How many of the rows that a search finds are counted."""
        return self.most_judged if any(name not in (SEARCH, *PERIOD) for name, _ in asked.shape) else self.most_found

    def is_weighed(self, asked: Asked) -> bool:
        """Whether these are filters of which one is to lead, as `weights` tells."""
        if not self._covered or any(name == SEARCH or name in self._telling for name, _ in asked.shape):
            return False
        parts = parts_of(asked.shape, self._list.ranges)
        # What a single filter finds in a period is read as it was created, from its stretches or its own index.
        alone = [part for part in parts if part[0][0] not in PERIOD]
        return len(alone) > 1 or (len(parts) > 1 and not self.tells_total(asked))

    def weights(self, asked: Asked) -> Statement:
        """How many rows each of them finds alone, and how many the list has."""
        return self._weights.of(asked.shape)

    def fewest(self, asked: Asked, weights: Sequence[int]) -> Beside:
        """Which of them finds the fewest rows."""
        *found, rows = weights
        lead, fewest = min(zip(self._list.parts(asked.shape), found, strict=True), key=lambda one: one[1])
        return Beside(lead, fewest, rows)

    def lead(self, asked: Asked, weights: Sequence[int]) -> tuple[Lead, int]:
        """Which of them leads, and how many rows are held against the others then."""
        *found, rows = weights
        return lead_of(self._list.parts(asked.shape), found, rows)

    def counts_per(self, reference: str, asked: Asked, *, most: int | None) -> Statement:
        """How many `rows` there are for each `parent` of `:parents`: in all, or among the first `most`; `capped` says
        whether there are more.
        """
        return self._counts_per.of(reference, asked.shape, most)

    def export(self, asked: Asked, sort: str, columns: tuple[str, ...]) -> Statement:
        """All rows, with these columns alone."""
        return self._exports.of(asked.shape, str(sort), columns)
