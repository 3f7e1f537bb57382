"""How long processes take to start: `python -m bench.startup [--rounds 7] [--tree PATH …]`.

`gateway serve --workers 1` from its command line to the first 200 of `/health/ready`, and `gateway worker` to the line
of its log that says so, on PostgreSQL and Redis that run already, with compiled bytecode as an installation has it.
Target: 1.5 s. Other trees (a checkout of an earlier version) take turns with this one.
"""

import argparse
import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.load import cpu_seconds
from bench.stage import SECRET, free_port
from bench.verdict import judged, leave
from gateway.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.models.migrate import upgrade

TARGET = 1.5
HERE = Path(__file__).parents[1]


def start(tree: Path, words: list[str], settings: dict[str, str], home: Path) -> "subprocess.Popen[bytes]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GATEWAY_", "PYTHON"))}
    env = kept | settings | {"PYTHONPATH": str(tree), "PYTHONPYCACHEPREFIX": str(home / "bytecode")}
    with (home / "log").open("wb") as log:
        return subprocess.Popen([sys.executable, "-m", "gateway", *words], env=env, cwd=home, stdout=log, stderr=log)


def ready(port: int) -> bool:
    """Whether the API answers that it is ready."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        asking.request("GET", "/health/ready")
        return asking.getresponse().status == 200
    except OSError:
        return False
    finally:
        asking.close()


def timed(tree: Path, words: list[str], settings: dict[str, str], home: Path, up: Callable[[], bool]) -> list[float]:
    """Seconds until it is up, and of its CPU time until then."""
    begun = time.perf_counter()
    process = start(tree, words, settings, home)
    try:
        while not up():
            if process.poll() is not None or time.perf_counter() - begun > 60:
                raise SystemExit(f"it did not start: {(home / 'log').read_text()[-500:]}")
            time.sleep(0.005)
        return [time.perf_counter() - begun, cpu_seconds([process.pid])]
    finally:
        process.terminate()
        process.wait(60)


def measure(trees: list[Path], rounds: int, settings: dict[str, str], home: Path) -> float:
    """Seconds that the slower of the two takes in this tree."""
    port = free_port()
    ways: dict[str, tuple[list[str], Callable[[], bool]]] = {
        "gateway serve": (["serve", "--workers", "1", "--port", str(port)], lambda: ready(port)),
        "gateway worker": (["worker"], lambda: b"worker_started" in (home / "log").read_bytes()),
    }
    slowest = 0.0
    for name, (words, up) in ways.items():
        found: dict[Path, list[list[float]]] = {tree: [] for tree in trees}
        for number in range(rounds + 1):
            for tree in trees:
                took = timed(tree, words, settings, home, up)
                if number:  # The first start compiles.
                    found[tree].append(took)
        for tree, times in found.items():
            seconds, cpu = (median(time[kind] for time in times) for kind in (0, 1))
            fastest = min(time[0] for time in times)
            print(f"{name} ({tree.name}): {seconds:.2f} s, the fastest {fastest:.2f} s; {cpu:.2f} s of CPU", flush=True)
            slowest = max(slowest, seconds if tree == HERE else 0.0)
    return slowest


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tree", type=Path, action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gw-bench-", ignore_cleanup_errors=True) as directory:
        home = Path(directory)
        with EmbeddedPostgres(home) as database, EmbeddedRedis(home) as redis:
            upgrade(database)
            settings = {
                "GATEWAY_DATABASE_URL": database,
                "GATEWAY_REDIS_URL": redis,
                "GATEWAY_SECRET_KEY": SECRET,
            }
            slowest = measure([HERE, *options.tree], options.rounds, settings, home)
    leave(met=judged(f"from command line to ready {slowest:.2f} s, target {TARGET}", met=slowest < TARGET))


if __name__ == "__main__":
    main()
