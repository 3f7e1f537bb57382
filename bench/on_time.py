"""What an even pace at 80 % makes of latencies: `python -m bench.on_time [--rounds 8] [--seconds 15]`.

In rounds: what `gateway serve --workers 1` can do at most with the mix of `bench.steady` is measured for two seconds,
and then the same mix comes at 80 % of that, each request on time whether or not the ones before it were answered, so
that a slow moment counts for all who come meanwhile. A round in which the machine had less to give afterwards than
before is told, but doesn't count: it was more than 80 %. The bare floor has the same rounds in turns with ours, and
tells what the machine alone does to a p99.
"""

import argparse
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from statistics import median

from bench.contest import drive
from bench.load import Plan
from bench.pace import Pace, Told
from bench.stage import open_stage
from bench.steady import SHARE, mixed

SAME = 0.9
PROBE_SECONDS = 2.0


def paced(pace: Pace) -> Told:
    done = subprocess.run(
        [sys.executable, "-m", "bench.pace"],
        input=json.dumps(asdict(pace)).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return Told(**json.loads(done.stdout))


@dataclass(frozen=True)
class Round:
    """What was possible before and after (requests a second), and what came of 80 % of it."""

    before: float
    after: float
    told: Told

    @property
    def counts(self) -> bool:
        return self.after >= SAME * self.before

    @property
    def times(self) -> float:
        return self.told.p99 / self.told.p50

    def __str__(self) -> str:
        told = self.told
        line = f"at most {self.before:.0f}/s; {told.count} answers, p50 {told.p50:.2f}, p99 {told.p99:.2f} ms"
        verdict = "" if self.counts else f", but at most {self.after:.0f}/s afterwards: disturbed"
        return f"{line} ({self.times:.1f} times), longest {told.longest:.0f} ms, {told.late} waited for a connection{verdict}"


class Lane:
    """One of the two servers, and the rounds that it has had."""

    def __init__(self, name: str, port: int, requests: list[str]) -> None:
        self.name, self.port, self.requests = name, port, requests
        self.rounds: list[Round] = []
        self.drive(5.0, 1.0)

    def drive(self, warm: float, seconds: float) -> float:
        """How many requests a second are possible."""
        return drive(Plan(self.port, self.requests, 32, warm, seconds)).rate

    def round(self, seconds: float) -> None:
        before = self.drive(0.3, PROBE_SECONDS)
        told = paced(Pace(self.port, self.requests, before * SHARE, seconds))
        self.rounds.append(Round(before, self.drive(0.3, PROBE_SECONDS), told))
        print(f"{self.name}: {self.rounds[-1]}", flush=True)

    def __str__(self) -> str:
        counted = [one.times for one in self.rounds if one.counts]
        times = f"p99 is {median(counted):.1f} times p50 by their median" if counted else "none was undisturbed"
        return f"{self.name}: {len(counted)} of {len(self.rounds)} rounds count; {times}"


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each round")
    options = parser.parse_args()
    with open_stage() as stage:
        lanes = (
            Lane("floor", stage.floor_port, mixed(stage, floor=True)),
            Lane("ours", stage.gateway_port, mixed(stage)),
        )
        for _ in range(options.rounds):
            for lane in lanes:
                lane.round(options.seconds)
    print(*lanes, sep="\n")


if __name__ == "__main__":
    main()
