"""One connection to one checked address.

The address is checked where the socket is opened, so exactly the checked address is dialled. The URL, `Host`, SNI and
the certificate's name stay the merchant's. A URL with the address in place of the name could share TLS connections
between merchants.
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore

from gateway.integrations.egress.addresses import AddressGuard, BlockedAddress, IPAddress
from gateway.integrations.egress.resolver import Resolver

CONNECT_SECONDS = 3.0
# A name may have an address that doesn't respond. Three tries of three seconds fit into a delivery's ten.
MAX_DIALS = 3
# Of head and body together. Without a limit, 1xx responses or one-byte chunks occupy the parser until the deadline.
MAX_RESPONSE_BYTES = 32 * 1024
# Of one read: some milliseconds of parsing, with any size of chunks.
READ_BYTES = 4 * 1024


class TlsFailure(Exception):
    """The TLS handshake failed, or its connection is not trusted."""


class BoundedStream(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """A socket for httpcore that stops reading after `MAX_RESPONSE_BYTES` and closes at once.

    It has no timeouts: the caller's deadline covers everything. It raises Python's own errors (`OSError`,
    `ssl.SSLError`), except for the two that httpcore handles. It uses the event loop's transport: httpcore's anyio
    stream costs a third of a delivery's CPU.
    """

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._remaining = MAX_RESPONSE_BYTES
        self._ended = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None, "the event loop connects before any read or write"
        return self._transport

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's class is no subclass of it.

    def data_received(self, data: bytes) -> None:
        piece = data[: self._remaining]
        self._buffer += piece
        self._remaining -= len(piece)
        if not self._remaining:
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._error = exc
        self.eof_received()

    # Called by httpcore, whose timeouts per phase are never set.

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 -- httpcore's signature.
        if self._buffer:
            await asyncio.sleep(0)  # Other tasks first: parsing buffered bytes would not yield.
        else:
            await self._wait_for_data()
        size = min(max_bytes, READ_BYTES)
        piece = bytes(self._buffer[:size])
        del self._buffer[:size]
        return piece or self._end()

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 -- httpcore's signature.
        """Write without waiting for the socket buffer: a request has at most 70 KiB."""
        if self._ended or self.transport.is_closing():
            raise httpcore.WriteError  # httpcore then reads a response that came before the end.
        self.transport.write(buffer)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- httpcore's signature.
    ) -> httpcore.AsyncNetworkStream:
        if self._buffer:  # Plain bytes would be read as a part of the encrypted response.
            raise TlsFailure("the server spoke before the handshake")
        start_tls = asyncio.get_running_loop().start_tls
        try:
            self._transport = await start_tls(self.transport, self, ssl_context, server_hostname=server_hostname)
        except OSError as error:  # Also ssl.SSLError, and a lost connection.
            raise TlsFailure(str(error)) from error
        return self

    async def aclose(self) -> None:
        self.abort()

    def get_extra_info(self, info: str) -> Any:
        return self.transport.get_extra_info(info)

    def abort(self) -> None:
        """Close at once: an orderly TLS close waits up to 30 s for the peer."""
        self._ended = True
        self._buffer.clear()
        self.transport.abort()

    async def _wait_for_data(self) -> None:
        if self._ended or not self._remaining:
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
        if not self._remaining:
            raise httpcore.RemoteProtocolError(f"a response of more than {MAX_RESPONSE_BYTES} bytes")
        if self._error:
            raise self._error
        if self._remaining == MAX_RESPONSE_BYTES:
            raise ConnectionResetError("closed without a response")
        return b""


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Opens the socket of one delivery. `address` is the last one that it dialled, or None."""

    def __init__(self, guard: AddressGuard, resolver: Resolver, connect_seconds: float = CONNECT_SECONDS) -> None:
        self.address: str | None = None
        self._guard = guard
        self._resolver = resolver
        self._connect_seconds = connect_seconds
        self._stream: BoundedStream | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- httpcore's signature; the deadline is the caller's.
        local_address: str | None = None,  # noqa: ARG002 -- httpcore's signature; never set.
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 -- httpcore's signature; never set.
    ) -> httpcore.AsyncNetworkStream:
        """Resolve, check every address, dial. Raises `NameNotResolved`, `BlockedAddress` or `OSError`."""
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

    async def _dial_first(self, addresses: Iterable[IPAddress], port: int) -> BoundedStream:
        """Connect to the first address that accepts. Nothing was sent before, so no delivery is repeated."""
        failure = OSError("no address")
        for address in addresses:
            try:
                return await self._dial(address, port)
            except OSError as error:
                failure = error
        raise failure

    async def _dial(self, address: IPAddress, port: int) -> BoundedStream:
        self.address = str(address)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._connect_seconds):
            _, stream = await loop.create_connection(BoundedStream, self.address, port)
        return stream
