"""Answers that nobody reads don't stay: each has its pace, and all of a process together have their bounds."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from gateway.http.protocol import HttpProtocol
from tests.live_server import served

SIZE = 8 * 1024 * 1024


class Watchful(HttpProtocol):
    check_interval = 1.0


class Narrow(HttpProtocol):
    max_unsent_bytes = 12 * 1024 * 1024


async def large(_scope: Any, _receive: Any, send: Any) -> None:
    """An application that answers with eight megabytes."""
    headers = [(b"content-length", str(SIZE).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * SIZE})


@asynccontextmanager
async def asked(address: tuple[str, int]) -> AsyncIterator[asyncio.StreamReader]:
    """A caller who has asked, and whose machine takes little that isn't read."""
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


async def read(reader: asyncio.StreamReader, most: int = SIZE) -> int:
    """How many bytes come; an answer that is cut off ends early."""
    got = 0
    try:
        while got < most and (piece := await reader.read(256 * 1024)):
            got += len(piece)
    except ConnectionError:
        return got
    return got


async def test_who_does_not_read_is_cut_off() -> None:
    async with served(large, Watchful) as address, asked(address) as reader:
        await asyncio.sleep(2.5)
        assert await read(reader) < SIZE


async def test_who_reads_slowly_gets_it_all() -> None:
    """The kernel takes the answer in pieces of a megabyte or more, and this reader needs several looks for one."""
    async with served(large, Watchful) as address, asked(address) as reader:
        began, slowly = asyncio.get_running_loop().time(), 0
        while asyncio.get_running_loop().time() < began + 4 * Watchful.check_interval:
            slowly += len(await reader.read(8 * 1024))
            await asyncio.sleep(0.05)
        assert 0 < slowly < 1024 * 1024
        assert slowly + await read(reader, SIZE - slowly) >= SIZE


async def test_all_send_buffers_together_are_bounded() -> None:
    """Of four with 8 MB each, of which the kernel holds some, not all are kept; who is kept gets the rest."""
    async with served(large, Narrow) as address, AsyncExitStack() as callers:
        readers = [await callers.enter_async_context(asked(address)) for _ in range(4)]
        await asyncio.sleep(0.5)
        got = [await read(reader) for reader in readers]
        assert 0 < sum(size >= SIZE for size in got) < len(got)
