"""Targets: one line for each, with what was measured, and the exit code of a part."""

import math
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

MISSED = 3
"""The exit code of a benchmark that missed a target. 1 is Python's own, for a crash."""


def check(name: str, measured: float, target: float, unit: str, *, at_least: bool = False, note: str = "") -> bool:
    """Print the figure, its target and PASS or FAIL. Return whether it passed."""
    passed = measured >= target if at_least else measured <= target
    bound = "at least" if at_least else "at most"
    suffix = f" ({note})" if note else ""
    print(
        f"{'PASS' if passed else 'FAIL'}  {name}: {measured:.4g} {unit}, target {bound} {target:g}{suffix}", flush=True
    )
    return passed


def leave(passed: Iterable[bool]) -> NoReturn:
    """End the process with 0, or with `MISSED`."""
    sys.exit(0 if all(passed) else MISSED)


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest rank."""
    return sorted(values)[math.ceil(len(values) * share) - 1]
