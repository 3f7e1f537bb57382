"""Whether it stays as it is under load for minutes: `python -m bench.steady [--seconds 180]`.

In rounds: what `gateway serve --workers 1` can do at most with a mix of reads, lists and new charges over both doors is measured for two
seconds, and then the same mix comes at 80 % of that, each request on time whether or not the ones before it were answered. A round
in which the machine had less to give afterwards than before is told, but doesn't count: it was more than 80 %. The bare floor has the
same rounds in turns with ours, and tells what the machine alone does to a p99. Targets: p99 below 5 times p50, by the median of the
rounds; memory, tasks, files and sessions at PostgreSQL afterwards what they were after the first rounds. At the end: what a charge
takes on disk.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from bench.contest import drive
from bench.load import Plan
from bench.operations import OPERATIONS
from bench.pace import Pace, Told
from bench.stage import Stage, open_stage

SHARE = 0.8
SAME = 0.9
PROBE_SECONDS = 2.0
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
    for operation in OPERATIONS:
        requests = operation.floor(stage) if floor else operation.ours(stage)
        found += [requests[number % len(requests)] for number in range(MIX[operation.name] * 10)]
    chance.shuffle(found)
    return found


def paced(pace: Pace) -> Told:
    done = subprocess.run(
        [sys.executable, "-m", "bench.pace"], input=json.dumps(asdict(pace)).encode(), capture_output=True, check=True
    )
    return Told(**json.loads(done.stdout))


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


@dataclass(frozen=True)
class Round:
    """What was possible before and after (requests a second), and what came of 80 % of it."""

    before: float
    after: float
    told: Told

    @property
    def counts(self) -> bool:
        return self.after >= SAME * self.before

    @property
    def times(self) -> float:
        return self.told.p99 / self.told.p50

    def __str__(self) -> str:
        told = self.told
        line = f"at most {self.before:.0f}/s; {told.count} answers, p50 {told.p50:.2f}, p99 {told.p99:.2f} ms"
        verdict = "" if self.counts else f", but at most {self.after:.0f}/s afterwards: disturbed"
        return f"{line} ({self.times:.1f} times), longest {told.longest:.0f} ms, {told.late} waited for a connection{verdict}"


class Lane:
    """One of the two servers, and the rounds that it has had."""

    def __init__(self, name: str, port: int, requests: list[str]) -> None:
        self.name, self.port, self.requests = name, port, requests
        self.rounds: list[Round] = []
        self.drive(5.0, 1.0)

    def drive(self, warm: float, seconds: float) -> float:
        """How many requests a second are possible."""
        return drive(Plan(self.port, self.requests, 32, warm, seconds)).rate

    def round(self, seconds: float) -> None:
        before = self.drive(0.3, PROBE_SECONDS)
        told = paced(Pace(self.port, self.requests, before * SHARE, seconds))
        self.rounds.append(Round(before, self.drive(0.3, PROBE_SECONDS), told))
        print(f"{self.name}: {self.rounds[-1]}", flush=True)

    @property
    def times(self) -> float | None:
        """p99 in times of p50, by the median of the rounds that count."""
        counted = [one.times for one in self.rounds if one.counts]
        return median(counted) if counted else None

    def __str__(self) -> str:
        counted = sum(one.counts for one in self.rounds)
        times = f"p99 is {self.times:.1f} times p50 by their median" if self.times else "none was undisturbed"
        return f"{self.name}: {counted} of {len(self.rounds)} rounds count; {times}"


def measure(stage: Stage, file: Path, count: int, seconds: float) -> bool:
    ours = Lane("ours", stage.gateway_port, mixed(stage))
    floor = Lane("floor", stage.floor_port, mixed(stage, floor=True))
    before, sessions = held(stage, file), asyncio.run(asked(stage.database, SESSIONS))[0][0]
    watch = Watch(stage)
    watch.look()
    with watch.running():
        for _ in range(count):
            floor.round(seconds)
            ours.round(seconds)
    after, sessions_after = held(stage, file), asyncio.run(asked(stage.database, SESSIONS))[0][0]
    watch.look()
    wrong = [status for one in ours.rounds for status in one.told.statuses if not status.startswith("2")]
    print(f"{sum(one.told.count for one in ours.rounds)} answers of ours at that pace, {wrong or 'all well'}")
    print(f"memory, MiB: {', '.join(f'{one:.0f}' for one in watch.resident)}")
    print(f"files: {watch.files[0]} before, {max(watch.files)} at most, {watch.files[-1]} after")
    print(f"sessions at PostgreSQL: {sessions} before, {sessions_after} after")
    print(
        f"since start-up, before and after: tasks {before['tasks']}, {after['tasks']}; objects {before['objects']}, {after['objects']}"
    )
    half = len(watch.resident) // 2
    flat = max(watch.resident[half:]) <= MOST_GROWTH * max(watch.resident[:half])
    leaks = after["tasks"] > before["tasks"] or sessions_after > sessions or watch.files[-1] > watch.files[0]
    print(floor, ours, sep="\n")
    return ours.times is not None and not wrong and ours.times < MOST_TIMES_P50 and flat and not leaks


def sizes(url: str) -> None:
    """What is on disk, and for each charge."""
    (charges,) = asyncio.run(asked(url, "select count(*) from charges"))[0]
    print(f"on disk, bytes for each of {charges} charges:")
    for row in asyncio.run(asked(url, SIZES)):
        print(f"  {row['name']}: {row['rows'] / charges:.0f} of rows, {row['indexes'] / charges:.0f} of indexes")


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gw-steady-") as directory:
        file = Path(directory) / "held"
        with open_stage(("bench.counted", str(file))) as stage:
            met = measure(stage, file, options.rounds, options.seconds)
            sizes(stage.database)
    print(f"p99 below {MOST_TIMES_P50:.0f} times p50, memory flat, nothing leaks: {'met' if met else 'NOT met'}")


if __name__ == "__main__":
    main()
