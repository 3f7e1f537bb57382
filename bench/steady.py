"""Whether it stays as it is under load for minutes: `python -m bench.steady [--turns 10] [--seconds 2]`.

`gateway serve --workers 1` gets a mix of reads, lists and new charges over both doors from 1 to 32 connections, each of
which sends its next request when it has its answer. All the numbers of connections take turns, and the bare floor with
ours, so that a slow moment of the machine favours nobody; what each brings is told as a share of what 32 brought in the
same turn. 80 % of capacity is the load of the fewest connections that bring 80 % by the median of the turns. Targets:
p99 below 5 times p50 there; memory, tasks, files and sessions at PostgreSQL afterwards what they were after the first
turns. At the end: what a charge takes on disk.

`bench.on_time` sends the same mix at an even pace.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from bench.contest import drive
from bench.load import Measured, Plan
from bench.operations import OPERATIONS
from bench.stage import Stage, open_stage
from bench.verdict import judged, leave

SHARE = 0.8
LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32)
MOST_CONNECTIONS = LADDER[-1]
MOST_TIMES_P50 = 5.0
MOST_GROWTH = 1.05
LOOK_EVERY = 5.0
MIX = {
    "REST read": 40,
    "REST checkout read": 15,
    "GraphQL read": 15,
    "REST issue": 15,
    "GraphQL issue": 5,
    "REST list 100": 5,
    "GraphQL list 100": 5,
}
"""How many of a hundred requests; a store that sells by API, whose payers' pages ask meanwhile."""
SIZES = """
select c.relname as name, pg_table_size(c.oid) as rows, pg_indexes_size(c.oid) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'public' and c.relkind = 'r' and pg_total_relation_size(c.oid) > 1000000 order by 2 desc
"""


@dataclass
class Watch:
    """What was seen of the server's process every five seconds."""

    stage: Stage
    resident: list[float] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        status = Path(f"/proc/{self.stage.gateway_pid}/status").read_text()
        self.resident.append(int(status.partition("VmRSS:")[2].split()[0]) / 1024)
        self.files.append(len(list(Path(f"/proc/{self.stage.gateway_pid}/fd").iterdir())))

    @contextmanager
    def running(self) -> Iterator[None]:
        def keep_looking() -> None:
            while not self.over.wait(LOOK_EVERY):
                self.look()

        watcher = threading.Thread(target=keep_looking)
        watcher.start()
        try:
            yield
        finally:
            self.over.set()
            watcher.join()


def mixed(stage: Stage, *, floor: bool = False) -> list[str]:
    """A thousand requests in the shares of the mix, in an order that is always the same."""
    chance = random.Random(1)
    found: list[str] = []
    operations = {operation.name: operation for operation in OPERATIONS}
    for name, share in MIX.items():
        requests = operations[name].floor(stage) if floor else operations[name].ours(stage)
        found += [requests[number % len(requests)] for number in range(share * 10)]
    chance.shuffle(found)
    return found


def held(stage: Stage, file: Path) -> dict[str, int]:
    """What the idle server holds."""
    time.sleep(1)
    file.unlink(missing_ok=True)
    os.kill(stage.gateway_pid, signal.SIGUSR1)
    while not file.exists():
        time.sleep(0.05)
    counted: dict[str, int] = json.loads(file.read_text())
    return counted


async def asked(url: str, query: str) -> list[Any]:
    connection = await asyncpg.connect(url)
    try:
        return list(await connection.fetch(query))
    finally:
        await connection.close()


SESSIONS = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"


