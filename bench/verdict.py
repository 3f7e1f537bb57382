"""Whether targets are met: a line for people and an exit code for programs."""

import sys
from typing import NoReturn

MISSED = 3
"""The exit code of a bench that ran to its end and missed a target. 1 is Python's own, for one that broke."""


def judged(told: str, *, met: bool) -> bool:
    """Print what was measured beside its target, and the verdict; give the verdict back."""
    print(f"{told}: {'met' if met else 'NOT met'}", flush=True)
    return met


def leave(*, met: bool) -> NoReturn:
    """End the process."""
    sys.exit(0 if met else MISSED)
