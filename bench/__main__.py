"""Measure the doors against the bare floor, and all else that has a target: `make bench`, or `python -m bench --quick`.

Every target gets a verdict. The exit code is 0 if all that was measured is met, 3 if something is missed, and
another one where a bench broke.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench import qr, report
from bench.contest import Effort, Result, measure
from bench.operations import OPERATIONS
from bench.stage import open_stage
from bench.verdict import MISSED, leave

QUICK = Effort(rounds=5, seconds=0.3, warm_seconds=0.2)
FULL = Effort(rounds=15, seconds=1.0, warm_seconds=0.2)


class Part(NamedTuple):
    """What has a stage of its own, another database or another receiver, and is a bench by itself. None: it takes too
    long to be quick.
    """

    name: str
    module: str
    full: Sequence[str]
    quick: Sequence[str] | None


PARTS = (
    Part(
        "webhook deliveries",
        "bench.deliveries",
        ["--events", "4000", "--seconds", "5"],
        ["--events", "1000", "--seconds", "2"],
    ),
    Part("billing", "bench.billing", [], ["--rows", "5000", "--rounds", "1", "--brief"]),
    Part("audit trail", "bench.audit", [], ["--rounds", "10", "--seconds", "0.2"]),
    Part("start-up", "bench.startup", ["--rounds", "5"], None),
)


def main() -> None:
    options = _options()
    effort = QUICK if options.quick else FULL
    effort = Effort(options.rounds or effort.rounds, options.seconds or effort.seconds, effort.warm_seconds)
    results: list[Result] = []
    skipped: list[str] = []
    images = qr.measure()
    with open_stage() as stage:
        for operation in OPERATIONS:
            if not re.search(options.only, operation.name, re.IGNORECASE):
                continue
            result = measure(stage, operation, effort)
            if result is None:
                skipped.append(operation.name)
            else:
                results.append(result)
    missed = skipped + report.show(results, skipped, images)
    for part in PARTS:
        size = part.quick if options.quick else part.full
        if size is not None and re.search(options.only, part.name, re.IGNORECASE) and not _met(part, size):
            missed.append(part.name)
    if options.json:
        options.json.write_text(json.dumps(report.as_json(results, images) | {"missed": missed}, indent=2) + "\n")
    print(f"targets missed: {', '.join(missed)}" if missed else "all targets that were measured are met")
    leave(met=not missed)


def _met(part: Part, size: Sequence[str]) -> bool:
    print(f"\n{part.name}", flush=True)
    code = subprocess.run([sys.executable, "-m", part.module, *size], check=False).returncode
    if code not in {0, MISSED}:
        raise SystemExit(f"{part.module} broke")
    return code == 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="half a minute instead of a few")
    parser.add_argument("--only", default="", help="a regular expression over the names of operations")
    parser.add_argument("--rounds", type=int, help="rounds per operation")
    parser.add_argument("--seconds", type=float, help="seconds per measurement")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
