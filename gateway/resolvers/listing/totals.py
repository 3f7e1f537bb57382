"""How many rows there are in all: asked of the database only by whoever shows it, and once.

A total that is known without counting is exact, however many rows there are. What has to be counted row by row is
counted up to a bound, so that a search takes as long in a large store as in a small one, and to its end only if the
caller says so (ADR 0055).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

T = TypeVar("T")
MOST_FOUND = 3_000
"""As many rows that a search finds are counted."""
MOST_JUDGED = 1_500
"""As many of these are held against another filter, each of which takes as long again."""
MOST_COUNTED = 50_000
"""As many rows that filters find, or an index has of them, are counted: those take less than a tenth of the time."""


class Counted(NamedTuple):
    """How many rows there are; if `capped`, at least, for there were more than are counted."""

    rows: int
    capped: bool = False


class Sampled(NamedTuple):
    """About how many rows a search finds; if `capped`, at least; and `of` how many."""

    rows: int
    capped: bool = False
    of: int = 0


class Count(Protocol):
    """How many rows a list has: as far as they are counted, or, `exactly`, to the end."""

    async def __call__(self, *, exactly: bool = False) -> Counted: ...


class Once(Struct, Generic[T]):
    """An answer that is asked for when it is first wanted, and shared by all who want it, also at the same time."""

    ask: Callable[[], Awaitable[T]]
    _asked: "asyncio.Future[T] | None" = None

    @property
    def is_asked(self) -> bool:
        return self._asked is not None

    async def __call__(self) -> T:
        if self._asked is None:
            self._asked = asyncio.ensure_future(self.ask())
        return await self._asked


def known(total: int) -> Count:
    """A count that what was read has already told."""

    async def told(**_how: bool) -> Counted:
        return Counted(total)

    return told


def either(some: Once[Counted], all_: Once[Counted]) -> Count:
    """A count of which each way is asked for once."""

    async def told(*, exactly: bool = False) -> Counted:
        return await (all_ if exactly else some)()

    return told


def part(some: Once[dict[str, Counted]], all_: Once[dict[str, Counted]], parent: str) -> Count:
    """The count of one parent, out of queries that count for all of them."""

    async def told(*, exactly: bool = False) -> Counted:
        return (await (all_ if exactly else some)()).get(parent, Counted(0))

    return told
