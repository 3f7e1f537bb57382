"""The windows on a list: a page, the whole of it, a slice by cursor, and the same slice for each of many parents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic

from gateway.models.database import Row, Statement
from gateway.resolvers.context import Context
from gateway.resolvers.listing.cursors import EVERYTHING, Bounds, Order
from gateway.resolvers.listing.declared import is_by_creation
from gateway.resolvers.listing.filters import sought
from gateway.resolvers.listing.inputs import DEFAULT_LIMIT, ListInput, Slice
from gateway.resolvers.listing.leads import Lead
from gateway.resolvers.listing.slices import Cut
from gateway.resolvers.listing.statements import (
    EVERYWHERE,
    SAMPLED_AT_ONCE,
    SEARCHED,
    SORTED_AT_ONCE,
    Asked,
    Beside,
    Listing,
)
from gateway.resolvers.listing.totals import MOST_COUNTED, Counted, Once, Sampled, either, part
from gateway.resolvers.views import Page, ViewT

MOST_ROWS = 5000
CUT = "A lista foi cortada em 5000 registros: use page e limit, ou after, para ler os demais."
MORE = (
    "Há mais registros do que os contados: total e total_pages são o mínimo. Use total=exact para contar todos, ou "
    "after para ler sem contar."
)
Adopt = Callable[[dict[str, Any]], ViewT]
"""Makes a view of the values of one row, a dict of its own that becomes the view's."""


async def page_of(ctx: Context, listing: Listing, asked: ListInput, adopt: Adopt[ViewT], **bound: Any) -> Page[ViewT]:
    """The window that was asked for. `bound` are further values of the scope."""
    reading = _Reading(ctx, listing, listing.asked(asked), asked.sort, adopt, bound, exactly=asked.total is not None)
    sliced = asked.sliced()
    await reading.settle()
    if sliced is not None:
        return await reading.slice(sliced)
    if asked.page is None and asked.limit is None:
        return await reading.whole()
    return await reading.page(asked.page or 1, asked.limit or DEFAULT_LIMIT)


async def pages_per(
    ctx: Context, listing: Listing, reference: str, parents: Sequence[str], asked: ListInput, adopt: Adopt[ViewT]
) -> list[Page[ViewT]]:
    """The same slice for each of `parents`, the distinct ids in the column `reference`: one statement for them all."""
    # Parents have few rows each, which an index finds.
    of_parents = listing.searched_in_rows(listing.asked(asked))
    reading = _Reading(ctx, listing, of_parents, asked.sort, adopt)
    return await reading.slices(reference, parents, asked.slice or Slice())


def scope_of(ctx: Context) -> dict[str, Any]:
    """What every list may bind: whose rows, of which environment, as of when."""
    return {"user_id": ctx.store_id, "environment": ctx.environment, "now": ctx.clock.now()}


