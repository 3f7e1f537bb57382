"""Flame graphs of the hot paths: `python -m bench.flames --py-spy PATH [--seconds
12]` writes `docs/images/flame-*.svg`.

`gateway serve --workers 1` under 32 connections that issue, read and list over REST and read over GraphQL, sampled from
outside by py-spy (https://github.com/benfred/py-spy), a tool that no lock here holds: `uv tool install py-spy`. The
width of a box is its share of the time in which the process was at work; its colour says whose code it is. What C code
takes (asyncpg's protocol, orjson, httptools) counts for the function that called it.
"""

import argparse
import html
import re
import subprocess
import tempfile
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
RATE = 250
ROOT = f"{Path(__file__).parents[1]}/"
WIDTH, ROW, TOP, NARROWEST = 1200.0, 17, 58, 2.0
LETTER = 6.1
"""Width of a letter of the boxes' font, in pixels."""
COLOURS = {
    "the gateway": ("#e8833a", re.compile(r"gateway\.")),
    "the way to PostgreSQL": ("#5b8fd6", re.compile(r"asyncpg\.|gateway\.models\.(pool|database|batching)")),
    "GraphQL": ("#a678c9", re.compile(r"graphql\.|strawberry\.|gateway\.schema\.")),
    "HTTP": (
        "#6aa84f",
        re.compile(r"uvicorn\.|starlette\.|httptools\.|h11\.|gateway\.(http_protocol|middleware|rest_compat)"),
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
    """The tree of py-spy's folded stacks, from where the event loop calls into a protocol, a task or a timer."""
    root = Box("all")
    for line in folded.splitlines():
        frames, _, count = line.rpartition(" ")
        if stack := _below_the_loop([_named(frame) for frame in frames.split(";")]):
            root.add(stack, int(count))
    return root


def _named(frame: str) -> str:
    """`gateway.ids:new_id` of `new_id (/…/gateway/ids.py)`."""
    function, _, path = frame.rstrip(")").rpartition(" (")
    path = re.sub(r"^.*(?:site-packages/|lib/python[0-9.]+/)", "", path.removeprefix(ROOT).partition(":")[0])
    return f"{path.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}:{function}"


def _below_the_loop(stack: list[str]) -> list[str]:
    """Nothing where it waited, and nothing of other threads."""
    runs = [place for place, name in enumerate(stack) if name in {"asyncio.runners:Runner.run", "asyncio.runners:run"}]
    return stack[runs[-1] + 1 :] if runs else []


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


def sampled(stage: Stage, spy: str, file: Path, names: list[str], seconds: int) -> str:
    """The folded stacks of `seconds` under load."""
    ours = [operation.ours(stage) for operation in OPERATIONS if operation.name in names]
    longest = max(map(len, ours))
    requests = [request for turn in range(longest) for request in (each[turn % len(each)] for each in ours)]
    drive(Plan(stage.gateway_port, requests, 32, 2.0, 0.2))
    words = ["--rate", str(RATE), "--format", "raw", "--function", "--full-filenames", "--output", str(file)]
    command = [spy, "record", "--pid", str(stage.gateway_pid), "--duration", str(seconds), *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as spying:
        measured = drive(Plan(stage.gateway_port, requests, 32, 0.0, seconds + 1.0))
    if spying.returncode or any(not status.startswith("2") for status in measured.statuses):
        raise SystemExit(f"{names}: {measured.statuses}; py-spy ended with {spying.returncode}")
    return file.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--seconds", type=int, default=12)
    parser.add_argument("--py-spy", default="py-spy", metavar="PATH", help="where py-spy is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gw-flames-") as directory:
        file = Path(directory) / "stacks"
        with open_stage() as stage:
            for name, (title, operations) in PATHS.items():
                root = grown(sampled(stage, options.py_spy, file, operations, options.seconds))
                (IMAGES / f"{name}.svg").write_text(
                    drawn(root, title, f"{root.samples} samples of py-spy, {RATE} a second")
                )
                told = ", ".join(f"{whose} {share:.0%}" for whose, share in shares(root).items())
                print(f"{name}: {root.samples} samples; {told}", flush=True)


if __name__ == "__main__":
    main()
