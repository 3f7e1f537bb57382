"""A plot of lines over a logarithmic grid as SVG, written by hand: no library, no font of its own, readable in the
dark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, PLOT, TOP, LEFT, GRID = 960, 460, 40, 60, 300
_COLOURS = (
    "#3b82f6",
    "#10b981",
    "#f59e0b",
    "#ef4444",
    "#8b5cf6",
    "#06b6d4",
    "#84cc16",
    "#ec4899",
    "#6b7280",
    "#f97316",
)
_STYLE = "text{font:12px system-ui,sans-serif;fill:#64748b}.title{font-size:15px}.grid{stroke:#64748b55}.line{fill:none;stroke-width:1.6}"


@dataclass(frozen=True)
class Line:
    """One line: its name and a value for each size."""

    name: str
    values: Sequence[float]


def plot(title: str, sizes: Sequence[int], lines: Sequence[Line]) -> str:
    """Both axes are logarithmic, so that flat is horizontal and linear is a diagonal."""
    low = min(-1, floor(log10(min(min(line.values) for line in lines))))
    high = max(2, ceil(log10(max(max(line.values) for line in lines))))
    height = TOP + max(GRID, 16 * len(lines)) + 40

    def across(size: int) -> float:
        span = log10(sizes[-1] / sizes[0]) or 1
        return LEFT + (PLOT - 20) * log10(size / sizes[0]) / span

    def down(value: float) -> float:
        return TOP + GRID * (high - log10(value)) / (high - low)

    drawn = [f'<text class="title" x="{LEFT}" y="20">{escape(title)}</text>']
    for power in range(low, high + 1):
        y = down(10**power)
        drawn.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{LEFT + PLOT - 20}"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10**power:g}</text>')
    for size in sizes:
        x = across(size)
        drawn.append(f'<path class="grid" d="M{x:.1f} {TOP}V{TOP + GRID}"/>')
        drawn.append(
            f'<text x="{x:.1f}" y="{TOP + GRID + 18}" text-anchor="{"end" if size == sizes[-1] else "middle"}">{size:,}</text>'
        )
    # From the slowest down, so that the names stand in the order of the lines' ends.
    for place, line in enumerate(sorted(lines, key=lambda one: -one.values[-1])):
        colour = _COLOURS[place % len(_COLOURS)]
        points = " ".join(
            f"{across(size):.1f},{down(value):.1f}" for size, value in zip(sizes, line.values, strict=True)
        )
        y = TOP + 16 * place
        drawn.append(f'<polyline class="line" stroke="{colour}" points="{points}"/>')
        drawn.append(f'<rect x="{LEFT + PLOT}" y="{y}" width="10" height="10" fill="{colour}"/>')
        told = f"{line.name} · {line.values[-1]:.1f} ms, ×{line.values[-1] / line.values[0]:.1f}"
        drawn.append(f'<text x="{LEFT + PLOT + 16}" y="{y + 9}">{escape(told)}</text>')
    box = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    label = f'role="img" aria-label="{escape(title, quote=True)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {label}><style>{_STYLE}</style>{"".join(drawn)}</svg>\n'
