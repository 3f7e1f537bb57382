"""The conditions that filters are declared with.

A filter is a condition over a bound parameter of its own name, or, where each value asks for a condition of its own, a
table of conditions (`status`): a value written into the text lets partial and combined indexes serve it.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar
from typing import cast as cast_type

from sqlalchemy import (
    ARRAY,
    BinaryExpression,
    BindParameter,
    Boolean,
    ClauseElement,
    Column,
    ColumnElement,
    Select,
    Text,
    bindparam,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.sql.visitors import replacement_traverse

from gateway.models.base import SOON, STRAY_IDS, strays
from gateway.resolvers.listing.folding import folded, pattern

ClauseT = TypeVar("ClauseT", bound=ClauseElement)
Condition: TypeAlias = ColumnElement[bool]
Shape: TypeAlias = tuple[tuple[str, str | None], ...]
"""The filters of a statement by name, with the value where each value is a condition of its own."""
Filter: TypeAlias = "Condition | Mapping[str, Condition | Either]"

SEARCH = "q"
BY_PARTS, BY_FORMS, BY_WORDS = "parts", "forms", "words"
"""How a search finds what is kept of a list's texts: any part of them, of three characters or more; the same, of what
may be a document or a phone number that is written in another form; or the beginnings of their words, of one or two.
"""
BY_BEGINNINGS = "beginnings"
"""How rows that something else has found are judged where what is kept would be asked `BY_WORDS`; for the others there
is no other name.
"""
_IN_ROWS: Mapping[str | None, str | None] = {BY_PARTS: None, BY_FORMS: None, BY_WORDS: BY_BEGINNINGS}
PERIOD = ("created_from", "created_to")
"""The bounds of the period in which something was created."""
_SHORTEST_PART = 3
_SPECIAL = re.compile(r"([\\%_])")
_NO_WORD = r"\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f"
"""What stands between words: the characters of ASCII but letters and digits, for Python and for PostgreSQL."""
_FORMATTING = re.compile(r"[\s./()+-]")
_CNPJ = "AA.AAA.AAA/AAAA-00"


class Either(NamedTuple):
    """Two conditions of which a row meets one at most, and only `few` rows of any list the second. Each has an index,
    from which rows are merged; of their disjunction none has.

    `values`: those of one column that a row has which meets either.
    """

    many: Condition
    few: Condition
    values: tuple[Column[Any], Sequence[str]] | None = None

    @property
    def together(self) -> Condition:
        return or_(self.many, self.few)


def any_of(told: Select[Any], column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Any of what is selected, to be compared with a column."""
    return func.any(func.array(told.scalar_subquery(), type_=ARRAY(column.type)))


def several(condition: "Condition | Either") -> tuple[Column[Any], Condition] | None:
    """The column that a filter compares with a value, and that comparison as if there were several values of which any
    is enough: the planner then takes most rows to meet it, and reads them in the order asked for. None for a filter
    that says something else.
    """
    if isinstance(condition, Either):
        if condition.values is None:
            return None
        column, values = condition.values
        return column, column == any_of(select(func.unnest(array(values))), column)
    if not isinstance(condition, BinaryExpression) or not isinstance(condition.left, Column):
        return None
    return condition.left, condition.operator(condition.left, any_of(select(condition.right), condition.left))


class Following(NamedTuple):
    """Of a moment that comes `soon` after a row is created, or at no time: which rows are `strays`, so that a period of
    creation is found in its order, but for those (ADR 0056). Filters that find no row without one are `never_missing`,
    and those that find no row with one `always_missing`.
    """

    soon: ColumnElement[Any]
    strays: Condition
    never_missing: Container[tuple[str, str | None]] = ()
    always_missing: Container[tuple[str, str | None]] = ()


def following(
    name: str,
    never_missing: Container[tuple[str, str | None]] = (),
    always_missing: Container[tuple[str, str | None]] = (),
) -> Following:
    """Of the column of that name."""
    strays_ = literal_column(f"({strays(name)})", Boolean())
    return Following(literal_column(SOON), strays_, never_missing, always_missing)


def stray_ids() -> Condition:
    """The rows of a period that aren't in its range of ids."""
    return literal_column(f"({STRAY_IDS})", Boolean())


class Own(NamedTuple):
    """The index that a filter has in an order besides the order's own, by its name, and what is said `where` it is
    asked for, if anything.
    """

    name: str
    where: Condition | None = None


class Range(NamedTuple):
    """A filter that an index serves in the order of its column, and what else is true of all that it finds."""

    column: Column[Any]
    implies: Condition | None = None


def equals(column: Column[Any], name: str = "") -> Condition:
    return column == bindparam(name or column.name, type_=column.type)


def at_least(column: ColumnElement[Any], name: str) -> Condition:
    return column >= bindparam(name, type_=column.type)


def at_most(column: ColumnElement[Any], name: str) -> Condition:
    return column <= bindparam(name, type_=column.type)


