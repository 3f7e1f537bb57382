"""Compare the gateway with the baseline, operation by operation: `python -m bench.compare [--only REGEX]`.

Both take turns of a second, so a change of the machine's speed affects both. A ratio is taken within a round, and the
median over the rounds counts. Where the gateway draws a QR image, a third lane measures the baseline with the same
image, and the difference between the two baselines is subtracted.
"""

import argparse
import re
from collections.abc import Callable
from statistics import median

from bench.load import Load, Measurement, send_load
from bench.machine import describe_machine
from bench.operations import OPERATIONS, Operation, Subject, open_subject
from bench.targets import check, leave

BASELINE, WITH_QR, GATEWAY = "baseline", "baseline + QR", "gateway"


def ratio_of(one: dict[str, Measurement]) -> float:
    """The gateway's time in a round as a multiple of the baseline's, without the QR image."""
    image = 1 / one[WITH_QR].rate - 1 / one[BASELINE].rate if WITH_QR in one else 0.0
    return (1 / one[GATEWAY].rate - image) * one[BASELINE].rate


def run_rounds(subject: Subject, operation: Operation, rounds: int, seconds: float) -> list[dict[str, Measurement]]:
    requests = operation.baseline(subject)
    lanes: dict[str, Callable[[], Measurement]] = {BASELINE: _lane(subject, requests, seconds, baseline=True)}
    if operation.draws_qr:
        drawing = [text.replace("POST /pix ", "POST /pix-qr ", 1) for text in requests]
        lanes[WITH_QR] = _lane(subject, drawing, seconds, baseline=True)
    lanes[GATEWAY] = _lane(subject, operation.gateway(subject), seconds, baseline=False)
    found = []
    for number in range(rounds):
        # Alternating order, so that growth and warm-up favour no lane.
        names = list(lanes) if number % 2 == 0 else reversed(list(lanes))
        measured = {name: lanes[name]() for name in names}
        for name, one in measured.items():
            if not one.succeeded:
                raise SystemExit(f"{operation.name}, {name}: {one.statuses}")
        found.append(measured)
    return found


def _lane(subject: Subject, requests: list[str], seconds: float, *, baseline: bool) -> Callable[[], Measurement]:
    port, pid = (subject.baseline_port, subject.baseline_pid) if baseline else (subject.api_port, subject.api_pid)

    def send() -> Measurement:
        processes = {"app": [pid], "PostgreSQL": subject.servers.postgres_pids}
        return send_load(Load(port, requests, seconds, processes=processes))

    return send


def report(operation: Operation, rounds: list[dict[str, Measurement]]) -> bool:
    """Print the medians of each lane, then the ratio and its target."""
    print(f"\n{operation.name}")
    for name in rounds[0]:
        lane = [one[name] for one in rounds]
        rate, p50, p99 = (median(getattr(one, field) for one in lane) for field in ("rate", "p50", "p99"))
        cpu = ", ".join(f"{process} {median(one.cpu[process] for one in lane):.0f} µs" for process in lane[0].cpu)
        print(f"      {name:14} {rate:6.0f} req/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms, CPU of {cpu}")
    ratios = sorted(map(ratio_of, rounds))
    low, high = ratios[len(ratios) // 4], ratios[len(ratios) - 1 - len(ratios) // 4]
    note = f"half of the rounds within {low:.2f} to {high:.2f}"
    return check(operation.name, median(ratios), operation.target, "x baseline", note=note)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression over the names of operations")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of each turn")
    options = parser.parse_args()
    chosen = [one for one in OPERATIONS if re.search(options.only, one.name, re.IGNORECASE)]
    print(describe_machine(), flush=True)
    with open_subject() as subject:
        passed = [report(one, run_rounds(subject, one, options.rounds, options.seconds)) for one in chosen]
    leave(passed)


if __name__ == "__main__":
    main()
