"""The test's side of the receivers: start them, set their responses, read their log."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.answers import Mode


@dataclass(frozen=True)
class Request:
    """One received request; times in Unix seconds.

    `ended` and `status` are None while it is pending. `status` is also None without a response.
    """

    number: int
    at: float
    ended: float | None
    status: int | None
    listener: str
    peer: tuple[str, int]
    path: str
    event_id: str
    delivery_id: str
    attempt: int
    timestamp: int
    body_hash: str
    service_signature: str
    standard_signature: str
    host: str

    @property
    def delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


@dataclass
class Receivers:
    """The process of the receivers. `main` listens on 127.0.0.1; `listeners` adds others (receiver_process.py)."""

    log: Path
    listeners: list[dict[str, Any]] = field(default_factory=list)
    ports: dict[str, int] = field(default_factory=dict)

    def start(self) -> None:
        main = {"name": "main", "host": "127.0.0.1", "chain": None, "tls": None}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.receiver_process", str(self.log), json.dumps([main, *self.listeners])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            text=True,
        )
        self.ports = json.loads(self._line())

    def answer(self, path: str, mode: Mode, **options: Any) -> None:
        """Set the response of `path`."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"path": path, "mode": mode.__name__, **options}) + "\n")
        self._process.stdin.flush()
        assert self._line() == "ok\n"

    def _line(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()

    def url(self, path: str, listener: str = "main", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.ports[listener]}{path}"

    def requests(self, path: str | None = None) -> list[Request]:
        """The received requests, in order."""
        lines = self._lines()
        answers = {line["number"]: line for line in lines if line["kind"] == "answer"}
        arrived = (line for line in lines if line["kind"] == "request" and path in {None, line["path"]})
        return [_request(line, answers.get(line["number"])) for line in arrived]

    def connections(self, listener: str) -> int:
        """The number of connections, with or without a request."""
        return sum(line["kind"] == "connection" and line["listener"] == listener for line in self._lines())

    def _lines(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        text = self.log.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def stop(self) -> None:
        self._process.terminate()
        self._process.communicate()


def _request(line: dict[str, Any], answer: dict[str, Any] | None) -> Request:
    known = {name: value for name, value in line.items() if name != "kind"}
    known["peer"] = tuple(line["peer"][:2])
    return Request(**known, ended=answer and answer["at"], status=answer and answer["status"])


def max_concurrent(requests: list[Request]) -> int:
    """The maximum number of concurrent requests."""
    changes = [(request.at, 1) for request in requests]
    changes += [(request.ended, -1) for request in requests if request.ended is not None]
    pending = maximum = 0
    for _, change in sorted(changes):
        pending += change
        maximum = max(maximum, pending)
    return maximum
