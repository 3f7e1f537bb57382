"""How many rows a list has: exact up to `MAX_COUNTED`, and to the end only on request."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

MAX_COUNTED = 3_000


class Total(NamedTuple):
    """A number of rows, and the sum of their amounts if the list has one. If `capped`, there are more, and no sum."""

    rows: int
    capped: bool = False
    amount: int | None = None

    @classmethod
    def of(cls, counted: int, amount: int | None = None, *, exactly: bool = False) -> "Total":
        """From a count that stopped at `MAX_COUNTED + 1`, unless it was made `exactly`."""
        is_whole = exactly or counted <= MAX_COUNTED
        return cls(counted, amount=amount) if is_whole else cls(MAX_COUNTED, capped=True)


class Counted(NamedTuple):
    """What a statement counted."""

    rows: int
    amount: int | None = None


class Count(Protocol):
    """Counts the rows of a list when it is called: up to the cap, or `exactly`."""

    async def __call__(self, *, exactly: bool = False) -> Total: ...


class Counts:
    """Counts that run once, for all who call them, also at the same time: of one list, or of each of many parents."""

    def __init__(self, count: Callable[[bool], Awaitable[Mapping[str, Counted]]]) -> None:
        """`count` takes whether to count exactly, and returns what it counted by parent."""
        self._count = count
        self._running: dict[bool, asyncio.Future[Mapping[str, Counted]]] = {}

    def of(self, parent: str) -> Count:
        async def count(*, exactly: bool = False) -> Total:
            if exactly not in self._running:
                self._running[exactly] = asyncio.ensure_future(self._count(exactly))
            return Total.of(*(await self._running[exactly])[parent], exactly=exactly)

        return count


def known_count(rows: int, amount: int | None = None) -> Count:
    """A count whose result is known."""

    async def count(*, exactly: bool = False) -> Total:  # noqa: ARG001  # The protocol has it.
        return Total(rows, amount=amount)

    return count
