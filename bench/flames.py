"""Flame graphs of the hot paths: `python -m bench.flames [--seconds 20]` writes `docs/images/flame-*.svg`.

`gateway serve --workers 1`, sampled every millisecond (`bench.sampled`), under 32 connections that issue, read and list over REST
and read over GraphQL. The width of a box is its share of the time in which the process was at work; its colour says whose code it is.
"""

import argparse
import html
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.contest import drive
from bench.load import Plan
from bench.operations import OPERATIONS
from bench.stage import Stage, open_stage

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PATHS = {
    "flame-issue": ("Issuing a charge over REST", ["REST issue"]),
    "flame-read": (
        "Reading a charge and a list of 100 over REST, half of the requests each",
        ["REST read", "REST list 100"],
    ),
    "flame-graphql-read": ("Reading a charge over GraphQL", ["GraphQL read"]),
}
WIDTH, ROW, TOP, NARROWEST = 1200.0, 17, 58, 2.0
LETTER = 6.1
"""Width of a letter of the boxes' font, in pixels."""
COLOURS = {
    "the gateway": ("#e8833a", re.compile(r"gateway\.")),
    "the way to PostgreSQL": ("#5b8fd6", re.compile(r"asyncpg\.|gateway\.models\.(pool|database|gathering)")),
    "GraphQL": ("#a678c9", re.compile(r"graphql\.|strawberry\.|gateway\.schema\.")),
    "HTTP": (
        "#6aa84f",
        re.compile(r"uvicorn\.|starlette\.|httptools\.|h11\.|gateway\.(one_write|middleware|rest_compat)"),
    ),
    "Pydantic": ("#45a8a0", re.compile(r"pydantic")),
    "Python and others": ("#b3b3b3", re.compile("")),
}
_ORDER = ("the way to PostgreSQL", "GraphQL", "HTTP", "Pydantic", "the gateway", "Python and others")


@dataclass
class Box:
    """A function below those that called it; `samples` of itself and of all that it called."""

    name: str
    samples: int = 0
    called: dict[str, "Box"] = field(default_factory=dict)

    def add(self, stack: list[str], count: int) -> None:
        self.samples += count
        if stack:
            self.called.setdefault(stack[0], Box(stack[0])).add(stack[1:], count)


def grown(folded: str) -> Box:
    """The tree of the counted stacks, from where the event loop calls into a protocol, a task or a timer."""
    root = Box("all")
    for line in folded.splitlines():
        names, _, count = line.rpartition(" ")
        stack = _below_the_loop(names.split(";"))
        if stack and not stack[0].startswith("bench."):  # Otherwise it waited, or wrote the samples down.
            root.add(stack, int(count))
    return root


def _below_the_loop(stack: list[str]) -> list[str]:
    runs = [
        place for place, name in enumerate(stack) if name.startswith(("uvicorn.server:", "asyncio.runners:", "3.1"))
    ]
    return stack[runs[-1] + 1 :] if runs else stack


def colour_of(name: str) -> str:
    return next(COLOURS[whose][0] for whose in _ORDER if COLOURS[whose][1].match(name))


def drawn(root: Box, title: str, words: str) -> str:
    """The graph as SVG, the root above; boxes too narrow to see are left out."""
    rows = list(_rows(root, 0.0, 0, WIDTH / max(root.samples, 1)))
    height = TOP + ROW * (max(row[1] for row in rows) + 1) + 8
    boxes = "".join(_drawn(root, *row) for row in rows)
    keys = "".join(
        f'<rect x="{8 + number * 190}" y="34" width="12" height="12" fill="{COLOURS[whose][0]}"/>'
        f'<text x="{25 + number * 190}" y="44">{whose}</text>'
        for number, whose in enumerate(COLOURS)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height}" role="img"'
        f' font-family="ui-monospace,Menlo,Consolas,monospace" font-size="10">'
        f"<title>{html.escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="8" y="20" font-size="14" font-weight="bold">{html.escape(title)}</text>'
        f'<text x="{WIDTH - 8:.0f}" y="20" text-anchor="end">{html.escape(words)}</text>{keys}{boxes}</svg>\n'
    )


def _rows(box: Box, left: float, depth: int, scale: float) -> Iterator[tuple[float, int, float, Box]]:
    for child in sorted(box.called.values(), key=lambda one: one.name):
        width = child.samples * scale
        if width >= NARROWEST:
            yield left, depth, width, child
            yield from _rows(child, left, depth + 1, scale)
        left += width


def _drawn(root: Box, left: float, depth: int, width: float, box: Box) -> str:
    top = TOP + depth * ROW
    shown = box.name.rpartition(":")[2] if len(box.name) * LETTER > width else box.name
    text = shown[: int((width - 4) / LETTER)] if width > 24 else ""
    label = f'<text x="{left + 2:.1f}" y="{top + 12}">{html.escape(text)}</text>' if text else ""
    share = box.samples / root.samples
    return (
        f'<g><title>{html.escape(box.name)}: {share:.1%}</title><rect x="{left:.1f}" y="{top}" width="{width - 0.5:.1f}"'
        f' height="{ROW - 1}" fill="{colour_of(box.name)}"/>{label}</g>'
    )


def shares(root: Box) -> dict[str, float]:
    """Whose code was at work, as shares of the samples: that of the innermost function."""
    found = dict.fromkeys(COLOURS, 0)
    names = {colour: whose for whose, (colour, _) in COLOURS.items()}

    def walk(box: Box) -> None:
        own = box.samples - sum(child.samples for child in box.called.values())
        found[names[colour_of(box.name)]] += own
        for child in box.called.values():
            walk(child)

    for child in root.called.values():
        walk(child)
    return {whose: count / max(root.samples, 1) for whose, count in found.items()}


def sampled(stage: Stage, file: Path, names: list[str], seconds: float) -> str:
    """The counted stacks of `seconds` under load."""
    ours = [operation.ours(stage) for operation in OPERATIONS if operation.name in names]
    longest = max(map(len, ours))
    requests = [request for turn in range(longest) for request in (each[turn % len(each)] for each in ours)]
    drive(Plan(stage.gateway_port, requests, 32, 2.0, 0.2))
    os.kill(stage.gateway_pid, signal.SIGUSR1)
    measured = drive(Plan(stage.gateway_port, requests, 32, 0.0, seconds))
    if any(not status.startswith("2") for status in measured.statuses):
        raise SystemExit(f"{names}: {measured.statuses}")
    file.unlink(missing_ok=True)
    os.kill(stage.gateway_pid, signal.SIGUSR2)
    while not file.exists():
        time.sleep(0.05)
    return file.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gw-flames-") as directory:
        file = Path(directory) / "stacks"
        with open_stage(("bench.sampled", str(file))) as stage:
            for name, (title, operations) in PATHS.items():
                root = grown(sampled(stage, file, operations, options.seconds))
                (IMAGES / f"{name}.svg").write_text(
                    drawn(root, title, f"{root.samples} samples, one a millisecond of work")
                )
                told = ", ".join(f"{whose} {share:.0%}" for whose, share in shares(root).items())
                print(f"{name}: {root.samples} samples; {told}", flush=True)


if __name__ == "__main__":
    main()
