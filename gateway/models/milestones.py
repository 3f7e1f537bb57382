"""What keeps long lists quick: how many rows a list has up to some moments of its past (ADR 0035), what a search finds
them by, stretch by stretch (ADR 0048), and how many rows have a value that lists are filtered by (ADR 0041).

All are kept by a sweep for what is older than half an hour, and by triggers for what changes there
afterwards (`functions.sql` shows them). What is newer is read from the table itself, so nothing is written
with a row, and nothing waits.
"""

from datetime import datetime

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Index, Integer, PrimaryKeyConstraint, SmallInteger, Text
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, table_of, text


class ListMilestone(SQLModel, table=True):
    """Of the list `kind` (its table) of a store and environment, `rows` rows were created at `upto` or before.
    Those since the milestone before this one belong to the stretch numbered `stretch`, as do those of its
    neighbours; later stretches have higher numbers. `tallied`: whether they are in the list's tallies, as all
    before them are. `common_grams`: the pieces of texts that more than a quarter of the rows before them have,
    judged by a sample, hashed without the stretch.
    """

    __tablename__ = "list_milestones"
    __table_args__ = (
        Index(
            "ix_list_milestones_untallied",
            "kind",
            "user_id",
            "environment",
            "upto",
            postgresql_where=sql("not tallied"),
        ),
        # Where a stretch ends.
        Index(
            *("ix_list_milestones_stretch", "kind", "user_id", "environment", "stretch", "upto"),
            postgresql_include=["tallied"],
        ),
    )

    kind: str = text(primary=True)
    user_id: str = identifier(primary=True)
    environment: str = text(primary=True)
    upto: datetime = Field(sa_column=Column(DateTime(timezone=True), primary_key=True))
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))
    stretch: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    tallied: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))
    common_grams: list[int] = Field(sa_column=Column(ARRAY(Integer), nullable=False, server_default="{}"))


class SearchText(SQLModel, table=True):
    """What a search finds a row of the list `kind` by, below a milestone and in its `stretch`: its `texts`, one on each
    line, and its `documents` and phone numbers, in lower case and without accents (the function `folded`). The index
    has their pieces, as `grams_in` hashes them together with the list and the stretch, and the `marks` of what the row
    is filtered by, as `marks_in` does.
    """

    __tablename__ = "search_texts"
    # Without `fastupdate`: a search asks for many stretches, and each would read all that waits to be merged.
    __table_args__ = (
        Index(
            "ix_search_texts_grams",
            sql("(grams_in(list_number(kind, user_id, environment), stretch, texts, documents) || marks)"),
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        ),
    )

    row_id: str = identifier(primary=True)
    kind: str = text()
    user_id: str = identifier()
    environment: str = text()
    stretch: int = Field(sa_column=Column(Integer, nullable=False))
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False))
    texts: str = text()
    documents: str = text()
    marks: list[int] = Field(sa_column=Column(ARRAY(Integer), nullable=False, server_default="{}"))


class SearchWaiting(SQLModel, table=True):
    """A row below a milestone whose texts have changed, or that came late, and which the sweep has
    yet to put into `search_texts`.
    """

    __tablename__ = "search_waiting"

    kind: str = text(primary=True)
    user_id: str = identifier(primary=True)
    environment: str = text(primary=True)
    stretch: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    row_id: str = identifier(primary=True)


class ListTally(SQLModel, table=True):
    """So many rows of a list, up to its last milestone that is tallied, have this `value` in the column `name`.
    `tallies_of` says which, as text that sorts as they do. Ids and words are tallied in each stretch, groups of values
    (the day of a moment, an amount's first three digits) in the whole list, as if all was in stretch 0; those that are
    tallied in each stretch besides have a name of their own, as `amount/digits_2`.
    """

    __tablename__ = "list_tallies"
    # Thousands are summed at once, from the index alone.
    __table_args__ = (
        PrimaryKeyConstraint(
            *("kind", "user_id", "environment", "name", "value", "stretch"), postgresql_include=["rows"]
        ),
    )

    kind: str = text(primary=True)
    user_id: str = identifier(primary=True)
    environment: str = text(primary=True)
    name: str = text(primary=True)
    value: str = Field(sa_column=Column(Text(collation="C"), primary_key=True))
    stretch: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))


class ListTallyEntry(SQLModel, table=True):
    """What has come, gone or changed below that milestone, and isn't in its tally yet: nobody who
    changes a row waits for another.
    """

    __tablename__ = "list_tally_entries"
    __table_args__ = (
        Index("ix_list_tally_entries_list", "kind", "user_id", "environment", "name", "value", "stretch"),
    )

    id: str = identifier(primary=True, generated=True)
    kind: str = text()
    user_id: str = identifier()
    environment: str = text()
    name: str = text()
    value: str = Field(sa_column=Column(Text(collation="C"), nullable=False))
    stretch: int = Field(sa_column=Column(Integer, nullable=False))
    rows: int = Field(sa_column=Column(SmallInteger, nullable=False))


list_milestones = table_of(ListMilestone)
search_texts = table_of(SearchText)
search_waiting = table_of(SearchWaiting)
list_tallies = table_of(ListTally)
list_tally_entries = table_of(ListTallyEntry)
