"""uvicorn's HTTP protocol, writing head and body of an answer at once.

uvicorn hands the transport the head, then the body, and each becomes a system call and a TCP segment of its own that
wakes the client: for a short answer, that is a tenth of the server's time (docs/performance.md).
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway import __version__
from gateway.ids import new_id

AT_SHUTDOWN = "gateway.at_shutdown"
"""Where a request that would last for ever puts into its scope what ends it, to be called when the server stops."""

_NOT_HTTP = '{"error":{"message":"O pedido não é HTTP válido."}}'.encode()


class Joined:
    """A transport that writes what was written in one turn of the event loop as one. All else passes through."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)

    def close(self) -> None:
        """Close once everything has been written."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.write(b"".join(pieces))


def _nothing() -> None:
    """What most requests have to do when the server stops."""


class OneWriteProtocol(HttpToolsProtocol):
    """What `gateway serve` tells uvicorn to speak HTTP with."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it, too.
        super().connection_made(cast("asyncio.Transport", Joined(transport, self.loop)))

    def shutdown(self) -> None:
        """Finish the request under way and close; one that waits for something to happen is told to end."""
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete:
            cast("Callable[[], None]", self.cycle.scope.get(AT_SHUTDOWN, _nothing))()

    def send_400_response(self, msg: str) -> None:
        """Answer what can't be read as HTTP, in the form of every other error; the application never sees it."""
        del msg
        lines = (
            "HTTP/1.1 400 Bad Request",
            "content-type: application/json",
            f"content-length: {len(_NOT_HTTP)}",
            f"x-request-id: {new_id()}",
            f"x-service-version: {__version__}",
            "connection: close",
        )
        self.transport.write("\r\n".join((*lines, "", "")).encode() + _NOT_HTTP)
        self.transport.close()
