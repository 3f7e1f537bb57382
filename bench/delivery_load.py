"""Deliveries by real worker processes: `python -m bench.delivery_load [--seconds 60] [--workers 1 2]`.

    sustained   events come at a steady rate to 200 healthy endpoints
    hanging     the same at 50 a second, while 20 endpoints that accept and never answer have 3,000 events due
    memory      one worker with 128 endpoints that hang, each with events due

A database of its own on embedded PostgreSQL with fsync on, no Redis at all, a receiver in a process of its own, plain
HTTP over loopback, bodies of 1.5 KB. Every event must arrive; what didn't is told as lost.
"""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import uvloop

from bench.deliveries import Outbox, Receiver
from bench.figures import percentile
from bench.stage import SECRET
from gateway.embedded import EmbeddedPostgres
from gateway.models.database import Database, open_database
from gateway.models.migrate import upgrade
from gateway.security import Vault, new_webhook_secret

HEALTHY, HANGING, HANGING_DUE = 200, 20, 3000
MEMORY_ENDPOINTS = 128
CALM = 50


class Hanging(asyncio.Protocol):
    """Takes the connection and the request, and says nothing."""


def receive(pipe: Connection) -> None:
    """The process of the receivers: tells both ports, and the arrivals each time it is asked."""

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(kind, "127.0.0.1", 0, backlog=1024) for kind in (Receiver, Hanging)]
        pipe.send([server.sockets[0].getsockname()[1] for server in servers])
        while await loop.run_in_executor(None, pipe.recv):
            pipe.send(dict(Receiver.arrivals))

    uvloop.run(serve())


@contextmanager
def workers(count: int, database: str, home: Path) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """`gateway worker`, some times over."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    env |= {
        "GATEWAY_DATABASE_URL": database,
        "GATEWAY_REDIS_URL": "redis://127.0.0.1:1/0",
        "GATEWAY_SECRET_KEY": SECRET,
        "GATEWAY_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
    }
    with (home / "workers.log").open("ab") as log:
        command = [sys.executable, "-m", "gateway", "worker"]
        running = [subprocess.Popen(command, env=env, cwd=home, stdout=log, stderr=log) for _ in range(count)]
        try:
            yield running
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(40)


def memory(process: "subprocess.Popen[bytes]") -> float:
    """Resident memory of a process, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


class Load:
    """Stores with their endpoints in one database, and what arrived of what was committed."""

    def __init__(self, url: str, ports: list[int], pipe: Connection) -> None:
        self._url = url
        self._healthy, self._hanging = (f"http://127.0.0.1:{port}/hook" for port in ports)
        self._pipe = pipe

    async def run(self, home: Path, seconds: int, rate: int, counts: list[int]) -> None:
        database = await open_database(self._url, size=4)
        sealed = Vault(SECRET).seal(new_webhook_secret())
        healthy, hanging, many = Outbox(database), Outbox(database), Outbox(database)
        await healthy.prepare(self._healthy, HEALTHY, sealed)
        await hanging.prepare(self._hanging, HANGING, sealed)
        await many.prepare(self._hanging, MEMORY_ENDPOINTS, sealed)
        for count in counts:
            with workers(count, self._url, home):
                await self._sustain(healthy, f"{count} worker(s), {rate}/s", seconds, rate)
        for count in counts:
            await hanging.emit(HANGING_DUE)
            with workers(count, self._url, home):
                title = f"{count} worker(s), {CALM}/s beside {HANGING} that hang"
                await self._sustain(healthy, title, seconds // 2, CALM)
            await _cancel_due(database)
        await many.emit(MEMORY_ENDPOINTS * 8)
        with workers(1, self._url, home) as (worker,):
            peak = 0.0
            for _ in range(30):
                await asyncio.sleep(1)
                peak = max(peak, memory(worker))
            print(f"1 worker, {MEMORY_ENDPOINTS} endpoints that hang: {peak:.0f} MB at most")
        await database.close()

    async def _sustain(self, outbox: Outbox, title: str, seconds: int, rate: int) -> None:
        await self._warm(outbox)
        outbox.committed.clear()
        step, started = max(1, rate // 50), time.perf_counter()
        for turn in range(seconds * rate // step):
            await outbox.emit(step)
            await asyncio.sleep(max(0.0, started + (turn + 1) * step / rate - time.perf_counter()))
        emitting = time.perf_counter() - started
        arrivals = await self._all_arrived(outbox)
        waits = [arrivals[event] - at for event, at in outbox.committed.items() if event in arrivals]
        last = max(arrivals[event] for event in outbox.committed if event in arrivals)
        span = last - min(outbox.committed.values())
        p50, p95, p99 = (percentile(waits, share) for share in (0.5, 0.95, 0.99))
        lost = len(outbox.committed) - len(waits)
        print(
            f"{title}: {len(waits) / max(span, emitting):.0f} deliveries/s for {emitting:.0f} s, commit to receipt "
            f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms, lost {lost}"
        )

    async def _warm(self, outbox: Outbox) -> None:
        await outbox.emit(HEALTHY)
        await self._all_arrived(outbox)

    async def _all_arrived(self, outbox: Outbox) -> dict[bytes, float]:
        deadline = time.monotonic() + 60
        while True:
            self._pipe.send(True)
            arrivals: dict[bytes, float] = self._pipe.recv()
            if outbox.committed.keys() <= arrivals.keys() or time.monotonic() > deadline:
                return arrivals
            await asyncio.sleep(0.2)


async def _cancel_due(database: Database) -> None:
    """What hangs shall not hang in the next scenario."""
    await database.pool.execute("update webhook_deliveries set state = 3, finished_at = now() where state = 0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=250)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    with tempfile.TemporaryDirectory(prefix="gw-load-", ignore_cleanup_errors=True) as path:
        home = Path(path)
        with EmbeddedPostgres(home) as url:
            upgrade(url)
            load = Load(url, ours.recv(), ours)
            uvloop.run(load.run(home, options.seconds, options.rate, options.workers))
    receiver.terminate()


if __name__ == "__main__":
    main()
