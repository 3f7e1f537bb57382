"""The conditions that filters are declared with.

A filter is a condition over a bound parameter of its own name, or, where each value asks for a condition of its own, a
table of conditions (`status`): a value written into the text lets partial and combined indexes serve it.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar
from typing import cast as cast_type

from sqlalchemy import BindParameter, ClauseElement, Column, ColumnElement, Text, bindparam, cast, or_, select
from sqlalchemy.sql.visitors import replacement_traverse

ClauseT = TypeVar("ClauseT", bound=ClauseElement)
Condition: TypeAlias = ColumnElement[bool]
Shape: TypeAlias = tuple[tuple[str, str | None], ...]
"""The filters of a statement by name, with the value where each value is a condition of its own."""
Filter: TypeAlias = "Condition | Mapping[str, Condition | Either]"

SEARCH = "q"
BY_TRIGRAMS = "trigrams"
"""How the text of a search is looked for in a list with milestones, if trigrams can tell it."""
PERIOD = ("created_from", "created_to")
"""The bounds of the period in which something was created."""
SHORTEST_TELLING = 3
_SPECIAL = re.compile(r"([\\%_])")
_FORMATTING = re.compile(r"[\s./()+-]")
_CNPJ = "AA.AAA.AAA/AAAA-00"


class Either(NamedTuple):
    """Two conditions of which a row meets one at most, and only `few` rows of any list the second. Each has an index, from which rows are merged;
    of their disjunction none has.
    """

    many: Condition
    few: Condition

    @property
    def together(self) -> Condition:
        return or_(self.many, self.few)


class Range(NamedTuple):
    """A filter that an index serves in the order of its column, and what else is true of all that it finds."""

    column: Column[Any]
    implies: Condition | None = None


def equals(column: Column[Any], name: str = "") -> Condition:
    return column == bindparam(name or column.name, type_=column.type)


def at_least(column: Column[Any], name: str) -> Condition:
    return column >= bindparam(name, type_=column.type)


def at_most(column: Column[Any], name: str) -> Condition:
    return column <= bindparam(name, type_=column.type)


def without_period(shape: Shape) -> Shape:
    return tuple(one for one in shape if one[0] not in PERIOD)


def judged(condition: Condition) -> Condition:
    """The same condition, of rows that are found by another one: no index serves it, so none tempts the planner to go that way round."""
    return condition.is_(True)


def unseen(clause: ClauseT) -> ClauseT:
    """The same clause, with each bound value in a subquery, where the planner doesn't look: one plan serves all values."""
    return cast_type("ClauseT", replacement_traverse(clause, {}, _as_subquery))


def _as_subquery(element: Any, **_options: Any) -> ColumnElement[Any] | None:
    bound = isinstance(element, BindParameter) and element.required
    return select(element).scalar_subquery() if bound else None


def created(column: Column[Any]) -> dict[str, Filter]:
    """The two filters of the period in which something was created."""
    since, until = PERIOD
    return {since: at_least(column, since), until: at_most(column, until)}


def search(*columns: ColumnElement[Any], documents: tuple[Column[Any], ...] = ()) -> Condition:
    """`q`: part of the text of any of these columns, in any letter case. Documents are found with their formatting too."""
    texts = [column if isinstance(column.type, Text) else cast(column, Text) for column in columns]
    return or_(
        *(text.ilike(bindparam("q_text", type_=Text())) for text in texts),
        *(column.ilike(bindparam("q_bare", type_=Text())) for column in documents),
    )


def search_values(q: str) -> dict[str, Any]:
    """The bound values of `search`: what a caller types has no wildcards. As it was typed it is for whoever looks for candidates first."""
    bare = _bare(q)
    return {
        "q_text": _part(q),
        "q_lower": q.lower(),
        "q_bare": _part(bare),
        "q_typed": q,
        "q_typed_bare": bare if bare != q else None,
    }


def is_telling(q: str) -> bool:
    """Whether a text has the three letters in a row that trigrams take, with and without formatting."""
    return min(len(q), len(_bare(q))) >= SHORTEST_TELLING


def _bare(q: str) -> str:
    """The text without formatting, if it can be part of a document or a phone number: digits, however they are written, or a part of a
    CNPJ with letters, written as CNPJs are.
    """
    bare = _FORMATTING.sub("", q)
    places = range(len(_CNPJ) - len(q) + 1)
    known = bare.isdecimal() or (bare.isalnum() and any(_fits(q, _CNPJ[place:]) for place in places))
    return bare if known else q


def _fits(text: str, form: str) -> bool:
    fits = {"A": str.isalnum, "0": str.isdecimal}
    return all(fits[kind](one) if kind in fits else one == kind for one, kind in zip(text, form, strict=False))


def _part(text: str) -> str:
    return "%" + _SPECIAL.sub(r"\\\1", text) + "%"
