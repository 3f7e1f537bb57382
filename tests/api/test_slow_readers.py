"""Responses to slow readers: a minimum rate for each, and a limit of send buffers per process."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from gateway.http.protocol import HttpProtocol
from tests.live_server import served

SIZE = 8 * 1024 * 1024


class ShortInterval(HttpProtocol):
    check_interval = 1.0


class SmallLimit(HttpProtocol):
    max_unsent_bytes = 12 * 1024 * 1024


async def large(_scope: Any, _receive: Any, send: Any) -> None:
    """An application that responds with eight megabytes."""
    headers = [(b"content-length", str(SIZE).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * SIZE})


@asynccontextmanager
async def requested(address: tuple[str, int]) -> AsyncIterator[asyncio.StreamReader]:
    """A client with a small receive buffer that has sent a request."""
    own = socket.socket()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
    own.setblocking(False)
    await asyncio.get_running_loop().sock_connect(own, address)
    reader, writer = await asyncio.open_connection(sock=own, limit=16 * 1024)
    try:
        writer.write(b"GET / HTTP/1.1\r\nhost: gateway.test\r\n\r\n")
        await writer.drain()
        yield reader
    finally:
        writer.close()


async def read(reader: asyncio.StreamReader, max_bytes: int = SIZE) -> int:
    """The number of received bytes; a closed connection ends early."""
    got = 0
    try:
        while got < max_bytes and (piece := await reader.read(256 * 1024)):
            got += len(piece)
    except ConnectionError:
        return got
    return got


async def test_a_client_that_does_not_read_is_disconnected() -> None:
    async with served(large, ShortInterval) as address, requested(address) as reader:
        await asyncio.sleep(2.5)
        assert await read(reader) < SIZE


async def test_a_slow_reader_gets_the_whole_response() -> None:
    """The kernel takes a megabyte or more at once, for which this reader needs several check intervals."""
    async with served(large, ShortInterval) as address, requested(address) as reader:
        began, slowly = asyncio.get_running_loop().time(), 0
        while asyncio.get_running_loop().time() < began + 4 * ShortInterval.check_interval:
            slowly += len(await reader.read(8 * 1024))
            await asyncio.sleep(0.05)
        assert 0 < slowly < 1024 * 1024
        assert slowly + await read(reader, SIZE - slowly) >= SIZE


async def test_all_send_buffers_together_are_bounded() -> None:
    """Of four responses of 8 MB, some connections are closed and the others get the whole response."""
    async with served(large, SmallLimit) as address, AsyncExitStack() as callers:
        readers = [await callers.enter_async_context(requested(address)) for _ in range(4)]
        await asyncio.sleep(0.5)
        got = [await read(reader) for reader in readers]
        assert 0 < sum(size >= SIZE for size in got) < len(got)
