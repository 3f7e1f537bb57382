"""The roadmap board, shared by all stores: planned features, votes and comments."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Boolean
from sqlmodel import SQLModel

from gateway.models.base import column, table_of, text_column, timestamp_column, uuid_column


class RoadmapStatus(StrEnum):
    """The status of an item (contract section 3)."""

    under_review = "under_review"
    planned = "planned"
    in_progress = "in_progress"
    done = "done"
    declined = "declined"


class RoadmapItem(SQLModel, table=True):
    """One item of the board. Its counts change in the transaction of the vote or comment, under the item's row lock."""

    __tablename__ = "roadmap_items"

    id: str = uuid_column(primary=True)
    title: str = text_column()
    description: str | None = text_column(optional=True)
    category: str | None = text_column(optional=True)
    status: str = text_column(default=RoadmapStatus.under_review)
    votes_count: int = column(BigInteger, default="0")
    comments_count: int = column(BigInteger, default="0")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


class RoadmapVote(SQLModel, table=True):
    """One account's vote for an item."""

    __tablename__ = "roadmap_votes"

    item_id: str = uuid_column(primary=True, references="roadmap_items.id")
    user_id: str = uuid_column(primary=True, references="users.id")
    created_at: datetime = timestamp_column()


class RoadmapComment(SQLModel, table=True):
    """A comment, with its author's name and staff flag as they were when it was written."""

    __tablename__ = "roadmap_comments"

    id: str = uuid_column(primary=True)
    item_id: str = uuid_column(references="roadmap_items.id")
    author_id: str = uuid_column(references="users.id")
    author_name: str = text_column()
    is_staff: bool = column(Boolean)
    body: str = text_column()
    created_at: datetime = timestamp_column()


roadmap_items = table_of(RoadmapItem)
roadmap_votes = table_of(RoadmapVote)
roadmap_comments = table_of(RoadmapComment)
