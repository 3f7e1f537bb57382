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
class Round:
    """One turn of everybody, within seconds of each other: what the machine gives changes more slowly."""

    floor: Measured
    ours: Measured
    drawing: Measured | None = None
    """The floor that draws the QR image."""

    @property
    def ratio(self) -> float:
        """How many times the floor's time ours takes, the QR image's time taken off where ours draws one."""
        image = 1 / self.drawing.rate - 1 / self.floor.rate if self.drawing else 0.0
        return (1 / self.ours.rate - image) * self.floor.rate

    @property
    def cpu_ratio(self) -> float:
        """The same of the CPU time of the application's process, which a busy machine disturbs less."""
        floor = self.floor.cpu["app"]
        image = self.drawing.cpu["app"] - floor if self.drawing else 0.0
        return (self.ours.cpu["app"] - image) / floor if floor else 0.0

    @property
    def ratio_drawing(self) -> float | None:
        """Where both draw the QR image."""
        return self.drawing.rate / self.ours.rate if self.drawing else None


@dataclass(frozen=True)
class Result:
    """One operation over all rounds. Figures are medians, and so are ratios: of those within each round, never of one
    round's to another's.
    """

    name: str
    target: float | None
    rounds: list[Round]

    @property
    def floor(self) -> Measured:
        return _medians([one.floor for one in self.rounds])

    @property
    def ours(self) -> Measured:
        return _medians([one.ours for one in self.rounds])

    @property
    def floor_drawing(self) -> Measured | None:
        drawing = [one.drawing for one in self.rounds if one.drawing]
        return _medians(drawing) if drawing else None

    @property
    def ratio(self) -> float:
        return median(one.ratio for one in self.rounds)

    @property
    def spread(self) -> tuple[float, float]:
        """Between which half of the rounds' ratios lie."""
        ratios = sorted(one.ratio for one in self.rounds)
        return ratios[len(ratios) // 4], ratios[len(ratios) - 1 - len(ratios) // 4]

    @property
    def cpu_ratio(self) -> float:
        return median(one.cpu_ratio for one in self.rounds)

    @property
    def ratio_drawing(self) -> float | None:
        drawn = [one.ratio_drawing for one in self.rounds if one.ratio_drawing]
        return median(drawn) if drawn else None

    @property
    def met(self) -> bool:
        return self.target is None or self.ratio <= self.target


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
    rounds = []
    for number in range(effort.rounds):
        # Forth and back, so that whatever grows or warms up favours nobody.
        names = list(lanes) if number % 2 == 0 else reversed(list(lanes))
        measured = {name: lanes[name](effort.warm_seconds, effort.seconds) for name in names}
        for name, one in measured.items():
            if not _succeeds(one):
                raise SystemExit(f"{operation.name}, {name}: {one.statuses}")
        rounds.append(Round(**measured))
    return Result(operation.name, operation.target, rounds)


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
