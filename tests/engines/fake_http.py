"""HTTP/1.1 on loopback for the fake banks, with keep-alive, planned faults and a record of each call."""

import asyncio
import json
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.engines.tls_stream import TlsStream

Json = dict[str, Any]
Response = tuple[int, bytes, dict[str, str]]
JSON_TYPE = {"content-type": "application/json"}


@dataclass
class Call:
    method: str
    route: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    data: bytes = b""
    body: Json | None = None
    """The decoded data, if it is JSON."""
    holder: Any = None
    id: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    certificate: str = ""
    """The common name of the client's certificate."""


@dataclass(frozen=True)
class Fault:
    """Replaces a response. `done`: whether the fake executes the request before it fails."""

    status: int = 0
    """0: no response; the connection is cut."""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    done: bool = False
    seconds: float = 0.0
    """The delay before the fault."""
    gated: bool = False
    """Whether the fault waits for the fake's gate."""
    late: bool = False
    """Whether the fake's own answer comes after the delay."""


class Cut(Exception):
    """The connection is closed without a response."""


class FakeServer:
    """`plan("POST /payments", dropped())` sets the fault of the next such call; `None` lets one succeed."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.port = 0
        self.concurrent = 0
        self.max_concurrent = 0
        self.gate = asyncio.Event()
        """Faults with `gated` wait until it is set."""
        self._faults: dict[str, deque[Fault | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._tls: ssl.SSLContext | None = None

    @asynccontextmanager
    async def listening(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[None]:
        self._tls = tls
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()
            self.disconnect()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    def plan(self, route: str, *faults: Fault | None) -> None:
        self._faults.setdefault(route, deque()).extend(faults)

    def call_count(self, route: str) -> int:
        """Return the number of calls of a route, including failed ones."""
        return sum(f"{call.method} {call.route}" == route for call in self.calls)

    def last(self, route: str) -> Call:
        return [call for call in self.calls if f"{call.method} {call.route}" == route][-1]

    def disconnect(self) -> None:
        """Cut all open connections; clients may connect again."""
        for task in list(self._tasks):
            task.cancel()

    def route(self, call: Call) -> None:
        """Set the call's route and ids."""
        raise NotImplementedError

    def execute(self, call: Call) -> Response:
        """Do what the call requests."""
        raise NotImplementedError

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, Cut, asyncio.CancelledError):
                stream: Plain | TlsStream = Plain(reader, writer)
                if self._tls is not None:
                    stream = TlsStream(reader, writer, self._tls)
                    await stream.handshake()
                while True:
                    call = await _read(stream)
                    call.certificate = stream.common_name
                    self.concurrent += 1
                    self.max_concurrent = max(self.max_concurrent, self.concurrent)
                    try:
                        status, body, headers = await self._answer(call)
                    finally:
                        self.concurrent -= 1
                    await stream.send(_encode(status, body, headers))
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _answer(self, call: Call) -> Response:
        self.route(call)
        self.calls.append(call)
        planned = self._faults.get(f"{call.method} {call.route}")
        fault = planned.popleft() if planned else None
        if fault is None:
            return self.execute(call)
        answer = self.execute(call) if fault.done or fault.late else None
        await asyncio.sleep(fault.seconds)
        if fault.gated:
            await self.gate.wait()
        if fault.late:
            assert answer
            return answer
        if not fault.status:
            raise Cut
        return fault.status, fault.body, fault.headers


class Plain:
    """A connection without TLS."""

    common_name = ""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.readuntil, self.readexactly = reader.readuntil, reader.readexactly
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


async def _read(reader: Plain | TlsStream) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    is_json = bool(data) and headers.get("content-type", "").startswith("application/json")
    query = dict(parse_qsl(url.query))
    return Call(method, url.path, url.path, query, headers, data, json.loads(data) if is_json else None)


def _encode(status: int, body: bytes, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
