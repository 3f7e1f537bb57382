"""Server-sent events (WHATWG HTML, section 9.2), for the transports that have streams."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from starlette.types import Receive, Scope, Send

from gateway.errors import RateLimited
from gateway.http.protocol import AT_SHUTDOWN

HEARTBEAT_SECONDS = 15.0
"""A client doesn't notice a dead connection, so a stream is never silent for longer."""
MAX_STREAMS = 20_000
"""In one process."""
MAX_STREAMS_PER_ADDRESS = 60
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),  # Otherwise nginx buffers the events.
]


class StreamLimits:
    """Counts the open streams of a process, in all and by the client's address."""

    def __init__(
        self,
        *,
        limited: bool = True,
        max_streams: int = MAX_STREAMS,
        max_per_address: int = MAX_STREAMS_PER_ADDRESS,
    ) -> None:
        self._max_streams = max_streams
        self._max_per_address = max_per_address if limited else max_streams
        self._open: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self._open.total()

    def admit(self, address: str) -> None:
        """Raise `RateLimited` if too many streams are open, from this address or in all."""
        # Many phones may share an address. A page without a stream polls instead.
        if self._open[address] >= self._max_per_address:
            raise RateLimited(self._max_per_address, 60)
        if self.total >= self._max_streams:
            raise RateLimited(self._max_streams, 60)

    @contextmanager
    def opened(self, address: str) -> Iterator[None]:
        """Count one open stream."""
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


@contextmanager
def ends_of(scope: Scope, receive: Receive) -> "Iterator[tuple[asyncio.Future[None], asyncio.Future[None]]]":
    """Two futures: the client has disconnected, and the server stops."""
    stopping: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    scope[AT_SHUTDOWN] = partial(_stop, stopping)
    disconnected = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        yield disconnected, stopping
    finally:
        disconnected.cancel()


def _stop(stopping: "asyncio.Future[None]") -> None:
    if not stopping.done():
        stopping.set_result(None)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def start_stream(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})


async def write_text(send: Send, text: str, *, last: bool = False) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": not last})


async def write_event(send: Send, name: str, data: str, *, last: bool = False) -> None:
    await write_text(send, f"event: {name}\ndata: {data}\n\n", last=last)
