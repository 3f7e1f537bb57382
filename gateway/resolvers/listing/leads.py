"""Which of several filters is looked up, and which are judged row by row (ADR 0042).

No index has what meets several filters. It is found by the index of the one that finds the fewest rows, its lead, and the others are judged of
each. Where even that is a large part of the list, none leads: the list is read as it was created, from an index that includes what filters
ask of, and an entry of an index takes a tenth of what a row takes.
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


def lead_of(parts: Sequence[Shape], found: Sequence[int], rows: int) -> Shape:
    """The part that finds the fewest rows of the list, of which each finds so many; none, if they are a large part of it."""
    fewest = min(found)
    return parts[found.index(fewest)] if fewest * ROW < rows else ()
