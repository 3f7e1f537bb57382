"""Measure everything that has a target: `make bench`, or `make bench ARGS="--quick --only REST"`.

Each target gets a line with the figure and PASS or FAIL. The exit code is 0 if all that was measured passed, 3 if a
target was missed, and another one where a part broke.
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
    missed: list[str] = []
    if any(re.search(options.only, operation.name, re.IGNORECASE) for operation in OPERATIONS):
        effort = {"--only": options.only, "--rounds": options.rounds, "--seconds": options.seconds}
        if options.quick:
            effort |= {"--rounds": options.rounds or 5, "--seconds": options.seconds or 0.3}
        words = [word for name, value in effort.items() if value for word in (name, str(value))]
        if not _passes("bench.compare", words):
            missed.append("REST and GraphQL")
    for part in PARTS:
        size = part.quick if options.quick else part.full
        if size is not None and re.search(options.only, part.name, re.IGNORECASE):
            print(f"\n{part.name}", flush=True)
            if not _passes(part.module, size):
                missed.append(part.name)
    print(f"\ntargets missed in: {', '.join(missed)}" if missed else "\nall targets that were measured are met")
    sys.exit(MISSED if missed else 0)


def _passes(module: str, words: Sequence[str]) -> bool:
    code = subprocess.run([sys.executable, "-m", module, *words], check=False).returncode
    if code not in {0, MISSED}:
        raise SystemExit(f"{module} broke")
    return code == 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute; without lists and start-up")
    parser.add_argument("--only", default="", help="a regular expression over the names of operations and parts")
    parser.add_argument("--rounds", type=int, help="rounds of each operation")
    parser.add_argument("--seconds", type=float, help="seconds of each turn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
