"""The load generator: N keep-alive connections, each with one request under way, in a process of its own.

    echo '{"port": 8000, "requests": ["GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"], …}' | python -m bench.load

It is one selector loop over plain sockets and costs 10 µs a request. An event loop would cost as much as the server.
"""

import json
import os
import re
import selectors
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import cycle
from time import perf_counter
from uuid import uuid4

from bench.targets import percentile

NEW_UUID = "{new UUID}"
"""A placeholder, which each sent copy replaces by a new UUID."""
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    """The requests to send. `processes`: names with process ids, whose CPU time is measured."""

    port: int
    requests: list[str]
    seconds: float
    warm_seconds: float = 0.2
    connections: int = 32
    processes: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Measurement:
    """Requests a second, latencies in milliseconds, responses by status, CPU in microseconds a request."""

    rate: float
    p50: float
    p99: float
    statuses: dict[str, int]
    cpu: dict[str, float]

    @property
    def succeeded(self) -> bool:
        return bool(self.statuses) and all(status.startswith("2") for status in self.statuses)


class Connection:
    """One socket and the response that is arriving on it."""

    __slots__ = ("needed", "response", "sent_at", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.response = b""
        self.needed = 0
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        self.response, self.needed, self.sent_at = b"", 0, perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read what has arrived. Return whether the response is complete."""
        arrived = self.socket.recv(262144)
        if not arrived:
            raise ConnectionError("the server closed a connection")
        self.response = self.response + arrived if self.response else arrived
        if not self.needed:
            end = self.response.find(b"\r\n\r\n")
            if end < 0:
                return False
            length = _LENGTH.search(self.response, 0, end)
            self.needed = end + 4 + (int(length[1]) if length else 0)
        return len(self.response) >= self.needed


def send_load(load: Load) -> Measurement:
    """Run the generator in a process of its own."""
    command = [sys.executable, "-m", "bench.load"]
    done = subprocess.run(command, input=json.dumps(asdict(load)).encode(), stdout=subprocess.PIPE, check=True)
    return Measurement(**json.loads(done.stdout))


def run(load: Load) -> Measurement:
    """Send for `warm_seconds`, then send and measure for `seconds`."""
    requests = _endless(load.requests)
    selector = selectors.DefaultSelector()
    connections = [Connection(load.port) for _ in range(load.connections)]
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(next(requests))
    _exchange(selector, requests, load.warm_seconds)
    before = {name: cpu_seconds(pids) for name, pids in load.processes.items()}
    started = perf_counter()
    latencies, statuses = _exchange(selector, requests, load.seconds)
    elapsed, count = perf_counter() - started, max(len(latencies), 1)
    cpu = {name: (cpu_seconds(pids) - before[name]) / count * 1e6 for name, pids in load.processes.items()}
    for connection in connections:
        connection.socket.close()
    p50, p99 = (percentile(latencies or [0.0], share) * 1000 for share in (0.5, 0.99))
    return Measurement(len(latencies) / elapsed, p50, p99, statuses, cpu)


def _endless(requests: Sequence[str]) -> Iterator[bytes]:
    for first, *rest in cycle([request.encode().split(NEW_UUID.encode()) for request in requests]):
        yield str(uuid4()).encode().join((first, *rest)) if rest else first


def _exchange(
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
                statuses[connection.response[9:12].decode()] += 1
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
    print(json.dumps(asdict(run(Load(**json.load(sys.stdin))))))


if __name__ == "__main__":
    main()