def sought(shape: Shape) -> str | None:
    """How the search among these filters is answered by what is kept of texts: by parts, forms or words. None where
    there is no search, or where rows are searched themselves.
    """
    return next((choice for name, choice in shape if name == SEARCH and choice in _IN_ROWS), None)


def searched_in_rows(shape: Shape) -> Shape:
    """The same filters, with the search to be judged row by row, of what another one finds."""
    return tuple((name, _IN_ROWS.get(choice, choice) if name == SEARCH else choice) for name, choice in shape)


def without_period(shape: Shape) -> Shape:
    return tuple(one for one in shape if one[0] not in PERIOD)


def judged(condition: Condition) -> Condition:
    """The same condition, of rows that are found by another one: no index serves it, so none tempts the
    planner to go that way round.
    """
    return condition.is_(True)


def unseen(clause: ClauseT) -> ClauseT:
    """The same clause, with each bound value in a subquery, where the planner doesn't
    look: one plan serves all values.
    """
    return cast_type("ClauseT", replacement_traverse(clause, {}, _as_subquery))


def _as_subquery(element: Any, **_options: Any) -> ColumnElement[Any] | None:
    bound = isinstance(element, BindParameter) and element.required
    return select(element).scalar_subquery() if bound else None


def created(column: Column[Any]) -> dict[str, Filter]:
    """The two filters of the period in which something was created."""
    since, until = PERIOD
    return {since: at_least(column, since), until: at_most(column, until)}


class Search(NamedTuple):
    """What a search looks through: a row's texts in lower case, one on each line, and its documents and phone numbers.
    `folded` says that they have no accents. `codes` are the columns of the documents, which have no letters but
    capital ones.
    """

    texts: ColumnElement[str]
    documents: ColumnElement[str] | None = None
    folded: bool = False
    codes: tuple[Column[Any], ...] = ()

    @property
    def part(self) -> Condition:
        """`q`: part of any of them, in any letter case, with or without accents. Documents are
        found with their formatting too.
        """
        if self.folded and self.documents is not None:
            return or_(_like(self.texts, "q_text"), _like(self.documents, "q_bare"))
        # Where there can be no accents nothing has to be folded, nor put together for that.
        return or_(_matches(self.texts, "q_pattern"), *(_like(code, "q_code") for code in self.codes))

    @property
    def beginning(self) -> Condition:
        """`q`: how a word of any of them begins."""
        found = _matches(self.texts, "q_word")
        return found if self.documents is None else or_(found, _matches(self.documents, "q_word"))

    @property
    def ways(self) -> Mapping[str, Condition]:
        """The two, part and beginning, by how a search is told."""
        parts = dict.fromkeys(("", BY_PARTS, BY_FORMS), self.part)
        return {**parts, BY_WORDS: self.beginning, BY_BEGINNINGS: self.beginning}


def search(*columns: ColumnElement[Any], documents: tuple[Column[Any], ...] = ()) -> Search:
    """The texts of these columns."""
    return Search(_lines(columns), _lines(documents) if documents else None, codes=documents)


def _lines(columns: Iterable[ColumnElement[Any]]) -> ColumnElement[str]:
    return func.lower(func.concat_ws(literal_column("chr(10)"), *columns), type_=Text())


def _like(texts: ColumnElement[str], name: str) -> Condition:
    return texts.like(_sought(name))


def _matches(texts: ColumnElement[str], name: str) -> Condition:
    return texts.regexp_match(_sought(name))


def _sought(name: str) -> ColumnElement[str]:
    # Where the planner doesn't look: what it knows of a column it would try on each value.
    return select(bindparam(name, type_=Text())).scalar_subquery()


def search_values(q: str) -> dict[str, Any]:
    """The bound values of a search: what a caller types has no wildcards. The text itself is for
    whoever looks for candidates first.
    """
    text = folded(q)
    bare = _bare(text)
    return {
        "q_lower": q.lower(),
        "q_text": _part(text),
        "q_bare": _part(bare),
        "q_code": _part(bare.upper() if bare.isascii() else bare),
        "q_pattern": pattern(text),
        "q_word": f"(^|[{_NO_WORD}]){pattern(text)}",
        "q_typed": text,
        "q_typed_bare": bare if bare != text else None,
    }


def kept_as(q: str) -> str | None:
    """How what is kept of texts tells a search, if it does: a part must have three characters,
    with and without formatting.
    """
    text = folded(q)
    bare = _bare(text)
    if min(len(text), len(bare)) >= _SHORTEST_PART:
        return BY_PARTS if bare == text else BY_FORMS
    return BY_WORDS if 0 < len(text) < _SHORTEST_PART and re.search(f"[{_NO_WORD}]", text) is None else None


def _bare(q: str) -> str:
    """The text without formatting, if it can be part of a document or a phone number: digits, however they are written,
    or a part of a CNPJ with letters, written as CNPJs are.
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
