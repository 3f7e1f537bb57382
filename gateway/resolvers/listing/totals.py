"""How many rows there are in all: asked of the database only by whoever shows it, and once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Count = Callable[[], Awaitable[int]]


@dataclass(slots=True)
class Once(Generic[T]):
    """An answer that is asked for when it is first wanted, and shared by all who want it, also at the same time."""

    ask: Callable[[], Awaitable[T]]
    _asked: "asyncio.Future[T] | None" = None

    async def __call__(self) -> T:
        if self._asked is None:
            self._asked = asyncio.ensure_future(self.ask())
        return await self._asked


def known(total: int) -> Count:
    """A count that what was read has already told."""

    async def told() -> int:
        return total

    return told


def part(totals: Once[dict[str, int]], parent: str) -> Count:
    """The count of one parent, out of a query that counts for all of them."""

    async def told() -> int:
        return (await totals()).get(parent, 0)

    return told
