"""Reading a list: a page by number, a slice by cursor, the whole list, and a slice for each of many parents."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Generic

import asyncpg
from msgspec import Struct
from sqlalchemy import text

from gateway.errors import InvalidInput
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.cursors import UNBOUNDED, Bounds, Order, Window
from gateway.resolvers.core.listing.definition import Listing, Shape
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT, ListInput, Slice
from gateway.resolvers.core.listing.queries import Queries
from gateway.resolvers.core.listing.totals import MAX_COUNTED, Count, Counted, Counts, Total, known_count
from gateway.resolvers.core.views import Page, ViewT

MAX_ROWS = 5000
TRUNCATED = "A lista foi cortada em 5000 registros: use page e limit, ou after, para ler os demais."
CAPPED = (
    "Há mais registros do que os contados: total e total_pages são o mínimo. Use total=exact para contar todos, ou "
    "after para ler sem contar."
)
COMMON_LIMITS = {DEFAULT_LIMIT + 1, MAX_LIMIT + 1}
"""Rows of the default and of the largest page, and one more, which shows whether there are others."""
ALL = ""
"""The only parent of a list that has none."""
TOO_SLOW = "a busca encontra registros demais para ser concluída; use mais letras, um período ou outro filtro"
Adopt = Callable[[dict[str, Any]], ViewT]
"""Builds a view of a row's values. The dict becomes the view's own."""

FIND_HITS = Statement(
    text("""
