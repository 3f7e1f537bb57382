"""State machines, as mappings from each state to the allowed next states."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TypeVar

StateT = TypeVar("StateT", bound=StrEnum)


def sources_of(allowed: Mapping[StateT, Collection[StateT]], target: StateT) -> list[str]:
    """The states from which `target` is allowed, for conditional updates."""
    return [source.value for source, targets in allowed.items() if target in targets]
