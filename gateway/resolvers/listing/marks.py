"""What rows are marked by in the index of their texts, so that a search and other filters are looked up together there:
what each of them finds alone may be a large part of a list, and hardly a row be found by both (ADR 0060).

A mark is a text such as `product_id 0193…`, of which the index has a hash. A row that has none of those that are asked
for isn't found; one that has may be another's all the same, so it is judged.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Column

_MOST_DIGITS = 10
"""Amounts of so many digits and more, ten million reais, are marked alike: a charge has less."""


class Mark(NamedTuple):
    """The marks that a filter asks for, by its value and that of another one, if it has such: `said` is the array of a
    row's, in SQL, with null where it has none. `only` are the choices of the filter that rows are marked by, if it has
    others.
    """

    filter: str
    said: str
    sought: Callable[..., list[str]]
    other: str = ""
    only: Collection[str] = ()

    def is_asked(self, choice: str | None) -> bool:
        """Whether the filter, with this choice, asks for it."""
        return not self.only or choice in self.only

    @property
    def bound(self) -> str:
        """The name of the array that is bound."""
        return f"mark_{self.filter}"


def by_value(column: Column[Any]) -> Mark:
    """Of ids."""
    name = column.name
    return Mark(name, f"array['{name} ' || {column}]", lambda value: [f"{name} {value.lower()}"])


def by_choice(column: Column[Any], choices: Collection[str]) -> Mark:
    """Of a few values among all that a column has."""
    name, listed = column.name, ", ".join(f"'{choice}'" for choice in choices)
    said = f"array[case when {column} in ({listed}) then '{name} ' || {column} end]"
    return Mark(name, said, lambda value: [f"{name} {value}"], only=choices)


def by_size(column: Column[Any], low: str, high: str) -> tuple[Mark, Mark]:
    """Of amounts: one is said to be at least, or at most, each first digit with as many digits as it has itself, and
    longer or shorter than others. So a bound asks for two marks, and an amount that is meant exactly for one.
    """
    name, digits = column.name, f"least(length({column}::text), {_MOST_DIGITS})"
    first = f"case when {digits} < {_MOST_DIGITS} then left({column}::text, 1)::integer else 1 end"
    exactly = f"array['{name} ' || {column}]"
    least = (
        f"array(select '{name}/from ' || n || ' ' || {digits} from generate_series(1, {first}) n)"  # noqa: S608  # Names of our own.
        f" || array(select '{name}/longer ' || n from generate_series(1, {digits} - 1) n)"
    )
    most = (
        f"array(select '{name}/upto ' || n || ' ' || {digits} from generate_series({first}, 9) n)"  # noqa: S608  # Names of our own.
        f" || array(select '{name}/shorter ' || n from generate_series({digits} + 1, {_MOST_DIGITS}) n)"
    )

    def bounded(way: str, beyond: str) -> Callable[..., list[str]]:
        def sought(bound: int, other: int | None) -> list[str]:
            if bound == other:
                return [f"{name} {bound}"]
            digit, length = _size(bound)
            return [f"{name}/{way} {digit} {length}", f"{name}/{beyond} {length}"]

        return sought

    return (
        Mark(low, f"{exactly} || {least}", bounded("from", "longer"), other=high),
        Mark(high, most, bounded("upto", "shorter"), other=low),
    )


def _size(amount: int) -> tuple[int, int]:
    """The first digit, and how many there are."""
    digits = str(max(amount, 1))
    return (int(digits[0]), len(digits)) if len(digits) < _MOST_DIGITS else (1, _MOST_DIGITS)


def sought_marks(marks: Iterable[Mark], sent: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is bound for the marks that these filters ask for."""
    asked = [mark for mark in marks if mark.filter in sent]
    return {
        mark.bound: mark.sought(sent[mark.filter], *([sent.get(mark.other)] if mark.other else ())) for mark in asked
    }