class Lane:
    """One of the two servers, and what each number of connections brought, turn by turn."""

    def __init__(self, name: str, port: int, requests: list[str]) -> None:
        self.name, self.port, self.requests = name, port, requests
        self.turns: list[dict[int, Measured]] = []
        self._drive(MOST_CONNECTIONS, 1.0, warm=5.0)

    def _drive(self, connections: int, seconds: float, warm: float = 0.3) -> Measured:
        return drive(Plan(self.port, self.requests, connections, warm, seconds))

    def turn(self, seconds: float) -> None:
        # Forth and back, so that what grows or warms up favours nobody.
        ladder = LADDER if len(self.turns) % 2 == 0 else reversed(LADDER)
        self.turns.append({each: self._drive(each, seconds) for each in ladder})

    def steps(self) -> "list[Step]":
        return [Step.of(each, self.turns) for each in LADDER]

    @property
    def at_work(self) -> "Step":
        """The first step at 80 % of capacity."""
        return next(step for step in self.steps() if step.share >= SHARE)

    @property
    def statuses(self) -> Counter[str]:
        return sum((Counter(one.statuses) for turn in self.turns for one in turn.values()), Counter())

    def __str__(self) -> str:
        steps = "\n".join(f"  {step}" for step in self.steps())
        return f"{self.name}\n{steps}\n  at 80 %: {self.at_work}"


@dataclass(frozen=True)
class Step:
    """What a number of connections brings, by the medians of the turns: its share of the most, and milliseconds."""

    connections: int
    share: float
    p50: float
    p99: float
    times: float

    @classmethod
    def of(cls, connections: int, turns: list[dict[int, Measured]]) -> "Step":
        own = [turn[connections] for turn in turns]
        share = median(turn[connections].rate / turn[MOST_CONNECTIONS].rate for turn in turns)
        p50, p99 = median(one.p50 for one in own), median(one.p99 for one in own)
        return cls(connections, share, p50, p99, median(one.p99 / one.p50 for one in own))

    def __str__(self) -> str:
        return f"{self.connections} connections: {self.share:.0%} of the most, p50 {self.p50:.2f}, p99 {self.p99:.2f} ms, {self.times:.1f} times"


def measure(stage: Stage, file: Path, turns: int, seconds: float) -> bool:
    ours = Lane("ours", stage.gateway_port, mixed(stage))
    floor = Lane("floor", stage.floor_port, mixed(stage, floor=True))
    before, sessions = held(stage, file), asyncio.run(asked(stage.database, SESSIONS))[0][0]
    watch = Watch(stage)
    watch.look()
    with watch.running():
        for _ in range(turns):
            floor.turn(seconds)
            ours.turn(seconds)
    after, sessions_after = held(stage, file), asyncio.run(asked(stage.database, SESSIONS))[0][0]
    watch.look()
    print(floor, ours, sep="\n")
    wrong = [status for status in ours.statuses if not status.startswith("2")]
    print(f"{ours.statuses.total()} answers of ours, {wrong or 'all well'}")
    print(f"memory, MiB: {', '.join(f'{one:.0f}' for one in watch.resident)}")
    print(f"files: {watch.files[0]} before, {max(watch.files)} at most, {watch.files[-1]} after")
    print(f"sessions at PostgreSQL: {sessions} before, {sessions_after} after")
    print(
        f"since start-up, before and after: tasks {before['tasks']}, {after['tasks']}; objects {before['objects']}, {after['objects']}"
    )
    half = len(watch.resident) // 2
    flat = max(watch.resident[half:]) <= MOST_GROWTH * max(watch.resident[:half])
    leaks = after["tasks"] > before["tasks"] or sessions_after > sessions or watch.files[-1] > watch.files[0]
    return not wrong and ours.at_work.times < MOST_TIMES_P50 and flat and not leaks


def sizes(url: str) -> None:
    """What is on disk, and for each charge."""
    (charges,) = asyncio.run(asked(url, "select count(*) from charges"))[0]
    print(f"on disk, bytes for each of {charges} charges:")
    for row in asyncio.run(asked(url, SIZES)):
        print(f"  {row['name']}: {row['rows'] / charges:.0f} of rows, {row['indexes'] / charges:.0f} of indexes")


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each number of connections in each turn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gw-steady-") as directory:
        file = Path(directory) / "held"
        with open_stage(("bench.counted", str(file))) as stage:
            met = measure(stage, file, options.turns, options.seconds)
            sizes(stage.database)
    leave(met=judged(f"p99 below {MOST_TIMES_P50:.0f} times p50, memory flat, nothing leaks", met=met))


if __name__ == "__main__":
    main()
