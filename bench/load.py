"""A load generator of our own: N keep-alive connections, each with one request on its way, in a process of its own.

    echo '{"port": 8000, "requests": ["GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"], …}' | python -m bench.load

One selector loop over non-blocking sockets, because an event loop and its protocols would cost as much as what is
measured: 10 µs a request, a third of what the fastest thing measured here takes (docs/performance.md compares wrk).
"""

import json
import os
import re
import selectors
import socket
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import cycle
from statistics import quantiles
from time import perf_counter
from uuid import uuid4

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
FRESH = "{a fresh UUID}"
"""Stands in a request for a UUID that is another one each time it is sent."""


@dataclass(frozen=True)
class Plan:
    """What to send where. `cpu_of` maps a name to process ids whose CPU time is read before and after."""

    port: int
    requests: list[str]
    connections: int = 32
    warm_seconds: float = 0.3
    seconds: float = 2.0
    cpu_of: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What came of it. Latencies in milliseconds, CPU in microseconds a request."""

    rate: float
    p50: float
    p99: float
    statuses: dict[str, int]
    cpu: dict[str, float]


class Connection:
    """One socket and the answer that is arriving on it."""

    __slots__ = ("answer", "needed", "sent_at", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answer = b""
        self.needed = 0
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        self.answer, self.needed, self.sent_at = b"", 0, perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Take what has arrived; whether the answer is whole."""
        arrived = self.socket.recv(262144)
        if not arrived:
            raise ConnectionError("the server closed a connection")
        self.answer = self.answer + arrived if self.answer else arrived
        if not self.needed:
            end = self.answer.find(b"\r\n\r\n")
            if end < 0:
                return False
            length = _LENGTH.search(self.answer, 0, end)
            self.needed = end + 4 + (int(length[1]) if length else 0)
        return len(self.answer) >= self.needed


def endless(requests: Sequence[str]) -> Iterator[bytes]:
    """The requests in turns for ever, with a new UUID wherever one says `FRESH`."""
    for first, *rest in cycle([request.encode().split(FRESH.encode()) for request in requests]):
        yield str(uuid4()).encode().join((first, *rest)) if rest else first


def run(plan: Plan) -> Measured:
    """Send for `warm_seconds`, then send and measure for `seconds`."""
    requests = endless(plan.requests)
    selector = selectors.DefaultSelector()
    connections = [Connection(plan.port) for _ in range(plan.connections)]
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(next(requests))
    _drive(selector, requests, plan.warm_seconds)
    before = {name: cpu_seconds(pids) for name, pids in plan.cpu_of.items()}
    started = perf_counter()
    latencies, statuses = _drive(selector, requests, plan.seconds)
    elapsed = perf_counter() - started
    count = max(len(latencies), 1)
    cpu = {name: (cpu_seconds(pids) - before[name]) / count * 1e6 for name, pids in plan.cpu_of.items()}
    for connection in connections:
        connection.socket.close()
    cuts = quantiles(latencies, n=100) if len(latencies) > 1 else [0.0] * 99
    return Measured(len(latencies) / elapsed, cuts[49] * 1000, cuts[98] * 1000, statuses, cpu)


def _drive(
    selector: selectors.BaseSelector, requests: Iterator[bytes], seconds: float
) -> tuple[list[float], dict[str, int]]:
    latencies: list[float] = []
    statuses: Counter[str] = Counter()
    ends = perf_counter() + seconds
    while perf_counter() < ends:
        for key, _ in selector.select(0.1):
            connection: Connection = key.data
            if connection.receive():
                latencies.append(perf_counter() - connection.sent_at)
                statuses[connection.answer[9:12].decode()] += 1
                connection.send(next(requests))
    return latencies, dict(statuses)


def cpu_seconds(pids: list[int]) -> float:
    """User and system time of the processes; 0 where there is no /proc."""
    return sum(map(_cpu_of, pids))


def _cpu_of(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123  # A hot path needs no Path.
            user, system = stat.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / _CLOCK_TICKS


def main() -> None:
    print(json.dumps(asdict(run(Plan(**json.load(sys.stdin))))))


if __name__ == "__main__":
    main()
