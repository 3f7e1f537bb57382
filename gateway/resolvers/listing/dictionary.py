"""Dictionaries: the texts that a long list's rows have in common, for searches of lists that say the same few
things over and over (ADR 0043).

The audit trail of a large store has millions of records and some dozens of acts and names. A search looks through
these, as they are tallied (`Tallies`), and not through the records: of each text it finds, an index has the rows in the
order of their creation, and the tallies tell how many there are. What isn't tallied yet is read row by row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import (
    CTE,
    ColumnElement,
    CompoundSelect,
    Select,
    Table,
    and_,
    case,
    func,
    literal_column,
    select,
    true,
    tuple_,
    union,
)

from gateway.models.milestones import list_tallies, list_tally_entries
from gateway.resolvers.listing.filters import Condition, Either, judged
from gateway.resolvers.listing.milestones import BEGINNING, END, Milestones, added, bound, of_list, summed

_Moments: TypeAlias = Sequence[ColumnElement[Any]]
MOST = 2000
"""Of more texts, the rows are read as they were created until the window is full: each text takes as long as some
dozens of rows, and where there are so many of them, so are their rows.
"""


@dataclass(frozen=True)
class Dictionary:
    """The texts that are tallied under `name`, and in each stretch under `in_stretches`. `text` is that of a row, `key`
    what an index has of a store, an environment and a text, before the moment of creation and the id; `matches` says
    whether a text is one of those that are looked for.
    """

    milestones: Milestones
    name: str
    in_stretches: str
    text: ColumnElement[str]
    key: Callable[[ColumnElement[Any], ColumnElement[Any], ColumnElement[str]], ColumnElement[int]]
    matches: Callable[[ColumnElement[str]], Condition]
    condition: Condition
    """The rows that are found, told one by one."""
    indexed: Condition = field(default_factory=true)
    """The rows that the index has."""

    @cached_property
    def texts(self) -> CTE:
        """The texts that are looked for, with the `key` of each, or a few more than `MOST`."""
        tallied = self._kept(list_tallies, list_tallies.c.value).distinct().limit(literal_column(f"{MOST + 1}"))
        late = self._kept(list_tally_entries, list_tally_entries.c.value)
        each = union(select(tallied.subquery()), late).subquery("each")
        user_id, environment = bound(list_tallies.c.user_id), bound(list_tallies.c.environment)
        found = select(each.c.value, self.key(user_id, environment, each.c.value).label("key"))
        return found.cte("texts").prefix_with("materialized")

    @property
    def are_few(self) -> ColumnElement[bool]:
        """Whether each of them is looked up."""
        return select(func.count() <= literal_column(f"{MOST}")).select_from(self.texts).scalar_subquery()

    def others(self, since: _Moments, until: _Moments) -> tuple[Condition, ...]:
        """The rows, of these moments, that are read one by one: those whose texts may be in no tally, or all,
        where there are too many texts.
        """
        begun = case((self.are_few, self.milestones.tallied_until), else_=BEGINNING)
        created_at = self.milestones.table.c.created_at
        between = created_at.between(func.greatest(begun, *since), func.least(END, *until))
        return between, judged(created_at > begun), judged(self.condition)

    @property
    def place(self) -> ColumnElement[int]:
        """Where the index has a row, before the moment of its creation and its id."""
        return self.key(self.milestones.store, self.milestones.table.c.environment, self.text)

    def of_text(self, since: _Moments, until: _Moments) -> tuple[Condition, ...]:
        """The rows that have one of these texts, are no younger than the last milestone that is tallied, and were
        created between these moments.
        """
        # Said so that the planner expects many rows and reads them in the order of the index. How many rows a
        # text has on average, which it would go by otherwise, says nothing of the one that half of them have.
        # Two texts may have one key.
        created_at, key = self.milestones.table.c.created_at, self.texts.c.key
        begin = tuple_(key, func.greatest(BEGINNING, *since))
        end = tuple_(key, func.least(self.milestones.tallied_until, *until))
        between = tuple_(self.place, created_at).between(begin, end)
        same = and_(*self.milestones.scope, self.text == self.texts.c.value)
        return between, self.indexed, func.coalesce(same, literal_column("false"))

    def total(self) -> ColumnElement[int]:
        """How many rows have these texts."""
        tables = (list_tallies, list_tally_entries)
        tallied = (self._kept(table, summed(table.c.rows)).scalar_subquery() for table in tables)
        return added(tallied) + self.milestones.counted(self.milestones.younger(tallied=True), judged(self.condition))

    def of_stretches(self, text: ColumnElement[str]) -> list[Condition]:
        """Whether a text that is tallied in a stretch is looked for: told by those of the whole
        list, of which there are fewer.
        """
        return [text.in_(self.values)]

    @property
    def values(self) -> CompoundSelect[Any]:
        """The texts that are looked for, however many."""
        return union(*(self._kept(table, table.c.value) for table in (list_tallies, list_tally_entries)))

    def _kept(self, table: Table, column: ColumnElement[Any]) -> Select[Any]:
        """What the tallies or the entries have of the texts that are looked for."""
        kept = of_list(self.milestones.table, table, column)
        return kept.where(table.c.name == self.name, self.matches(table.c.value))


class Forms(NamedTuple):
    """What a search finds by the form of what was typed, which `of` tells."""

    of: Callable[[str], str]
    found: Mapping[str, Condition | Either]
