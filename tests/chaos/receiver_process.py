"""The merchants' servers in their own process: `python -m tests.chaos.receiver_process LOG LISTENERS`.

LISTENERS is JSON: `[{"name": "main", "host": "127.0.0.1", "chain": null, "tls": null}, …]`; the process prints
the ports as a line of JSON. A line `{"path": "/a", "mode": "delay", "seconds": 1}` on standard input sets the response
of a path, and is confirmed by `ok`. Other paths respond 200.

Every connection, request and response is a line of JSON in LOG.
"""

import asyncio
import hashlib
import itertools
import json
import ssl
import sys
import time
import warnings
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.chaos.answers import MODES


class Receivers:
    """All listeners and the log."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("a", buffering=1)
        self._modes: dict[str, dict[str, Any]] = {}
        self._seen: Counter[tuple[str, str]] = Counter()
        self._numbers = itertools.count(1)

    def set_mode(self, path: str, mode: dict[str, Any]) -> None:
        self._modes[path] = mode

    async def listen(self, name: str, host: str, chain: str | None, tls: str | None) -> int:
        async def serve(reader: StreamReader, writer: StreamWriter) -> None:
            await self._serve(name, reader, writer)

        server = await asyncio.start_server(serve, host, 0, backlog=1024, ssl=_context(chain, tls) if chain else None)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _serve(self, listener: str, reader: StreamReader, writer: StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        self._write("connection", listener=listener, peer=peer)
        with suppress(OSError, IncompleteReadError, LimitOverrunError):
            await self._answer(listener, peer, reader, writer)
        writer.close()

    async def _answer(self, listener: str, peer: Any, reader: StreamReader, writer: StreamWriter) -> None:
        path, headers, body = await _read(reader)
        number = next(self._numbers)
        event_id = headers.get("webhook-id", "")
        self._seen[path, event_id] += 1
        self._write("request", number=number, listener=listener, peer=peer, path=path, **_facts(headers, body))
        mode = self._modes.get(path, {"mode": "ok"})
        status = None
        try:
            options = {**mode, "seen": self._seen[path, event_id]}
            status = await MODES[mode["mode"]](reader, writer, options)
        finally:
            self._write("answer", number=number, status=status)

    def _write(self, kind: str, **facts: Any) -> None:
        self._log.write(json.dumps({"kind": kind, "at": time.time(), **facts}) + "\n")


def _facts(headers: dict[str, str], body: bytes) -> dict[str, Any]:
    return {
        "event_id": headers.get("webhook-id"),
        "delivery_id": headers.get("x-service-delivery"),
        "attempt": int(headers.get("x-service-attempt", 0)),
        "timestamp": int(headers.get("webhook-timestamp", 0)),
        "body_hash": hashlib.sha256(body).hexdigest(),
        "service_signature": headers.get("x-service-signature", ""),
        "standard_signature": headers.get("webhook-signature", ""),
        "host": headers.get("host"),
    }


async def _read(reader: StreamReader) -> tuple[str, dict[str, str], bytes]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return lines[0].split(" ")[1], headers, body


def _context(chain: str, tls: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    if tls:
        with warnings.catch_warnings():  # It warns of old TLS versions.
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = ssl.TLSVersion[tls]
        context.set_ciphers("DEFAULT@SECLEVEL=0")
    return context


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main(log: Path, listeners: list[dict[str, Any]]) -> None:
    receivers = Receivers(log)
    ports = {listener["name"]: await receivers.listen(**listener) for listener in listeners}
    _print_line(json.dumps(ports))
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        receivers.set_mode(command.pop("path"), command)
        _print_line("ok")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
