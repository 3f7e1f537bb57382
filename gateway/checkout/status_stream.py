"""Server-sent events of one charge (`GET /pay/c/{txid}/events`; WHATWG HTML, section 9.2).

The event `status` has the status as its data. `beat` comes every few seconds, because a browser doesn't notice a dead
connection. The stream ends with the first status other than `pending`, or at shutdown: the browser reconnects, and
another process answers. All streams of a process share one query per interval.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from gateway.errors import RateLimited
from gateway.http.protocol import AT_SHUTDOWN
from gateway.telemetry import log

HEARTBEAT_SECONDS = 15.0
_RETRY_MILLISECONDS = 5000
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),  # Otherwise nginx buffers the events.
]

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
        max_streams: int = 20_000,
        max_per_address: int = 60,
    ) -> None:
        self._find_changes = find_changes
        self._interval = interval
        self._max_streams = max_streams
        self._max_per_address = max_per_address if limited else max_streams
        self._watchers: defaultdict[str, set[asyncio.Future[str]]] = defaultdict(set)
        self._open: Counter[str] = Counter()
        self._ticker: asyncio.Task[None] | None = None

    def admit(self, address: str) -> None:
        """Raise `RateLimited` if too many streams are open, from this address or in all."""
        # Many phones may share an address. A page without a stream polls instead.
        if self._open[address] >= self._max_per_address:
            raise RateLimited(self._max_per_address, 60)
        if self._open.total() >= self._max_streams:
            raise RateLimited(self._max_streams, 60)

    @contextmanager
    def watch(self, txid: str, address: str) -> Iterator["asyncio.Future[str]"]:
        """A future of the charge's next status."""
        changed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._watchers[txid].add(changed)
        self._open[address] += 1
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._poll())
        try:
            yield changed
        finally:
            self._remove(txid, address, changed)

    def _remove(self, txid: str, address: str, changed: "asyncio.Future[str]") -> None:
        changed.cancel()
        self._watchers[txid].discard(changed)
        if not self._watchers[txid]:
            del self._watchers[txid]
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    async def _poll(self) -> None:
        while self._watchers:
            await asyncio.sleep(self._interval)
            try:
                await self._check()
            except Exception as error:  # noqa: BLE001  # The streams stay open, and the next interval retries.
                log.warning("live_charges_unread", pages=self._open.total(), exc_info=error)

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
            await _send_event(send, "status", self.status, last=True)
            return
        with self.watcher.watch(self.txid, self.address) as changed:
            await _start(send)
            await _send_event(send, "status", self.status)
            stopping = asyncio.get_running_loop().create_future()
            scope[AT_SHUTDOWN] = partial(_stop, stopping)
            await _follow(changed, stopping, receive, send)


def _stop(stopping: "asyncio.Future[None]") -> None:
    if not stopping.done():
        stopping.set_result(None)


async def _follow(
    changed: "asyncio.Future[str]", stopping: "asyncio.Future[None]", receive: Receive, send: Send
) -> None:
    disconnected = asyncio.ensure_future(_wait_for_disconnect(receive))
    any_of: set[asyncio.Future[Any]] = {disconnected, changed, stopping}
    try:
        while not disconnected.done():
            await asyncio.wait(any_of, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if stopping.done():
                await _write(send, "", last=True)
                return
            if changed.done():
                await _send_event(send, "status", changed.result(), last=True)
                return
            await _send_event(send, "beat", "")
    finally:
        disconnected.cancel()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _start(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await _write(send, f"retry: {_RETRY_MILLISECONDS}\n\n")


async def _send_event(send: Send, name: str, data: str, *, last: bool = False) -> None:
    await _write(send, f"event: {name}\ndata: {data}\n\n", last=last)


async def _write(send: Send, text: str, *, last: bool = False) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": not last})
