"""A load that doesn't wait for answers: so many requests a second, evenly spaced, each on time, in a process of its
own.

    echo '{"port": 8000, "requests": ["GET / …"], "rate": 500, "seconds": 60}' | python -m bench.pace

A request's latency counts from the moment it was due, also where all connections were taken by then: what a slow moment
does to those who come meanwhile is part of the figure.
"""

import gc
import json
import selectors
import sys
from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from time import perf_counter

from bench.figures import percentile
from bench.load import Connection, endless


@dataclass(frozen=True)
class Pace:
    """What to send where. `rate` is requests a second."""

    port: int
    requests: list[str]
    rate: float
    seconds: float
    connections: int = 128
    window: float = 10.0


@dataclass
class Told:
    """What came of it: milliseconds of all and by `window`s (count, p50, p99, longest),
    and how many of which status.
    """

    count: int = 0
    p50: float = 0.0
    p99: float = 0.0
    longest: float = 0.0
    late: int = 0
    """How many found no free connection when they were due."""
    statuses: dict[str, int] = field(default_factory=dict)
    windows: list[tuple[int, float, float, float]] = field(default_factory=list)


class _Pacer:
    """Due requests, free connections, and what is under way."""

    def __init__(self, pace: Pace) -> None:
        self._requests = endless(pace.requests)
        self._selector = selectors.DefaultSelector()
        # In turns, so that none is idle for so long that the server closes it.
        self._free = deque(Connection(pace.port) for _ in range(pace.connections))
        for connection in self._free:
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        self._due: deque[float] = deque()
        self._since: dict[int, float] = {}
        self.answered: list[tuple[float, float]] = []
        self.statuses: Counter[str] = Counter()
        self.late = 0

    @property
    def busy(self) -> bool:
        return bool(self._since or self._due)

    def send(self, moment: float) -> None:
        """The request that was due at `moment`."""
        if not self._free:
            self.late += 1
            self._due.append(moment)
            return
        connection = self._free.popleft()
        self._since[id(connection)] = moment
        connection.send(next(self._requests))

    def take(self, patience: float) -> None:
        """The answers that have come, or come within `patience` seconds."""
        for key, _ in self._selector.select(patience):
            connection: Connection = key.data
            if connection.receive():
                now = perf_counter()
                self.answered.append((now, now - self._since.pop(id(connection))))
                self.statuses[connection.answer[9:12].decode()] += 1
                self._free.append(connection)
                if self._due:
                    self.send(self._due.popleft())


def run(pace: Pace) -> Told:
    pacer = _Pacer(pace)
    begun = perf_counter()
    due, ends = begun, begun + pace.seconds
    while due < ends:
        now = perf_counter()
        while due <= now and due < ends:
            pacer.send(due)
            due += 1 / pace.rate
        pacer.take(max(0.0, due - perf_counter()))
    while pacer.busy and perf_counter() < ends + 30:
        pacer.take(0.1)
    return _told(pace, begun, pacer)


def _told(pace: Pace, begun: float, pacer: _Pacer) -> Told:
    all_of_them = [took for _, took in pacer.answered]
    windows = []
    for number in range(int(pace.seconds // pace.window)):
        since = begun + number * pace.window
        took = [seconds for at, seconds in pacer.answered if since <= at < since + pace.window] or [0.0]
        windows.append((len(took), percentile(took, 0.5), percentile(took, 0.99), percentile(took, 1)))
    p50, p99, longest = (percentile(all_of_them, share) for share in (0.5, 0.99, 1))
    return Told(len(all_of_them), p50, p99, longest, pacer.late, dict(pacer.statuses), windows)


def main() -> None:
    gc.disable()
    print(json.dumps(asdict(run(Pace(**json.load(sys.stdin))))))


if __name__ == "__main__":
    main()
