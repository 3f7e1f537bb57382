"""Search by `q`: rows with all of its words, in any order, as substrings, ignoring case and accents.

A row's texts are one text, which the SQL function `search_text` makes: normalized, each on a line of its own and with a
blank in front. Charges, customers, products and subscriptions store it in the column `search`, with a trigram index; of
other lists it is made of each row that is searched.
"""

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypeAlias
from unicodedata import normalize

from msgspec import Struct
from sqlalchemy import ColumnElement, Text, and_, bindparam, func, literal_column, or_, text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

Condition: TypeAlias = ColumnElement[bool]
Variant: TypeAlias = Hashable
"""Decides the text of a search's SQL."""
FLUSH = Statement(text("select flush_search_indexes()"))
MAX_WORDS = 8
"""Of more words, the last one is what remains."""
MIN_TRIGRAM = 3
_LONG_TERM = 9
"""Characters of a long id or number that the index is searched for: its last ones, which few rows share."""
_FORMATTING = re.compile(r"[\s./()+-]")
_WORD = re.compile(r"[^\W_]+")


class Term(NamedTuple):
    """The search for one word of `q`. It binds `q{n}`, and `q{n}_key` or `q{n}_bare` if it has them."""

    beginning: bool = False
    """Only where a word begins: one or two characters have no trigram of their own."""
    key: bool = False
    """The index is searched for a part of the word, which fewer rows share; the rest is compared."""
    bare: bool = False
    """Also without formatting, as documents and phone numbers are stored."""


class TextSearch(Struct, frozen=True):
    """Search in texts. `indexed`: a trigram index serves it, so that it is read in two steps."""

    text: ColumnElement[str]
    indexed: bool = False

    def parse(self, q: str) -> tuple[Variant, dict[str, Any]]:
        """The variant of the SQL, and the values to bind."""
        whole = normalize("NFC", q).strip()
        words = whole.split(maxsplit=MAX_WORDS - 1)
        values: dict[str, Any] = {}
        terms = tuple(self._term(f"q{n}", word, values) for n, word in enumerate(words))
        bare = _without_formatting(whole)
        spaced = len(words) > 1 and bare.isdecimal()
        if spaced:
            values["q_bare"] = bare
        return (terms, spaced), values

    def _term(self, name: str, word: str, values: dict[str, Any]) -> Term:
        values[name] = word
        if len(word) < MIN_TRIGRAM:
            return Term(beginning=self.indexed and _WORD.fullmatch(word) is not None)
        key, bare = _selective_part(word), _without_formatting(word)
        if self.indexed and key != word:
            values[f"{name}_key"] = key
        if bare != word and len(bare) >= MIN_TRIGRAM:
            values[f"{name}_bare"] = bare
        return Term(key=f"{name}_key" in values, bare=f"{name}_bare" in values)

    def condition(self, variant: Any) -> Condition:
        terms, spaced = variant
        words = and_(*(self._found(f"q{n}", term) for n, term in enumerate(terms)))
        return or_(words, self._contains("q_bare")) if spaced else words

    def _found(self, name: str, term: Term) -> Condition:
        if term.beginning:
            return self.text.regexp_match(func.word_beginning_pattern(_text(name)))
        found = self._contains(name)
        if term.key:
            # The empty text prevents an index search for all trigrams of the word.
            whole = self.text.concat(literal_column("''")).like(func.contains_pattern(_text(name)))
            found = and_(self._contains(f"{name}_key"), whole)
        return or_(found, self._contains(f"{name}_bare")) if term.bare else found

    def _contains(self, name: str) -> Condition:
        return self.text.like(func.contains_pattern(_text(name)))


class FormSearch(Struct, frozen=True):
    """Search by the form of what was typed: each form is a condition over the bound `q`."""

    form_of: Callable[[str], str]
    forms: Mapping[str, Condition]
    indexed: bool = False

    def parse(self, q: str) -> tuple[Variant, dict[str, Any]]:
        return self.form_of(q), {"q": q.lower()}

    def condition(self, variant: Any) -> Condition:
        return self.forms[variant]


def search(*columns: ColumnElement[Any]) -> TextSearch:
    """Search in these columns, which have no index for it."""
    return TextSearch(func.search_text(*(_as_text(column) for column in columns), type_=Text()))


def contains(text: ColumnElement[str], name: str) -> Condition:
    """Whether a text contains what is bound by that name."""
    return func.search_text(text, type_=Text()).like(func.contains_pattern(_text(name)))


def _as_text(column: ColumnElement[Any]) -> ColumnElement[str]:
    return column if isinstance(column.type, Text) else func.cast(column, type_=Text())


def _text(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=Text())


def _selective_part(word: str) -> str:
    """The part of a word that few rows have: of an address what is before the `@`, of a number or id its end."""
    local = word.partition("@")[0]
    head = local if len(local) >= MIN_TRIGRAM else word
    has_digit = any(character.isdigit() for character in head)
    return head[-_LONG_TERM:] if has_digit and len(head) > _LONG_TERM else head


def _without_formatting(text: str) -> str:
    """A document, phone number or code without its formatting; other text as it is."""
    bare = _FORMATTING.sub("", text)
    return bare if bare.isalnum() and any(character.isdigit() for character in bare) else text


async def flush_search_indexes(ctx: Context) -> None:
    """Move pending entries into the trigram indexes, so that few are left for searches and none for an INSERT."""
    await ctx.database.value(FLUSH)


Search: TypeAlias = TextSearch | FormSearch
