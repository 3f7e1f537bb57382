"""A round-robin reverse proxy on loopback.

It retries a failed connection at the next process. After sending the request it doesn't retry, but returns 502, as the
process may have carried out the request.
"""

import asyncio
import itertools
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_BAD_GATEWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
Address = tuple[str, int]


class Proxy:
    """`taken` counts the requests sent to each process."""

    def __init__(self, backends: list[Address]) -> None:
        self.backends = backends
        self.taken: Counter[Address] = Counter()
        self.url = ""
        self._turns = itertools.cycle(backends)
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def running(cls, backends: list[Address]) -> AsyncIterator["Proxy"]:
        proxy = cls(backends)
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield proxy
        finally:
            server.close()
            await proxy.stop()

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._forward(await _request(reader, writer), writer)
        self._tasks.discard(task)
        writer.close()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _forward(self, request: bytes, writer: StreamWriter) -> None:
        answer, backend = await self._next()
        started = False
        try:
            backend.write(request)
            # The process closes the connection after its response, which ends even streams.
            while piece := await answer.read(65536):
                writer.write(piece)
                await writer.drain()
                started = True
        except ConnectionError:
            pass  # The client notices a truncated response by its length.
        finally:
            backend.close()
        if not started:
            writer.write(_BAD_GATEWAY)
            await writer.drain()

    async def _next(self) -> tuple[StreamReader, StreamWriter]:
        for _ in self.backends:
            address = next(self._turns)
            with suppress(ConnectionError):
                opened = await asyncio.open_connection(*address)
                self.taken[address] += 1
                return opened
        raise ConnectionError("no process accepts connections")


async def _request(reader: StreamReader, writer: StreamWriter) -> bytes:
    """The request to forward, with the client's address, and with one connection per request."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")[:-2]
    names = {line.partition(b":")[0].lower(): line.partition(b":")[2].strip() for line in lines[1:]}
    body = await reader.readexactly(int(names.get(b"content-length", b"0")))
    forwarded = [line for line in lines if not line.lower().startswith(b"connection:")]
    peer: str = writer.get_extra_info("peername")[0]
    return b"\r\n".join([*forwarded, b"X-Forwarded-For: " + peer.encode(), b"Connection: close", b"", body])