select set_config('work_mem', '32MB', true), set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('statement_timeout', '2s', true)
""")
)
"""For a search: the bitmap of the trigram index stays exact, the pattern is planned for, and 2 s are enough."""
WALK_ORDER = Statement(
    text("select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)")
)
"""For a search with many hits: the index of the order is read until the page is full."""


def scope_of(ctx: Context) -> dict[str, Any]:
    """The bound values of every list: store, environment and time."""
    return ctx.scope | {"now": ctx.clock.now()}


@cache
def queries_of(listing: Listing) -> Queries:
    return Queries(listing)


async def page_of(ctx: Context, listing: Listing, request: ListInput, adopt: Adopt[ViewT], **bound: Any) -> Page[ViewT]:
    """The window that was requested. `bound` are further values of the scope."""
    reader = _reader(ctx, listing, request, adopt, bound)
    requested = request.sliced()
    if requested is not None:
        return await reader.slice(requested)
    if request.page is None and request.limit is None:
        return await reader.read_all()
    return await reader.page(request.page or 1, request.limit or DEFAULT_LIMIT, exactly=request.total is not None)


async def pages_per(
    ctx: Context, listing: Listing, reference: str, parents: Sequence[str], request: ListInput, adopt: Adopt[ViewT]
) -> list[Page[ViewT]]:
    """The same slice for each of `parents`, the distinct ids in the column `reference`, in one statement."""
    reader = _reader(ctx, listing, request, adopt, {})
    return await reader.slices(reference, list(parents), request.slice or Slice())


def _reader(
    ctx: Context, listing: Listing, request: ListInput, adopt: Adopt[ViewT], bound: dict[str, Any]
) -> "_Reader[ViewT]":
    shape, values = listing.applied(request)
    # The scope comes last, so that no value of a caller overrides it.
    values |= bound | scope_of(ctx)
    searched = shape.search is not None and listing.search is not None and listing.search.indexed
    return _Reader(ctx, queries_of(listing), shape, listing.order(request.sort), adopt, values, searched)


@asynccontextmanager
async def list_executor(ctx: Context, *, searches: bool) -> AsyncIterator[Executor]:
    """Runs the statements of a list. Those that search an index run in a transaction with settings of its own, and
    raise `InvalidInput` about `q` when its time is over.
    """
    if not searches:
        yield ctx.database
        return
    try:
        async with ctx.database.transaction() as transaction:
            await transaction.one(FIND_HITS)
            yield transaction
    except asyncpg.QueryCanceledError:
        raise InvalidInput(("q", TOO_SLOW)) from None


class _Reader(Struct, Generic[ViewT]):
    """One request's reading of a list."""

    ctx: Context
    queries: Queries
    shape: Shape
    order: Order
    adopt: Adopt[ViewT]
    values: dict[str, Any]
    searched: bool
    """Whether a trigram index is searched."""

    async def page(self, page: int, limit: int, *, exactly: bool) -> Page[ViewT]:
        rows, total = await self._rows(limit + 1, offset=(page - 1) * limit, counted=not exactly)
        if total is None:
            total = Total.of(*await self._count(exactly), exactly=exactly)
        if total.capped:
            self.ctx.reply.notices.append(CAPPED)
        items, has_next = self._views(rows[:limit]), len(rows) > limit
        # A page beyond the cap knows of more rows than were counted.
        found = (page - 1) * limit + len(items) if items else 0
        return Page(items, limit, page, max(total.rows, found), total.capped, has_next, has_previous=page > 1)

    async def read_all(self) -> Page[ViewT]:
        rows, _ = await self._rows(MAX_ROWS + 1)
        truncated = len(rows) > MAX_ROWS
        if truncated:
            self.ctx.reply.notices.append(TRUNCATED)
        return Page(self._views(rows[:MAX_ROWS]), MAX_ROWS, truncated=truncated)

    async def slice(self, requested: Slice) -> Page[ViewT]:
        window = Window.of(self.order, requested)
        rows, _ = await self._rows(window.limit, bounds=window.bounds, cursors=window.values)
        return self._slice(window, self._views(rows), Counts(self._count_all).of(ALL))

    async def slices(self, reference: str, parents: list[str], requested: Slice) -> list[Page[ViewT]]:
        window = Window.of(self.order, requested)
        statement = self.queries.slices(reference, self.shape, self.order, window.bounds)
        values = self.values | window.values | {"limit": window.limit, "offset": 0, "parents": parents}
        items: dict[str, list[ViewT]] = {parent: [] for parent in parents}
        async with self._executor() as executor:
            rows = await executor.all(statement, **values)
        for item in self._views(rows):
            items[getattr(item, reference)].append(item)
        counts = Counts(partial(self._count_per, reference, parents))
        return [self._slice(window, items[parent], counts.of(parent)) for parent in parents]

    def _slice(self, window: Window, items: list[ViewT], count: Count) -> Page[ViewT]:
        after, before, backward = window.bounds
        more = len(items) > window.size
        page_items = items[: window.size]
        if backward:
            page_items.reverse()
        return Page(
            page_items,
            window.size,
            has_next=before if backward else more,
            has_previous=more if backward else after,
            count=count if more or after or before else self._known_count(page_items),
            cursor=self.order.cursor,
        )

    async def _rows(
        self,
        limit: int,
        *,
        offset: int = 0,
        bounds: Bounds = UNBOUNDED,
        cursors: Mapping[str, Any] = MappingProxyType({}),
        counted: bool = False,
    ) -> tuple[list[Row], Total | None]:
        """The rows of a window, and how many there are in all if that was `counted` on the way."""
        values = {**self.values, **cursors, "limit": limit, "offset": offset}
        if self.searched:
            rows, total = await self._search(bounds, values)
            return rows, total if counted else None
        if counted and not offset and self.shape == Shape() and limit in COMMON_LIMITS:
            statement = self.queries.first_page(self.order, limit)
        else:
            read = self.queries.page_with_total if counted else self.queries.page
            statement = read(self.shape, self.order, bounds)
        rows = await self.ctx.database.all(statement, **values)
        if not counted or (offset and not rows):
            return rows, None
        return rows, Total.of(rows[0]["total"]) if rows else Total(0)

    async def _search(self, bounds: Bounds, values: dict[str, Any]) -> tuple[list[Row], Total]:
        """Find up to `MAX_COUNTED` hits and sort them. If there are more, rows of the order are likely to be hits: walk
        its index until the page is full.
        """
        async with self._executor() as executor:
            rows = await executor.all(self.queries.page_of_hits(self.shape, self.order, bounds), **values)
            total = Total.of(rows[0]["total"])
            if total.capped:
                await executor.one(WALK_ORDER)
                rows = await executor.all(self.queries.page(self.shape, self.order, bounds), **values)
            elif rows[0]["id"] is None:
                rows = []
        return rows, total

    async def _count(self, exactly: bool) -> Counted:
        statement = (self.queries.count_exactly if exactly else self.queries.count)(self.shape)
        async with self._executor() as executor:
            return Counted(*await executor.single(statement, **self.values))

    async def _count_all(self, exactly: bool) -> dict[str, Counted]:
        return {ALL: await self._count(exactly)}

    async def _count_per(self, reference: str, parents: list[str], exactly: bool) -> dict[str, Counted]:
        statement = self.queries.counts_per(reference, self.shape, None if exactly else MAX_COUNTED + 1)
        async with self._executor() as executor:
            rows = await executor.all(statement, **self.values, parents=parents)
        return {row["parent"]: Counted(row["rows"], row["amount"]) for row in rows}

    def _executor(self) -> AbstractAsyncContextManager[Executor]:
        return list_executor(self.ctx, searches=self.searched)

    def _known_count(self, items: list[ViewT]) -> Count:
        name = self.queries.summed
        return known_count(len(items), None if name is None else sum(getattr(item, name) for item in items))

    def _views(self, rows: list[Row]) -> list[ViewT]:
        names = self.queries.names
        # Without the total, which follows the columns.
        return [self.adopt(dict(zip(names, row, strict=False))) for row in rows]
