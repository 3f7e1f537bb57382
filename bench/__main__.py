"""Measure everything that has a target: `make bench`, or `make bench ARGS="--quick --only REST"`.

Each target gets a line with the figure and PASS or FAIL. The exit code is 0 if all that was measured passed, 3 if a
target was missed, and 1 if a part broke.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from bench.operations import OPERATIONS
from bench.targets import MISSED


class Part(NamedTuple):
    """A module with an environment of its own. `quick` is None where it takes too long for a quick run."""

    name: str
    module: str
    full: Sequence[str]
    quick: Sequence[str] | None


PARTS = (
    Part("QR image", "bench.qr", [], []),
    Part("deliveries", "bench.deliveries", [], ["--charges", "50", "--seconds", "2"]),
    Part("billing", "bench.billing", [], ["--rows", "5000", "--rounds", "1"]),
    Part("insert", "bench.insert", [], ["--charges", "20000", "--rounds", "5"]),
    Part("lists", "bench.lists", [], None),
    Part("start-up", "bench.startup", [], None),
)


def main() -> None:
    options = _options()
    codes: dict[str, int] = {}
    if any(re.search(options.only, operation.name, re.IGNORECASE) for operation in OPERATIONS):
        effort = {"--only": options.only, "--rounds": options.rounds, "--seconds": options.seconds}
        if options.quick:
            effort |= {"--rounds": options.rounds or 5, "--seconds": options.seconds or 0.3}
        words = [word for name, value in effort.items() if value for word in (name, str(value))]
        codes["REST and GraphQL"] = _run("bench.compare", words)
    for part in PARTS:
        size = part.quick if options.quick else part.full
        if size is not None and re.search(options.only, part.name, re.IGNORECASE):
            print(f"\n{part.name}", flush=True)
            codes[part.name] = _run(part.module, size)
    missed = [name for name, code in codes.items() if code == MISSED]
    broken = [name for name, code in codes.items() if code not in {0, MISSED}]
    print("\nall targets that were measured are met" if not missed + broken else "")
    if missed:
        print(f"targets missed in: {', '.join(missed)}")
    if broken:
        print(f"broken: {', '.join(broken)}")
    sys.exit(1 if broken else MISSED if missed else 0)


def _run(module: str, words: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", module, *words], check=False).returncode


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute; without lists and start-up")
    parser.add_argument("--only", default="", help="a regular expression over the names of operations and parts")
    parser.add_argument("--rounds", type=int, help="rounds of each operation")
    parser.add_argument("--seconds", type=float, help="seconds of each turn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
