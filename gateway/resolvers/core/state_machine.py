"""Moves from state to state, as data: which states may follow each."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TypeVar

StateT = TypeVar("StateT", bound=StrEnum)


def sources_of(allowed: Mapping[StateT, Collection[StateT]], target: StateT) -> list[str]:
    """The states from which `target` may be reached: what a conditional update compares with."""
    return [source.value for source, targets in allowed.items() if target in targets]