@dataclass(slots=True)
class _Reading(Generic[ViewT]):
    """One reading of a list: its filters, its order, and what its rows become.

    A window is read in the first of these ways that serves it:

    * not at all, where filters exclude each other;
    * `_with_total`: a page, where its total costs little, or all is found before any of it is shown;
    * `_nearest`: among the first rows of the order, if the page is likely to be full with them;
    * `_everywhere`: as it was created, by a period of that, past the whole list, or by what leads to it.
    """

    ctx: Context
    listing: Listing
    asked: Asked
    sort: str
    adopt: Adopt[ViewT]
    bound: dict[str, Any] = field(default_factory=dict)
    exactly: bool = False
    """Whether a page's total is counted to its end."""
    weighed: Once[tuple[Lead, int]] = field(init=False)
    counted: Once[Counted] = field(init=False)
    counted_all: Once[Counted] = field(init=False)
    about: Once[int] = field(init=False)
    sampled: Once[int] = field(init=False)
    sampled_at_once: Once[Sampled] = field(init=False)
    held: Once[int] = field(init=False)
    beside: Beside = field(default_factory=Beside)
    """The filter beside a search that finds the fewest rows."""
    led: Lead = None
    """The same filter, if its rows are searched one by one, for the search finds more."""
    order: Order = field(init=False)
    """The order that was asked for: `sort` is the one that is read."""

    def __post_init__(self) -> None:
        self.order, self.sort = self.listing.order(self.sort), self.listing.sort_instead(self.asked, self.sort)
        self.weighed, self.held = Once(self._weigh), Once(self._hold)
        self.sampled, self.sampled_at_once = Once(self._sample), Once(self._sample_at_once)
        self.counted, self.counted_all = Once(self._count), Once(self._count_all)
        self.about = Once(self._count_about)

    async def settle(self) -> None:
        """Find out whether a search or another filter finds fewer rows, which the others are then judged by."""
        others = self.listing.beside_search(self.asked)
        if others is None or self.asked.nothing:
            return
        weights = await self.ctx.database.one(self.listing.weights(others), **self._values())
        assert weights is not None
        self.beside = self.listing.fewest(others, weights)
        if self.beside.found <= self.listing.most_sorted:
            await self._lead_if_fewer()

    async def _lead_at_last(self) -> None:
        """The same where nothing near fills the page. In the order of creation a search reads no further than the page
        is full, and so has to be led by what does as well.
        """
        if not is_by_creation(self.sort):
            await self._lead_if_fewer()
        elif self.listing.leads_in_order(self.beside.lead, self.sort):
            await self._lead_if_fewer(SEARCHED)

    async def _lead_if_fewer(self, times: int = 1) -> None:
        """Have the filter beside the search lead, if it finds so many times fewer rows."""
        lead, found, _ = self.beside
        if lead is None or self.led:
            return
        if found <= self.listing.searched_at_once or await self._finds_more_than(found * times):
            self.asked, self.led = self.listing.searched_in_rows(self.asked), lead

    async def page(self, page: int, limit: int) -> Page[ViewT]:
        offset = (page - 1) * limit
        rows, total = await self._counted_window(limit, offset)
        items = self._adopted(rows)
        if (total is None or total.capped) and len(rows) < limit and (rows or page == 1):
            # A page that isn't full is the last one, unless it lies beyond the last one.
            total = Counted(offset + len(rows))
        elif total is None:
            total = await (self.counted_all if self.exactly else self.counted)()
        if total.capped and items and total.rows <= offset + limit:
            # This page lies behind what is counted.
            more = await self._is_followed(items[-1])
            total = Counted(offset + limit + more, capped=more)
        if total.capped:
            self.ctx.reply.notices.append(MORE)
        has_next = offset + limit < total.rows
        return Page(items, limit, page, total.rows, total.capped, has_next=has_next, has_previous=page > 1)

    async def _is_followed(self, item: ViewT) -> bool:
        """Whether there is a row behind this one."""
        cut = self._cut(Slice(first=1, after=self.order.cursor(item)))
        return bool(await self._window(cut.size, cut.bounds, **cut.cursors))

    async def _counted_window(self, limit: int, offset: int) -> tuple[list[Row], Counted | None]:
        """The rows of a page, and how many there are in all, where that has come up. Where it is known beforehand how
        little is read, that is one statement.
        """
        # Of some lists the total is cheap; what filters find is counted only if it must be.
        asked, sort, listing = self.asked, self.sort, self.listing
        if asked.nothing:
            return [], Counted(0)
        if offset and listing.begins_deep(asked, sort):
            rows = await self._read(listing.deep_rows(asked, sort, limit=limit), limit=limit, offset=offset)
            return rows, Counted(rows[0]["total"]) if rows else None
        if self.led or listing.knows_total(asked, sort, later=offset > 0):
            return await self._with_total(limit, offset)
        return await self._looked_for(limit, offset)

    async def _with_total(self, limit: int, offset: int) -> tuple[list[Row], Counted | None]:
        """The same, in one statement: the total is known, or all is found before any of it is shown."""
        read = self.listing.counted_rows(self.asked, self.sort, limit=limit, offset=offset, lead=self.led)
        rows = await self._read(read, limit=limit, offset=offset)
        return rows, Counted(rows[0]["total"]) if rows else None

    async def _looked_for(self, limit: int, offset: int) -> tuple[list[Row], Counted | None]:
        """The same, where no index has what is asked for in its order, or nothing tells the total. What costs little is
        tried first: the total, if it does; what is near; and what is left, by what the total says.
        """
        asked, sort, listing = self.asked, self.sort, self.listing
        total, about = None, None
        if listing.tells_total(asked) or listing.is_weighed(asked):
            total = await (self.counted_all if self.exactly else self.counted)()
            about = (await self.weighed())[1] if total.capped else total.rows
            if offset >= about:
                return [], total
        window = {"limit": limit, "offset": offset}
        rows = await self._nearest(limit, offset=offset, total=about)
        if rows is not None:
            return rows, total
        if listing.begins_deep(asked, sort, about):
            return await self._read(listing.deep_rows(asked, sort, limit=limit, counted=False), **window), total
        if not is_by_creation(sort):
            # In another order all is found before any of it is shown, and so is counted besides.
            await self._lead_at_last()
        counts = self.led or listing.counts_what_it_finds(asked, sort)
        if counts and (self.led or self.exactly or not await self._finds_more_than(listing.most_found)):
            return await self._with_total(limit, offset)
        return await self._everywhere(limit, offset=offset), total

    async def whole(self) -> Page[ViewT]:
        items = self._adopted(await self._window(MOST_ROWS + 1))
        truncated = len(items) > MOST_ROWS
        if truncated:
            items.pop()
            self.ctx.reply.notices.append(CUT)
        return Page(items, MOST_ROWS, truncated=truncated)

    async def slice(self, asked: Slice) -> Page[ViewT]:
        cut = self._cut(asked)
        items = self._adopted(await self._window(cut.size + 1, cut.bounds, **cut.cursors))
        return cut.page(items, either(self.counted, self.counted_all))

    async def slices(self, reference: str, parents: Sequence[str], asked: Slice) -> list[Page[ViewT]]:
        cut = self._cut(asked)
        statement = self.listing.rows_per(reference, self.asked, self.sort, cut.bounds)
        items: dict[str, list[ViewT]] = {parent: [] for parent in parents}
        for item in self._adopted(await self._read(statement, parents=list(parents), **cut.values)):
            items[getattr(item, reference)].append(item)
        some, all_ = (Once(partial(self._counts, reference, parents, exactly=exactly)) for exactly in (False, True))
        return [cut.page(items[parent], part(some, all_, parent)) for parent in parents]

    def _cut(self, asked: Slice) -> Cut:
        return Cut.of(self.order, asked, instead=self.sort != self.order.name)

    async def _window(self, limit: int, bounds: Bounds = EVERYTHING, **cursors: Any) -> list[Row]:
        if self.asked.nothing:
            return []
        found = await self._nearest(limit, bounds, **cursors)
        return await self._everywhere(limit, bounds, **cursors) if found is None else found

    async def _everywhere(
        self, limit: int, bounds: Bounds = EVERYTHING, *, offset: int = 0, **cursors: Any
    ) -> list[Row]:
        """The window, from all that the filters find."""
        await self._lead_at_last()
        listing, asked, sort = self.listing, self.asked, self.sort
        window = {"limit": limit, "offset": offset}
        if await self._is_as_created(offset + limit):
            rows = await self._read(listing.as_created_rows(asked, sort, bounds, **window), **window, **cursors)
            if len(rows) >= limit:
                return rows
        elif await self._follows_creation():
            return await self._read(listing.following_rows(asked, sort, bounds, **window), **window, **cursors)
        elif await self._is_range_of_ids():
            return await self._read(listing.period_rows(asked, sort, bounds, **window), **window, **cursors)
        lead = await self._lead_in_order()
        if listing.passes_by(sort, lead):
            read = listing.near_rows(asked, sort, bounds, limit=limit, offset=offset)
            return await self._read(read, near=EVERYWHERE, **window, **cursors)
        return await self._read(listing.rows(asked, sort, bounds, lead=lead, **window), **window, **cursors)

    async def _nearest(
        self, limit: int, bounds: Bounds = EVERYTHING, *, offset: int = 0, total: int | None = None, **cursors: Any
    ) -> list[Row] | None:
        """The window, if the first rows of the order fill it; None if it is to be looked for everywhere."""
        listing, asked, sort, upto = self.listing, self.asked, self.sort, offset + limit
        if self.led or listing.is_as_created(asked, sort) or listing.owner(asked, sort):
            return None
        narrowed = listing.narrowing(sort, self.beside)
        nearest = listing.near_rows(asked, sort, bounds, limit=limit, offset=offset, narrowed=narrowed)
        further = partial(self._look_on, upto, total)
        near = await self._look_first(upto, total)
        while near is not None:
            found = await self._read(nearest, near=near, limit=limit, offset=offset, **cursors)
            if len(found) >= limit:
                return found
            near = await further(near, offset + len(found) if found else 0)
        return None

    async def _look_first(self, upto: int, total: int | None) -> int | None:
        """Among how many rows of the order to look first."""
        listing, asked, sort = self.listing, self.asked, self.sort
        if listing.counts_what_it_finds(asked, sort):
            told = await self.sampled_at_once()
            if not told.capped:
                # What a search finds seldom is seldom near, and little is read in less time than what is near.
                few = told.rows <= listing.most_found
                return None if few else listing.looks_as_sampled(upto, self._expected(told.rows), told)
        return listing.looks_near(asked, sort, upto, total) or await self._look_on(upto, total, 0, 0)

    def _expected(self, found: int) -> int:
        """How many rows are likely to be found if a search finds so many: as many among all that are looked at as the
        filter beside it leaves.
        """
        beside = self.beside
        leaves = beside.lead is None or self.listing.narrowing(self.sort, beside)
        return found if leaves else found * beside.found // max(beside.rows, 1)

    async def _look_on(self, upto: int, total: int | None, near: int, found: int) -> int | None:
        """Among how many rows of the order to look next, after so many were `found` in the first `near`."""
        listing, asked, sort = self.listing, self.asked, self.sort
        if soon := listing.looks_a_little_on(upto, near, found):
            return soon
        if await self._follows_creation() or await self._is_range_of_ids():
            return None
        if listing.is_elsewhere(asked, sort) and (listing.tells_total(asked) or listing.is_weighed(asked)):
            held = await self._found_about() if total is None else total
            further = listing.looks_on(asked, sort, held, upto, near=near, found=found)
            return further if further is not None and further > near else None
        if near and listing.counts_what_it_finds(asked, sort):
            told = await self.sampled_at_once()
            further = listing.look_further(upto, near, found, self._at_most(told.rows))
            if further is None and told.capped:
                further = listing.look_further(upto, near, found, self._at_most(await self.sampled()))
            return further
        return None

    def _at_most(self, found: int) -> int:
        """How many rows are found if a search finds so many, as far as it is known."""
        return found if self.beside.lead is None else min(found, self.beside.found)

    async def _found_about(self) -> int:
        """How many rows are found, or held against the filters that don't lead."""
        if self.about.is_asked:
            return await self.about()
        told = self.listing.tells_total(self.asked)
        return (await self.counted()).rows if told else (await self.weighed())[1]

    async def _follows_creation(self) -> bool:
        """Whether what is found lies together in the order asked for, and is too much to be sorted."""
        listing, asked = self.listing, self.asked
        if not listing.follows(asked, self.sort) or not listing.tells_total(asked):
            return False
        return await self.about() > listing.most_sorted

    async def _is_range_of_ids(self) -> bool:
        """Whether what is found has a range of ids, and is too much to be sorted."""
        listing, asked = self.listing, self.asked
        if not listing.is_range_of_ids(asked, self.sort):
            return False
        if listing.owner(asked, self.sort):
            return await self.held() > SORTED_AT_ONCE
        return listing.tells_total(asked) and await self.about() > listing.most_sorted

    async def _is_as_created(self, upto: int) -> bool:
        """Whether what is found lies in the order asked for much as it was created, and takes longer to be sorted."""
        listing, asked = self.listing, self.asked
        if upto > SORTED_AT_ONCE or not listing.is_as_created(asked, self.sort):
            return False
        return await self.held() > SORTED_AT_ONCE

    async def _read(self, statement: Statement, **window: Any) -> list[Row]:
        return await self.ctx.database.all(statement, **self._values(), **window)

    def _adopted(self, rows: list[Row]) -> list[ViewT]:
        adopt, names = self.adopt, self.listing.names
        blank, items = dict.fromkeys(names), []
        for row in rows:
            # A copy has room for all names, where `dict(zip(…))` is made larger three times, and `dict(row)` looks each
            # name up; what comes after the names stays out.
            values = blank.copy()
            values.update(zip(names, row, strict=False))
            items.append(adopt(values))
        return items

    async def _count(self) -> Counted:
        if self.asked.nothing or not self.asked.shape or self.listing.tells_total(self.asked):
            return await self.counted_all()
        lead, most = self.led, self.listing.most_found if self.led else MOST_COUNTED
        if sought(self.asked.shape):
            most = self.listing.most_hits(self.asked)
        if self.led and self.beside.found <= most:
            return await self.counted_all()
        if self.listing.is_weighed(self.asked):
            lead, held = await self.weighed()
            if held <= most:
                return await self.counted_all()
        told = await self.ctx.database.one(self.listing.count_some(self.asked, lead, most=most), **self._values())
        assert told is not None
        return Counted(*told)

    async def _count_about(self) -> int:
        """How many rows there are, or at least, if those are too many to be sorted."""
        if self.counted_all.is_asked:
            return (await self.counted_all()).rows
        about = self.listing.about(self.asked, enough=self.listing.most_sorted)
        rows: int = await self.ctx.database.value(about, **self._values())
        return rows

    async def _count_all(self) -> Counted:
        if self.asked.nothing:
            return Counted(0)
        lead = None if self.listing.tells_total(self.asked) else await self._lead()
        return Counted(await self.ctx.database.value(self.listing.count(self.asked, lead), **self._values()))

    async def _lead_in_order(self) -> Lead:
        """What leads the window: if much is found, what has an index of its own in the order asked for."""
        owner = () if self.led else self.listing.owner(self.asked, self.sort)
        if owner and await self.held() > SORTED_AT_ONCE:
            return owner
        return await self._lead() if self.led or self.listing.is_elsewhere(self.asked, self.sort) else None

    async def _lead(self) -> Lead:
        return self.led or ((await self.weighed())[0] if self.listing.is_weighed(self.asked) else None)

    async def _hold(self) -> int:
        """How many rows have to be judged at least, as far as that matters: what is found, or what leads to it."""
        listing, asked = self.listing, self.asked
        if listing.is_weighed(asked):
            return (await self.weighed())[1]
        if listing.tells_total(asked):
            return (await self.counted_all()).rows
        own = listing.of_own_index(asked)
        told = await self.ctx.database.one(listing.count_some(own, most=SORTED_AT_ONCE + 1), **self._values())
        assert told is not None
        return int(told["rows"])

    async def _sample(self) -> int:
        """About how many rows the search finds."""
        if self.sampled_at_once.is_asked and not (told := await self.sampled_at_once()).capped:
            return told.rows
        about: int = await self.ctx.database.value(self.listing.sample(self.asked), **self._values())
        return about

    async def _sample_at_once(self) -> Sampled:
        """The same, as far as it takes little to know."""
        sample = self.listing.sample(self.asked, most=SAMPLED_AT_ONCE)
        told = await self.ctx.database.one(sample, **self._values())
        assert told is not None
        return Sampled(*told)

    async def _finds_more_than(self, rows: int) -> bool:
        """Whether the search is likely to find more than so many rows, with no more asked than that takes."""
        told = await self.sampled_at_once()
        return told.rows > rows or (told.capped and await self.sampled() > rows)

    async def _weigh(self) -> tuple[Lead, int]:
        weights = await self.ctx.database.one(self.listing.weights(self.asked), **self._values())
        assert weights is not None
        return self.listing.lead(self.asked, weights)

    async def _counts(self, reference: str, parents: Sequence[str], *, exactly: bool) -> dict[str, Counted]:
        statement = self.listing.counts_per(reference, self.asked, most=None if exactly else self.listing.most_found)
        rows = await self.ctx.database.all(statement, **self._values(), parents=list(parents))
        return {row["parent"]: Counted(row["rows"], row["capped"]) for row in rows}

    def _values(self) -> dict[str, Any]:
        # The scope comes last: nothing that a caller sends may take its place.
        return self.asked.values | self.bound | scope_of(self.ctx)
