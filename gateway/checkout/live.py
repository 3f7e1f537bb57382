"""Telling open pages that their charge has moved: one query a tick for all the pages of a process.

However many payers wait, the database answers one question every `interval` seconds, and none when nobody waits.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from gateway.errors import RateLimited
from gateway.telemetry import log

Moves = Callable[[Collection[str]], Awaitable[Mapping[str, str]]]
"""Of these txids, those that no longer wait, with their status."""


class LiveCharges:
    """The charges that somebody is looking at."""

    def __init__(
        self,
        moves: Moves,
        *,
        limited: bool = True,
        interval: float = 1.5,
        most: int = 20_000,
        most_per_address: int = 60,
    ) -> None:
        self._moves = moves
        self._interval = interval
        self._most = most
        self._most_per_address = most_per_address if limited else most
        self._watchers: defaultdict[str, set[asyncio.Future[str]]] = defaultdict(set)
        self._open: Counter[str] = Counter()
        self._ticker: asyncio.Task[None] | None = None

    def admit(self, address: str) -> None:
        """Raise `RateLimited` where too many streams are open, from this address or at all."""
        # A carrier puts many phones behind one address: a page beyond the cap polls instead, and loses nothing else.
        if self._open[address] >= self._most_per_address:
            raise RateLimited(self._most_per_address, 60)
        if self._open.total() >= self._most:
            raise RateLimited(self._most, 60)

    @contextmanager
    def watch(self, txid: str, address: str) -> Iterator["asyncio.Future[str]"]:
        """A future of the status that the charge moves to."""
        moved: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._watchers[txid].add(moved)
        self._open[address] += 1
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick())
        try:
            yield moved
        finally:
            self._forget(txid, address, moved)

    def _forget(self, txid: str, address: str, moved: "asyncio.Future[str]") -> None:
        moved.cancel()
        self._watchers[txid].discard(moved)
        if not self._watchers[txid]:
            del self._watchers[txid]
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    async def _tick(self) -> None:
        while self._watchers:
            await asyncio.sleep(self._interval)
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001  # Whatever it was, the pages go on waiting: look again next tick.
                log.warning("live_charges_unread", pages=self._open.total(), exc_info=error)

    async def _look(self) -> None:
        for txid, status in (await self._moves(list(self._watchers))).items():
            for moved in self._watchers.get(txid, ()):
                if not moved.done():
                    moved.set_result(status)
