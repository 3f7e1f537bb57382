"""One statement for the callers who look up the same kind of row at the same moment.

Every request looks up its credential. Under load many do so within one round trip of each other, and a statement each
costs more than the rest of a read (docs/performance.md). Whoever comes while lookups are under way waits for the next
one, which carries the keys of all who wait.

A lookup never starts before the caller asked, so nobody sees a row that is older than the question: a key that was
revoked is refused on the very next request, as if each had asked alone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

from gateway.models.database import Row

KeyT = TypeVar("KeyT", bound=Hashable)

_AT_ONCE = 2
"""Lookups under way at the same time: one that hangs must not hold up everybody."""


class Gathering(Generic[KeyT]):
    """Rows by key. `find` is given distinct keys and tells the rows it found by their keys."""

    def __init__(self, find: Callable[[list[KeyT]], Awaitable[Mapping[KeyT, Row]]]) -> None:
        self._find = find
        self._waiting: dict[KeyT, list[asyncio.Future[Row | None]]] = {}
        self._lookups: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._starting = False

    async def one(self, key: KeyT) -> Row | None:
        """The row of a key, or None. Whatever stops the lookup stops all who wait for it."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Row | None] = loop.create_future()
        self._waiting.setdefault(key, []).append(answer)
        # One that has not begun yet takes along whoever asks in this turn of the event loop.
        if not self._starting and self._at_work < _AT_ONCE:
            self._starting = True
            self._at_work += 1
            lookup = loop.create_task(self._look_up())
            self._lookups.add(lookup)
            lookup.add_done_callback(self._lookups.discard)
        return await answer

    async def _look_up(self) -> None:
        self._starting = False
        try:
            while self._waiting:
                await self._answer_waiting()
        finally:
            # In the same step that has seen nobody waiting: whoever asks a moment later has to find a place free.
            self._at_work -= 1

    async def _answer_waiting(self) -> None:
        asked, self._waiting = self._waiting, {}
        try:
            rows = await self._find(list(asked))
        except BaseException as error:
            _fail(asked, error)
            if not isinstance(error, Exception):
                raise
        else:
            _answer(asked, rows)


def _answer(asked: "dict[KeyT, list[asyncio.Future[Row | None]]]", rows: Mapping[KeyT, Row]) -> None:
    for key, answers in asked.items():
        row = rows.get(key)
        for answer in answers:
            if not answer.done():  # Its caller may have gone away meanwhile.
                answer.set_result(row)


def _fail(asked: "dict[KeyT, list[asyncio.Future[Row | None]]]", error: BaseException) -> None:
    for answers in asked.values():
        for answer in answers:
            if isinstance(error, asyncio.CancelledError):
                answer.cancel()
            elif not answer.done():
                answer.set_exception(error)
