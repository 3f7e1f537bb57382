"""Merchants' servers on loopback, which log requests and respond by a script."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of an HTTP response. Header names have underscores for hyphens."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body


@dataclass(frozen=True)
class Received:
    """A received request: path, headers in lower case, exact body, and time by the loop's clock."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def event_id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """Responds with what `script` returns for the n-th request (from 1) to a path; None is no response.

    Sends no response between `hold` and `release`.
    """

    script: Callable[[str, int], bytes | None]
    port: int = 0
    requests: list[Received] = field(default_factory=list)
    in_flight: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    most_in_flight: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    delay: float = 0.0
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _open: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._open.set()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def of(self, path: str) -> list[Received]:
        return [request for request in self.requests if request.path == path]

    async def arrived(self, count: int, path: str | None = None, seconds: float = 60.0) -> list[Received]:
        """Wait until `count` requests have arrived."""
        async with asyncio.timeout(seconds):
            while len(found := self.requests if path is None else self.of(path)) < count:
                self._news.clear()
                await self._news.wait()
        return found

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._answer(reader, writer)
        self._tasks.discard(task)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read(reader)
        self.requests.append(request)
        self._news.set()
        path = request.path
        self.in_flight[path] += 1
        self.most_in_flight[path] = max(self.most_in_flight[path], self.in_flight[path])
        try:
            response = self.script(path, len(self.of(path)))
            await asyncio.sleep(self.delay)
            await self._open.wait()
            if response is None:
                await reader.read()
                return
        finally:
            self.in_flight[path] -= 1
        writer.write(response)
        await writer.drain()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Received(head[0].split(" ")[1], headers, body, asyncio.get_running_loop().time())


@asynccontextmanager
async def receiving(script: Callable[[str, int], bytes | None] = lambda _path, _n: OK) -> AsyncIterator[Receiver]:
    receiver = Receiver(script)
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await receiver.stop()
        await asyncio.sleep(0.01)
