"""`GET /pay/c/{txid}/events`: server-sent events of one charge (WHATWG HTML, section 9.2).

`status` carries the status as its data; `beat` says every few seconds that the line still holds, since a browser can't
see a dead one. The stream ends with the first status that isn't `pending`, or when the server stops: the browser
then asks again, and another process answers.
"""

import asyncio
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from gateway.checkout.live import LiveCharges
from gateway.http.protocol import AT_SHUTDOWN

HEARTBEAT_SECONDS = 15.0
_RETRY_MILLISECONDS = 5000
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),  # nginx and its kind would keep the events to themselves.
]


class EventStream(Struct, frozen=True):
    """The answer to one watcher of a charge whose status is known; `address` is the watcher's."""

    live: LiveCharges
    txid: str
    status: str
    address: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.status != "pending":
            await _start(send)
            await _event(send, "status", self.status, last=True)
            return
        with self.live.watch(self.txid, self.address) as moved:
            await _start(send)
            await _event(send, "status", self.status)
            stopping = asyncio.get_running_loop().create_future()
            scope[AT_SHUTDOWN] = partial(_end, stopping)
            await _follow(moved, stopping, receive, send)


def _end(stopping: "asyncio.Future[None]") -> None:
    if not stopping.done():
        stopping.set_result(None)


async def _follow(moved: "asyncio.Future[str]", stopping: "asyncio.Future[None]", receive: Receive, send: Send) -> None:
    gone = asyncio.ensure_future(_disconnected(receive))
    any_of: set[asyncio.Future[Any]] = {gone, moved, stopping}
    try:
        while not gone.done():
            await asyncio.wait(any_of, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if stopping.done():
                await _write(send, "", last=True)
                return
            if moved.done():
                await _event(send, "status", moved.result(), last=True)
                return
            await _event(send, "beat", "")
    finally:
        gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _start(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await _write(send, f"retry: {_RETRY_MILLISECONDS}\n\n")


async def _event(send: Send, name: str, data: str, *, last: bool = False) -> None:
    await _write(send, f"event: {name}\ndata: {data}\n\n", last=last)


async def _write(send: Send, text: str, *, last: bool = False) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": not last})
