"""What rows are marked by in the index of their texts, so that a search and other filters are looked up together there:
what each of them finds alone may be a large part of a list, and hardly a row be found by both (ADR 0060).

A mark is a text such as `product_id 0193…`, of which the index has a hash. A row that has none of those that are asked
for isn't found; one that has may be another's all the same, so it is judged.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Column

_MANY_DIGITS = 10
"""Amounts of so many digits and more, ten million reais, are marked alike: a charge has less."""


class Mark(NamedTuple):
    """The marks of a column: what a row says, in SQL, null where it has no value; and what is asked for by `filters`,
    of whose values one may be missing.
    """

    column: Column[Any]
    filters: tuple[str, ...]
    said: tuple[str, ...]
    sought: Callable[..., list[str]]

    @property
    def bound(self) -> str:
        """The name of the array that is bound."""
        return f"mark_{self.column.name}"


def by_value(column: Column[Any]) -> Mark:
    """Of ids."""
    name = column.name
    return Mark(column, (name,), (f"'{name} ' || {column}",), lambda value: [f"{name} {value.lower()}"])


def by_size(column: Column[Any], low: str, high: str) -> Mark:
    """Of amounts: by the amount itself, by its first digit, and by how many digits it has. So any two bounds ask for a
    few marks only.
    """
    name, digits = column.name, f"length({column}::text)"
    said = (
        f"'{name} ' || {column}",
        f"'{name}/first ' || {column} / (10 ^ ({digits} - 1))::bigint || ' ' || least({digits}, {_MANY_DIGITS})",
        f"'{name}/digits ' || least({digits}, {_MANY_DIGITS})",
    )
    return Mark(column, (low, high), said, lambda least, most: list(_sizes(name, max(least or 0, 0), most)))


def _sizes(name: str, least: int, most: int | None) -> Iterable[str]:
    if least == most:
        yield f"{name} {most}"
        return
    begin = least
    while most is None or begin <= most:
        digits = len(str(begin))
        if digits >= _MANY_DIGITS:
            yield f"{name}/digits {_MANY_DIGITS}"
            return
        width = 10 ** (digits - 1)
        if begin == width and (most is None or most >= 10 * width - 1):
            yield f"{name}/digits {digits}"
            begin = 10 * width
        else:
            yield f"{name}/first {begin // width} {digits}"
            begin = (begin // width + 1) * width


def sought_marks(marks: Iterable[Mark], sent: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is bound for the marks that these filters ask for."""
    asked = [mark for mark in marks if any(name in sent for name in mark.filters)]
    return {mark.bound: mark.sought(*(sent.get(name) for name in mark.filters)) for mark in asked}
