"""HTTP/1.1 on loopback for the fake bank, with keep-alive, planned faults and a record of each call."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.engines.fake_asaas.bank import PATTERNS, Bank, Call, Json, Refusal
from tests.engines.fake_asaas.faults import Fault


class Cut(Exception):
    """The connection is closed without a response."""


class FakeAsaas:
    """`plan("POST /payments", dropped())` sets the fault of the next such call; `None` lets one succeed."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.calls: list[Call] = []
        self.port = 0
        self.concurrent = 0
        self.max_concurrent = 0
        self.gate = asyncio.Event()
        """Faults with `gated` wait until it is set."""
        self._faults: dict[str, deque[Fault | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def running(cls, environment: str = "hmlg") -> AsyncIterator[Self]:
        fake = cls(Bank(environment))
        server = await asyncio.start_server(fake._serve, "127.0.0.1", 0)
        fake.port = server.sockets[0].getsockname()[1]
        try:
            yield fake
        finally:
            server.close()
            for task in list(fake._tasks):
                task.cancel()
            await asyncio.gather(*fake._tasks, return_exceptions=True)
            await server.wait_closed()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v3"

    def plan(self, route: str, *faults: Fault | None) -> None:
        self._faults.setdefault(route, deque()).extend(faults)

    def call_count(self, route: str) -> int:
        """Return the number of calls of a route, including failed ones."""
        return sum(f"{call.method} {call.route}" == route for call in self.calls)

    def last(self, route: str) -> Call:
        return [call for call in self.calls if f"{call.method} {call.route}" == route][-1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, Cut, asyncio.CancelledError):
                while True:
                    call = await _read(reader)
                    self.concurrent += 1
                    self.max_concurrent = max(self.max_concurrent, self.concurrent)
                    try:
                        status, body, headers = await self._answer(call)
                    finally:
                        self.concurrent -= 1
                    writer.write(_encode(status, body, headers))
                    await writer.drain()
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _answer(self, call: Call) -> tuple[int, bytes, dict[str, str]]:
        handler = _route(call)
        self.calls.append(call)
        planned = self._faults.get(f"{call.method} {call.route}")
        fault = planned.popleft() if planned else None
        if fault is None:
            return self._execute(call, handler)
        if fault.done:
            self._execute(call, handler)
        await asyncio.sleep(fault.seconds)
        if fault.gated:
            await self.gate.wait()
        if not fault.status:
            raise Cut
        return fault.status, fault.body, fault.headers

    def _execute(self, call: Call, handler: "Handler") -> tuple[int, bytes, dict[str, str]]:
        try:
            self._admit(call)
            return 200, json.dumps(handler(self.bank, call)).encode(), {"content-type": "application/json"}
        except Refusal as refused:
            return refused.status, refused.body, {"content-type": "application/json"}

    def _admit(self, call: Call) -> None:
        key = call.headers.get("access_token", "")
        if "user-agent" not in call.headers or (call.method == "GET" and call.body is not None):
            raise Refusal(403)
        if not key:
            raise Refusal(401, "access_token_not_found")
        if f"_{'prod' if self.bank.environment == 'hmlg' else 'hmlg'}_" in key:
            raise Refusal(401, "invalid_environment")
        call.holder = self.bank.holders.get(key)
        if call.holder is None:
            raise Refusal(401, "invalid_access_token", "A chave de API fornecida é inválida")


Handler = Callable[[Bank, Call], Json]


def _unknown(_bank: Bank, _call: Call) -> Json:
    raise Refusal(404)


def _route(call: Call) -> Handler:
    for method, route, pattern, handler in PATTERNS:
        match = pattern.fullmatch(call.path)
        if method == call.method and match:
            call.route, call.id = route, unquote(match.groupdict().get("id", ""))
            return handler
    return _unknown


async def _read(reader: asyncio.StreamReader) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    body = json.loads(data) if data else None
    return Call(method, url.path, url.path, dict(parse_qsl(url.query)), headers, body)


def _encode(status: int, body: bytes, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
