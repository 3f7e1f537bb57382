"""What keeps long lists quick (ADR 0035): how many rows a list has up to some moments of its past, and in which rows three letters stand
next to each other, stretch by stretch.

Both are kept by a sweep for what is older than half an hour, and by triggers for what changes there afterwards. What is newer is
read from the table itself, so nothing is written with a row, and nothing waits.
"""

from datetime import datetime

from sqlalchemy import BigInteger, Column, DateTime, Index, Integer
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, table_of, text


class ListMilestone(SQLModel, table=True):
    """Of the list `kind` (its table) of a store and environment, `rows` rows were created at `upto` or before. Those since the milestone
    before this one belong to the stretch numbered `stretch`, as do those of its neighbours; later stretches have higher numbers.
    """

    __tablename__ = "list_milestones"

    kind: str = text(primary=True)
    user_id: str = identifier(primary=True)
    environment: str = text(primary=True)
    upto: datetime = Field(sa_column=Column(DateTime(timezone=True), primary_key=True))
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))
    stretch: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))


class SearchGrams(SQLModel, table=True):
    """The trigrams of a row's texts, as `grams_in` hashes them together with the row's list and stretch."""

    __tablename__ = "search_grams"
    # Without `fastupdate`: a search asks for many stretches, and each would read all that waits to be merged.
    __table_args__ = (
        Index("ix_search_grams_grams", "grams", postgresql_using="gin", postgresql_with={"fastupdate": "off"}),
    )

    row_id: str = identifier(primary=True)
    grams: list[int] = Field(sa_column=Column(ARRAY(Integer), nullable=False))


class SearchWaiting(SQLModel, table=True):
    """A row below a milestone whose texts have changed, or that came late, and whose trigrams the sweep has yet to write."""

    __tablename__ = "search_waiting"

    kind: str = text(primary=True)
    user_id: str = identifier(primary=True)
    environment: str = text(primary=True)
    stretch: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    row_id: str = identifier(primary=True)


list_milestones = table_of(ListMilestone)
search_grams = table_of(SearchGrams)
search_waiting = table_of(SearchWaiting)
