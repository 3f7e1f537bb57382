"""The test's side of the receivers: start them, change how they answer, read what arrived."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.answers import Mode


@dataclass(frozen=True)
class Request:
    """One request as a receiver saw it; times in Unix seconds. `ended` and `status` are None while it is under way, and
    `status` is None for one that was never answered.
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
    """The process of the receivers. `main` listens on 127.0.0.1; give further `listeners` as its own words say."""

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
        """How `path` answers from now on."""
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
        """What arrived, in order."""
        lines = self._lines()
        answers = {line["number"]: line for line in lines if line["kind"] == "answer"}
        arrived = (line for line in lines if line["kind"] == "request" and path in {None, line["path"]})
        return [_request(line, answers.get(line["number"])) for line in arrived]

    def connections(self, listener: str) -> int:
        """How often anybody connected to it, whether or not a request came."""
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


def most_at_once(requests: list[Request]) -> int:
    """The greatest number of requests that were under way together."""
    moments = [(request.at, 1) for request in requests]
    moments += [(request.ended, -1) for request in requests if request.ended is not None]
    under_way = most = 0
    for _, change in sorted(moments):
        under_way += change
        most = max(most, under_way)
    return most
