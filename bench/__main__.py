"""Measure everything that has a target: `make bench`, or `make bench ARGS="--quick --only REST"`.

Each target gets a line with the figure and PASS or FAIL. The exit code is 0 if all measured targets are met, 3 if a
target was missed, and 1 if a benchmark broke.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from bench.operations import OPERATIONS
from bench.targets import MISSED


class Benchmark(NamedTuple):
    """A module with its own environment. `quick` is None if it takes too long for a quick run."""

    name: str
    module: str
    full: Sequence[str]
    quick: Sequence[str] | None


BENCHMARKS = (
    Benchmark("QR image", "bench.qr", [], []),
    Benchmark("deliveries", "bench.deliveries", [], ["--charges", "50", "--seconds", "2"]),
    Benchmark("billing", "bench.billing", [], ["--rows", "5000", "--rounds", "1"]),
    Benchmark("insert", "bench.insert", [], ["--charges", "20000", "--rounds", "5"]),
    Benchmark("lists", "bench.lists", [], None),
    Benchmark("start-up", "bench.startup", [], None),
)


def main() -> None:
    options = _options()
    codes: dict[str, int] = {}
    if any(re.search(options.only, operation.name, re.IGNORECASE) for operation in OPERATIONS):
        effort = {"--only": options.only, "--rounds": options.rounds, "--seconds": options.seconds}
        if options.quick:
            effort |= {"--rounds": options.rounds or 5, "--seconds": options.seconds or 0.3}
        args = [arg for name, value in effort.items() if value for arg in (name, str(value))]
        codes["REST and GraphQL"] = _run("bench.compare", args)
    for benchmark in BENCHMARKS:
        size = benchmark.quick if options.quick else benchmark.full
        if size is not None and re.search(options.only, benchmark.name, re.IGNORECASE):
            print(f"\n{benchmark.name}", flush=True)
            codes[benchmark.name] = _run(benchmark.module, size)
    missed = [name for name, code in codes.items() if code == MISSED]
    broken = [name for name, code in codes.items() if code not in {0, MISSED}]
    print("\nall targets that were measured are met" if not missed + broken else "")
    if missed:
        print(f"targets missed in: {', '.join(missed)}")
    if broken:
        print(f"broken: {', '.join(broken)}")
    sys.exit(1 if broken else MISSED if missed else 0)


def _run(module: str, args: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", module, *args], check=False).returncode


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute; without lists and start-up")
    parser.add_argument("--only", default="", help="a regular expression over the names of operations and benchmarks")
    parser.add_argument("--rounds", type=int, help="rounds of each operation")
    parser.add_argument("--seconds", type=float, help="seconds of each turn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
