"""A dataloader: lookups that arrive while a query runs are batched into the next query.

Every request looks up its credential, and under load many do so within one round trip (docs/performance.md). A query
never starts before its callers, so no row is older than the request: a revoked key is refused at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

MAX_CONCURRENT_BATCHES = 2
"""More than one, so that a hanging query doesn't block all callers."""


class BatchLoader(Generic[KeyT, ValueT]):
    """Loads values by key. `fetch` gets distinct keys, and returns the values that exist by their keys."""

    def __init__(self, fetch: Callable[[list[KeyT]], Awaitable[Mapping[KeyT, ValueT]]]) -> None:
        self._fetch = fetch
        self._waiting: dict[KeyT, list[asyncio.Future[ValueT | None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = 0
        self._starting = False

    async def load(self, key: KeyT) -> ValueT | None:
        """The value of a key, or None. An error of the query is raised to all callers of its batch."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ValueT | None] = loop.create_future()
        self._waiting.setdefault(key, []).append(future)
        # A task that has not started yet also takes the keys that arrive in this iteration of the event loop.
        if not self._starting and self._running < MAX_CONCURRENT_BATCHES:
            self._starting = True
            self._running += 1
            task = loop.create_task(self._run())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    async def _run(self) -> None:
        self._starting = False
        try:
            while self._waiting:
                await self._fetch_waiting()
        finally:
            # No `await` since the check for waiting keys, so the next caller starts a new task.
            self._running -= 1

    async def _fetch_waiting(self) -> None:
        batch, self._waiting = self._waiting, {}
        try:
            values = await self._fetch(list(batch))
        except BaseException as error:
            _fail(batch, error)
            if not isinstance(error, Exception):
                raise
        else:
            for key, futures in batch.items():
                for future in futures:
                    if not future.done():  # Its caller may have been cancelled.
                        future.set_result(values.get(key))


def _fail(batch: "dict[KeyT, list[asyncio.Future[ValueT | None]]]", error: BaseException) -> None:
    for futures in batch.values():
        for future in futures:
            if isinstance(error, asyncio.CancelledError):
                future.cancel()
            elif not future.done():
                future.set_exception(error)
