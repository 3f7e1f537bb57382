"""Server-sent events of one charge (`GET /pay/c/{txid}/events`; WHATWG HTML, section 9.2).

The event `status` has the status as its data. `beat` comes every few seconds, because a browser doesn't notice a dead
connection. The stream ends with the first status other than `pending`, or at shutdown: the browser reconnects, and
another process answers. All streams of a process share one query per interval.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from gateway.http.event_stream import (
    HEARTBEAT_SECONDS,
    MAX_STREAMS,
    MAX_STREAMS_PER_ADDRESS,
    StreamLimits,
    ends_of,
    start_stream,
    write_event,
    write_text,
)
from gateway.telemetry import log

_RETRY_MILLISECONDS = 5000

FindChanges = Callable[[Collection[str]], Awaitable[Mapping[str, str]]]
"""Returns those of the txids that are no longer pending, with their status."""


class StatusWatcher:
    """Watches the charges of the open streams, with one query every `interval` seconds."""

    def __init__(
        self,
        find_changes: FindChanges,
        *,
        limited: bool = True,
        interval: float = 1.5,
        max_streams: int = MAX_STREAMS,
        max_per_address: int = MAX_STREAMS_PER_ADDRESS,
    ) -> None:
        self._find_changes = find_changes
        self._interval = interval
        self._limits = StreamLimits(limited=limited, max_streams=max_streams, max_per_address=max_per_address)
        self._watchers: defaultdict[str, set[asyncio.Future[str]]] = defaultdict(set)
        self._ticker: asyncio.Task[None] | None = None

    def admit(self, address: str) -> None:
        """Raise `RateLimited` if too many streams are open, from this address or in all."""
        self._limits.admit(address)

    @contextmanager
    def watch(self, txid: str, address: str) -> Iterator["asyncio.Future[str]"]:
        """A future of the charge's next status."""
        changed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._watchers[txid].add(changed)
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._poll())
        try:
            with self._limits.opened(address):
                yield changed
        finally:
            self._remove(txid, changed)

    def _remove(self, txid: str, changed: "asyncio.Future[str]") -> None:
        changed.cancel()
        self._watchers[txid].discard(changed)
        if not self._watchers[txid]:
            del self._watchers[txid]

    async def _poll(self) -> None:
        while self._watchers:
            await asyncio.sleep(self._interval)
            try:
                await self._check()
            except Exception as error:  # noqa: BLE001  # The streams stay open, and the next interval retries.
                log.warning("live_charges_unread", pages=self._limits.total, exc_info=error)

    async def _check(self) -> None:
        for txid, status in (await self._find_changes(list(self._watchers))).items():
            for changed in self._watchers.get(txid, ()):
                if not changed.done():
                    changed.set_result(status)


class StatusStream(Struct, frozen=True):
    """The response to one page. `status` is the charge's current one; `address` is the client's."""

    watcher: StatusWatcher
    txid: str
    status: str
    address: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.status != "pending":
            await _start(send)
            await write_event(send, "status", self.status, last=True)
            return
        with self.watcher.watch(self.txid, self.address) as changed:
            await _start(send)
            await write_event(send, "status", self.status)
            with ends_of(scope, receive) as (disconnected, stopping):
                await _follow(changed, disconnected, stopping, send)


async def _follow(
    changed: "asyncio.Future[str]",
    disconnected: "asyncio.Future[None]",
    stopping: "asyncio.Future[None]",
    send: Send,
) -> None:
    any_of: set[asyncio.Future[Any]] = {disconnected, changed, stopping}
    while not disconnected.done():
        await asyncio.wait(any_of, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            await write_text(send, "", last=True)
            return
        if changed.done():
            await write_event(send, "status", changed.result(), last=True)
            return
        await write_event(send, "beat", "")


async def _start(send: Send) -> None:
    await start_stream(send)
    await write_text(send, f"retry: {_RETRY_MILLISECONDS}\n\n")
