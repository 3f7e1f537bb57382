"""How long processes take to start: `python -m bench.startup [--rounds 5]`.

`gateway serve --workers 1` from its command line to the first 200 of `/health/ready`, and `gateway worker` to the line
of its log that reports it. PostgreSQL and Redis run already, and bytecode is compiled, as after an installation.
"""

import argparse
import http.client
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.environment import Servers, free_port, open_servers, run_module
from bench.load import cpu_seconds
from bench.targets import check, leave

TARGET_SECONDS = 1.5
_TIMEOUT_SECONDS = 60


def is_ready(port: int) -> bool:
    """Whether the API is ready."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        client.request("GET", "/health/ready")
        return client.getresponse().status == 200
    except OSError:
        return False
    finally:
        client.close()


def time_start(args: list[str], servers: Servers, log: Path, is_up: Callable[[], bool]) -> tuple[float, float]:
    """Seconds until it is up, and its CPU time until then."""
    log.unlink(missing_ok=True)
    started = time.perf_counter()
    with run_module(args, servers) as process:
        while not is_up():
            if process.poll() is not None or time.perf_counter() - started > _TIMEOUT_SECONDS:
                raise SystemExit(f"{args} did not start: {log.read_text()[-500:]}")
            time.sleep(0.005)
        return time.perf_counter() - started, cpu_seconds([process.pid])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    passed = []
    with open_servers() as servers:
        port, log = free_port(), servers.home / "processes.log"
        processes: dict[str, tuple[list[str], Callable[[], bool]]] = {
            "gateway serve": (["serve", "--workers", "1", "--port", str(port)], lambda: is_ready(port)),
            "gateway worker": (["worker"], lambda: log.exists() and b"worker_started" in log.read_bytes()),
        }
        for name, (args, is_up) in processes.items():
            # The first start compiles what has not been compiled.
            times = [time_start(["gateway", *args], servers, log, is_up) for _ in range(options.rounds + 1)][1:]
            seconds, cpu = (median(column) for column in zip(*times, strict=True))
            note = f"the fastest {min(times)[0]:.2f} s, CPU {cpu:.2f} s"
            passed.append(check(name, seconds, TARGET_SECONDS, "s", note=note))
    leave(passed)


if __name__ == "__main__":
    main()
