"""Measuring one operation: rounds in which the floor and ours take turns, and the medians over the rounds."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median

from bench.load import Measured, Plan
from bench.operations import Operation, drawing
from bench.stage import Stage


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    seconds: float
    warm_seconds: float
    connections: int = 32


@dataclass(frozen=True)
class Result:
    """The medians of one operation. Ratios are of the medians of one run, never of two runs."""

    name: str
    target: float | None
    floor: Measured
    ours: Measured
    floor_drawing: Measured | None = None

    @property
    def ratio(self) -> float:
        """How many times the floor's time ours takes, the QR image's time taken off where ours draws one."""
        return self._seconds(self.ours) / (1 / self.floor.rate)

    @property
    def cpu_ratio(self) -> float:
        """The same of the CPU time of the application's process, which a busy machine disturbs less."""
        image = self.floor_drawing.cpu["app"] - self.floor.cpu["app"] if self.floor_drawing else 0.0
        return (self.ours.cpu["app"] - image) / self.floor.cpu["app"] if self.floor.cpu["app"] else 0.0

    @property
    def ratio_drawing(self) -> float | None:
        """Where both draw the QR image."""
        return self.floor_drawing.rate / self.ours.rate if self.floor_drawing else None

    @property
    def met(self) -> bool:
        return self.target is None or self.ratio <= self.target

    def _seconds(self, measured: Measured) -> float:
        image = 1 / self.floor_drawing.rate - 1 / self.floor.rate if self.floor_drawing else 0.0
        return 1 / measured.rate - image


def measure(stage: Stage, operation: Operation, effort: Effort) -> Result | None:
    """Measure one operation; None where this version doesn't answer it yet."""
    lanes: dict[str, Callable[[float, float], Measured]] = {
        "floor": _lane(stage, operation.floor(stage), effort, floor=True),
        "ours": _lane(stage, operation.ours(stage), effort, floor=False),
    }
    if operation.draws:
        lanes["drawing"] = _lane(stage, drawing(operation.floor(stage)), effort, floor=True)
    if not _succeeds(lanes["ours"](0, 1.0)):
        return None
    rounds: dict[str, list[Measured]] = {name: [] for name in lanes}
    for number in range(effort.rounds):
        # Forth and back, so that whatever grows or warms up favours nobody.
        for name in list(lanes) if number % 2 == 0 else reversed(list(lanes)):
            rounds[name].append(lanes[name](effort.warm_seconds, effort.seconds))
            if not _succeeds(rounds[name][-1]):
                raise SystemExit(f"{operation.name}, {name}: {rounds[name][-1].statuses}")
    found = {name: _medians(measured) for name, measured in rounds.items()}
    return Result(operation.name, operation.target, found["floor"], found["ours"], found.get("drawing"))


def _lane(stage: Stage, requests: list[str], effort: Effort, *, floor: bool) -> Callable[[float, float], Measured]:
    port = stage.floor_port if floor else stage.gateway_port

    def go(warm_seconds: float, seconds: float) -> Measured:
        return drive(Plan(port, requests, effort.connections, warm_seconds, seconds, stage.cpu_of(floor=floor)))

    return go


def drive(plan: Plan) -> Measured:
    """Run the load generator in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=json.dumps(asdict(plan)).encode(), capture_output=True, check=True
    )
    return Measured(**json.loads(done.stdout))


def _succeeds(measured: Measured) -> bool:
    return bool(measured.statuses) and all(status.startswith("2") for status in measured.statuses)


def _medians(measured: list[Measured]) -> Measured:
    statuses: dict[str, int] = {}
    for one in measured:
        for status, count in one.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    return Measured(
        median(one.rate for one in measured),
        median(one.p50 for one in measured),
        median(one.p99 for one in measured),
        statuses,
        {name: median(one.cpu[name] for one in measured) for name in measured[0].cpu},
    )
