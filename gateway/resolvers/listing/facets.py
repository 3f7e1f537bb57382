"""Facets: what rows say in several columns of few values, as one text, so that whichever filters are asked
together are looked up (ADR 0047).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TypeAlias

from sqlalchemy import ColumnElement, and_, true

from gateway.resolvers.listing.dictionary import Dictionary
from gateway.resolvers.listing.filters import Condition, Shape, unseen

Parts: TypeAlias = Callable[[str], ColumnElement[str]]
"""Gives what a text, or a row, has of a column."""
Facet: TypeAlias = Callable[[Parts, str | None], Condition]
"""What a filter asks of the columns, by its choice if it has several."""


class Facets:
    """The dictionaries of a list's facets: each combination that there is has a text, and filters find some of these.

    `part` gives what a text has of a column, and `make` makes the dictionary that looks for what matches.
    """

    def __init__(
        self,
        facets: Mapping[str, Facet],
        *,
        columns: Mapping[str, ColumnElement[str]],
        part: Callable[[ColumnElement[str], str], ColumnElement[str]],
        make: Callable[..., Dictionary],
    ) -> None:
        self._facets, self._columns, self._part, self._make = facets, columns, part, make
        self.of = lru_cache(maxsize=512)(self._of)
        """The dictionary of these filters, if all of them are facets; the same one each time, so that a
        statement may speak of it twice.
        """

    def _of(self, shape: Shape) -> Dictionary | None:
        if not all(name in self._facets for name, _ in shape):
            return None
        return self._make(
            matches=lambda text: self._meets(shape, partial(self._part, text)),
            condition=self._meets(shape, self._columns.__getitem__),
        )

    def _meets(self, shape: Shape, part: Parts) -> Condition:
        # Of each value the planner would expect another number of texts, and make a plan for it, which takes
        # longer than reading a page.
        return unseen(and_(true(), *(self._facets[name](part, choice) for name, choice in shape)))
