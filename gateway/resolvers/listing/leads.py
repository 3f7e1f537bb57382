"""Which of several filters is looked up, and which are judged row by row (ADR 0042).

No index covers several filters at once. The index of the most selective one (the lead) finds the rows; the others are
checked row by row. If even that is a large part of the list, none leads and the list is read in the order of creation,
from an index that includes what filters ask of: an entry of an index takes a tenth of what a row takes.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gateway.resolvers.listing.filters import PERIOD, Range, Shape

Lead: TypeAlias = Shape | None
"""The filters that are looked up; nothing, if all are judged, and None, if the planner may choose."""
ROW = 4
"""How many entries of an index are read in the time of a row."""


def parts_of(shape: Shape, ranges: Mapping[str, Range]) -> list[Shape]:
    """The filters one by one, the two bounds of a column together."""
    parts: dict[str, Shape] = {}
    for name, choice in shape:
        of = PERIOD[0] if name in PERIOD else ranges[name].column.name if name in ranges else name
        parts[of] = (*parts.get(of, ()), (name, choice))
    return list(parts.values())


def lead_of(parts: Sequence[Shape], found: Sequence[int], rows: int) -> tuple[Shape, int]:
    """The part that finds the fewest rows of the list, of which each finds so many, and how many it finds; none,
    which finds all of them, if they are a large part of it.
    """
    fewest = min(found)
    return (parts[found.index(fewest)], fewest) if fewest * ROW < rows else ((), rows)
