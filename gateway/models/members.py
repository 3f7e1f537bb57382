"""The members of a store other than its owner: invited by email, active with a role, or removed."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import LargeBinary
from sqlmodel import SQLModel

from gateway.models.base import column, table_of, text_column, timestamp_column, uuid_column


class MemberRole(StrEnum):
    """What a member may do in the store (contract section 3). The store owner has no row here."""

    admin = "admin"
    finance = "finance"
    operator = "operator"
    viewer = "viewer"


class MemberStatus(StrEnum):
    """The status of a member. An expired invitation is still `invited`: it can be resent."""

    invited = "invited"
    active = "active"
    removed = "removed"


class Member(SQLModel, table=True):
    """One person in one store. The token in the email is stored as its SHA-256, until it is used, replaced or
    withdrawn. A removed member who is invited again gets a new row.
    """

    __tablename__ = "members"

    id: str = uuid_column(primary=True)
    store_id: str = uuid_column(references="users.id")
    user_id: str | None = uuid_column(references="users.id", optional=True)
    name: str | None = text_column(optional=True)
    email: str = text_column()
    role: str = text_column()
    status: str = text_column(default=MemberStatus.invited)
    token_hash: bytes | None = column(LargeBinary, optional=True)
    invited_by: str = uuid_column(references="users.id")
    invited_at: datetime = timestamp_column()
    expires_at: datetime = timestamp_column()
    accepted_at: datetime | None = timestamp_column(optional=True)
    removed_at: datetime | None = timestamp_column(optional=True)
    last_access_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()


members = table_of(Member)
