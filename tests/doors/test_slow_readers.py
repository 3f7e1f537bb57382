"""Answers that nobody reads don't stay: each has its pace, and all of a process together have their bounds."""

import asyncio
import socket
from typing import Any

import pytest

from gateway.http_protocol import HttpProtocol
from tests.served import served

SIZE = 8 * 1024 * 1024


class Watchful(HttpProtocol):
    look = 0.3


class Narrow(HttpProtocol):
    most_unsent = 12 * 1024 * 1024


async def large(_scope: Any, _receive: Any, send: Any) -> None:
    """An application that answers with eight megabytes."""
    headers = [(b"content-length", str(SIZE).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * SIZE})


async def asked(address: tuple[str, int]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A caller who has asked, and whose machine takes little that isn't read."""
    own = socket.socket()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
    own.setblocking(False)
    await asyncio.get_running_loop().sock_connect(own, address)
    reader, writer = await asyncio.open_connection(sock=own, limit=16 * 1024)
    writer.write(b"GET / HTTP/1.1\r\nhost: gateway.test\r\n\r\n")
    await writer.drain()
    return reader, writer


async def read(reader: asyncio.StreamReader, *, pause: float = 0.0) -> int:
    """How many bytes come, read with pauses; an answer that is cut off ends early."""
    got = 0
    try:
        while got < SIZE and (piece := await reader.read(256 * 1024)):
            got += len(piece)
            await asyncio.sleep(pause)
    except ConnectionError:
        return got
    return got


async def test_who_does_not_read_is_cut_off() -> None:
    async with served(large, Watchful) as address:
        reader, writer = await asked(address)
        await asyncio.sleep(1.5)
        assert await read(reader) < SIZE
        writer.close()


@pytest.mark.parametrize("pause", [0.0, 0.005])
async def test_who_reads_gets_it_all(pause: float) -> None:
    async with served(large, Watchful) as address:
        reader, writer = await asked(address)
        assert await read(reader, pause=pause) >= SIZE
        writer.close()


async def test_together_they_keep_no_more_than_a_process_bears() -> None:
    """Of four with 8 MB each, of which the kernel holds some, not all are kept; who is kept gets the rest."""
    async with served(large, Narrow) as address:
        callers = [await asked(address) for _ in range(4)]
        await asyncio.sleep(0.5)
        got = [await read(reader) for reader, _ in callers]
        assert 0 < sum(size >= SIZE for size in got) < len(callers)
        for _, writer in callers:
            writer.close()
