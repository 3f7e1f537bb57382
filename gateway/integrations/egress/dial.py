"""One connection to one checked address.

The guard sits where the socket is opened, so the address that was checked is the address that is dialled, while the
URL, `Host`, SNI and the name in the certificate stay the merchant's. (Rewriting the URL to an address instead was
measured to send one merchant's payload over another's TLS connection.)
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore

from gateway.integrations.egress.addresses import AddressGuard, BlockedAddress, IPAddress
from gateway.integrations.egress.resolver import Resolver

CONNECT_SECONDS = 3.0
# A name may have a dead address and a good one; three tries of three seconds stay inside a delivery's ten.
MAX_DIALS = 3
# What an answer may take on the wire, head and body together. Without it a stream of 1xx answers or of one-byte chunks
# keeps the parser busy until the deadline.
ANSWER_BYTES = 32 * 1024
# What one read hands to the parser: some milliseconds of work, however the bytes are cut into chunks.
READ_BYTES = 4 * 1024


class TlsFailure(Exception):
    """The TLS handshake did not end in a connection that we trust."""


class CappedStream(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """A socket for httpcore that stops reading after `ANSWER_BYTES` and closes at once.

    It keeps no time: the caller's deadline covers everything. It speaks Python's own errors (`OSError`,
    `ssl.SSLError`), except for the two that httpcore acts upon. Straight on the event loop's transport: httpcore's
    anyio stream costs a third of the CPU of a delivery.
    """

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._left = ANSWER_BYTES
        self._ended = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None, "the event loop connects before anybody reads or writes"
        return self._transport

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one by its methods, not by its class

    def data_received(self, data: bytes) -> None:
        piece = data[: self._left]
        self._buffer += piece
        self._left -= len(piece)
        if not self._left:
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._error = exc
        self.eof_received()

    # What httpcore calls; its per-phase timeouts are never set

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 -- httpcore's signature.
        if self._buffer:
            await asyncio.sleep(0)  # Others first: what is buffered already would be parsed in one go.
        else:
            await self._arrival()
        size = min(max_bytes, READ_BYTES)
        piece = bytes(self._buffer[:size])
        del self._buffer[:size]
        return piece or self._end()

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 -- httpcore's signature.
        """Hand the bytes over; a request is at most some 70 KiB, so it does not wait for the socket buffer."""
        if self._ended or self.transport.is_closing():
            raise httpcore.WriteError  # httpcore then looks for an answer that came before the end.
        self.transport.write(buffer)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- httpcore's signature.
    ) -> httpcore.AsyncNetworkStream:
        if self._buffer:  # Plain bytes would be read as the start of the answer that TLS protects.
            raise TlsFailure("the server spoke before the handshake")
        start_tls = asyncio.get_running_loop().start_tls
        try:
            self._transport = await start_tls(self.transport, self, ssl_context, server_hostname=server_hostname)
        except OSError as error:  # ssl.SSLError among them, and a connection that broke off
            raise TlsFailure(str(error)) from error
        return self

    async def aclose(self) -> None:
        self.abort()

    def get_extra_info(self, info: str) -> Any:
        return self.transport.get_extra_info(info)

    def abort(self) -> None:
        """Close without a farewell: a TLS close waits for the peer's, up to 30 s if it never comes."""
        self._ended = True
        self._buffer.clear()
        self.transport.abort()

    async def _arrival(self) -> None:
        if self._ended or not self._left:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def _end(self) -> bytes:
        if not self._left:
            raise httpcore.RemoteProtocolError(f"an answer of more than {ANSWER_BYTES} bytes")
        if self._error:
            raise self._error
        if self._left == ANSWER_BYTES:
            raise ConnectionResetError("closed without an answer")
        return b""


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Opens the socket of one delivery, and remembers the `address` it dialled (None: none was)."""

    def __init__(self, guard: AddressGuard, resolver: Resolver, connect_seconds: float = CONNECT_SECONDS) -> None:
        self.address: str | None = None
        self._guard = guard
        self._resolver = resolver
        self._connect_seconds = connect_seconds
        self._stream: CappedStream | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- httpcore's signature; the deadline is the caller's.
        local_address: str | None = None,  # noqa: ARG002 -- httpcore's signature; never set.
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 -- httpcore's signature; never set.
    ) -> httpcore.AsyncNetworkStream:
        """Resolve, check every answer, dial; `NameNotResolved`, `BlockedAddress` or `OSError`."""
        addresses = await self._resolver.resolve(host)
        self._guard.check_all(addresses)
        self._stream = await self._dial_first(addresses[:MAX_DIALS], port)
        return self._stream

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- httpcore's signature.
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 -- httpcore's signature.
    ) -> httpcore.AsyncNetworkStream:
        raise BlockedAddress(path)

    def abort(self) -> None:
        """Close the socket, if one was opened. Never waits."""
        if self._stream:
            self._stream.abort()

    async def _dial_first(self, addresses: Iterable[IPAddress], port: int) -> CappedStream:
        """The first that accepts; nothing was sent before, so trying the next repeats no delivery."""
        failure = OSError("no address")
        for address in addresses:
            try:
                return await self._dial(address, port)
            except OSError as error:
                failure = error
        raise failure

    async def _dial(self, address: IPAddress, port: int) -> CappedStream:
        self.address = str(address)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._connect_seconds):
            _, stream = await loop.create_connection(CappedStream, self.address, port)
        return stream
