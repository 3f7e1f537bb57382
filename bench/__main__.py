"""Measure the doors against the bare floor: `make bench`, or `python -m bench --quick`."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from bench import qr, report
from bench.contest import Effort, Result, measure
from bench.operations import OPERATIONS
from bench.stage import open_stage

QUICK = Effort(rounds=3, seconds=0.5, warm_seconds=0.2)
FULL = Effort(rounds=7, seconds=2.0, warm_seconds=0.3)


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
    report.show(results, skipped, images)
    if re.search(options.only, "webhook deliveries", re.IGNORECASE):
        _deliveries(quick=options.quick)
    if re.search(options.only, "billing", re.IGNORECASE):
        _billing(quick=options.quick)
    if re.search(options.only, "audit trail", re.IGNORECASE):
        _audit(quick=options.quick)
    if options.json:
        options.json.write_text(json.dumps(report.as_json(results, images), indent=2) + "\n")


def _deliveries(*, quick: bool) -> None:
    """Webhook deliveries have a stage of their own: another receiver, another database.
    Target: 400/s, p99 below 1 s.
    """
    size = ["--events", "1000", "--seconds", "2"] if quick else ["--events", "4000", "--seconds", "5"]
    subprocess.run([sys.executable, "-m", "bench.deliveries", *size], check=True)


def _billing(*, quick: bool) -> None:
    """Billing has a floor of its own, the database's. Target: half of its throughput; linear; 20 times one by one."""
    size = ["--rows", "5000", "--rounds", "1", "--brief"] if quick else []
    subprocess.run([sys.executable, "-m", "bench.billing", *size], check=True)


def _audit(*, quick: bool) -> None:
    """The audit trail's part of a charge. Target: below 10 %."""
    size = ["--rounds", "10", "--seconds", "0.2"] if quick else []
    subprocess.run([sys.executable, "-m", "bench.audit", *size], check=True)


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
