"""The results as a table for people and as JSON for programs."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.contest import Result
from bench.load import Measured
from bench.machine import described
from bench.verdict import judged

_COLUMNS = (
    "operation",
    "who",
    "req/s",
    "p50 ms",
    "p99 ms",
    "app µs",
    "PG µs",
    "xFloor",
    "half within",
    "xCPU",
    "target",
    "met",
)


def table(results: Iterable[Result]) -> Table:
    """One group of lines for each operation: the floor, the floor that draws the QR image, ours."""
    drawn = Table(*_COLUMNS, title="32 connections, one process each; xFloor: how many times the floor's time")
    for result in results:
        for line in _lines(result):
            drawn.add_row(*line)
        drawn.add_section()
    return drawn


def _lines(result: Result) -> Iterator[list[str]]:
    yield [result.name, "floor", *_figures(result.floor), "1.00", "", "1.00"]
    if result.floor_drawing:
        drawing = result.ratio_drawing or 0
        yield ["", "floor + QR", *_figures(result.floor_drawing), f"[{drawing:.2f} to ours]".replace("[", r"\[")]
    label = "ours, QR apart" if result.floor_drawing else "ours"
    ratios = [f"{result.ratio:.2f}", "{:.2f}–{:.2f}".format(*result.spread), f"{result.cpu_ratio:.2f}"]
    verdict = [f"{result.target:.1f}", "yes" if result.met else "NO"] if result.target else []
    yield ["", label, *_figures(result.ours), *ratios, *verdict]


def _figures(measured: Measured) -> list[str]:
    cpu = [f"{measured.cpu.get(name, 0):.0f}" for name in ("app", "postgres")]
    return [f"{measured.rate:.0f}", f"{measured.p50:.1f}", f"{measured.p99:.1f}", *cpu]


def as_json(results: Iterable[Result], images: dict[str, float]) -> dict[str, Any]:
    """Everything measured, with the ratios."""
    told = [
        asdict(result)
        | {
            "floor": asdict(result.floor),
            "ours": asdict(result.ours),
            "ratio": result.ratio,
            "spread": result.spread,
            "cpu_ratio": result.cpu_ratio,
            "ratio_drawing": result.ratio_drawing,
            "met": result.met,
        }
        for result in results
    ]
    return {"machine": described(), "operations": told, "qr": images}


def show(results: list[Result], skipped: list[str], images: dict[str, float]) -> list[str]:
    """Print it all; the names of what missed its target."""
    console = Console(width=160)
    console.print(described(), highlight=False)
    console.print(table(results))
    if skipped:
        console.print(f"not answered by this version: {', '.join(skipped)}")
    first, memoised = images["first"] * 1000, images["memoised"] * 1e6
    drawn = judged(
        f"QR image: {1 / images['first']:.0f}/s drawn ({first:.3f} ms, target 0.5), "
        f"{1 / images['memoised']:.0f}/s memoised ({memoised:.2f} µs, target 5), "
        f"{images['template'] * 1000:.1f} ms for the very first of a process, which makes the template",
        met=first <= 0.5 and memoised <= 5,
    )
    return [result.name for result in results if not result.met] + ([] if drawn else ["QR image"])
