"""Panel sessions and second factors."""

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Boolean, Column, Index, Integer, LargeBinary
from sqlmodel import Field, SQLModel

from gateway.models.base import encrypted, table_of, text_column, timestamp_column, uuid_column


def _hash() -> Any:
    return Field(default=None, sa_column=Column(LargeBinary, nullable=True))


class Session(SQLModel, table=True):
    """One session of an account. Its tokens are valid while the row exists. `last_used_at` has no index, so that its
    updates are HOT.

    A session of the panel has a cookie that resumes it. The family is the hash of the constant half of its values.
    """

    __tablename__ = "sessions"
    __table_args__ = (
        Index("ix_sessions_user_id", "user_id"),
        Index("ix_sessions_cookie_family", "cookie_family", unique=True),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    ip: str | None = text_column(optional=True)
    user_agent: str | None = text_column(optional=True)
    begun_at: datetime = timestamp_column()
    last_used_at: datetime = timestamp_column()
    cookie_family: bytes | None = _hash()
    cookie_hash: bytes | None = _hash()
    previous_cookie_hash: bytes | None = _hash()
    cookie_rotated_at: datetime | None = timestamp_column(optional=True)
    remembered: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="false"))


class TwoFactor(SQLModel, table=True):
    """The second factor of an account, on since `confirmed_at`.

    `last_step` is the 30-second step of the newest used code. `uses` counts used codes of both kinds. An update names
    the count that it read, so that no code is used twice, and an older challenge is invalid.
    """

    __tablename__ = "two_factors"

    user_id: str = uuid_column(primary=True, references="users.id")
    secret: bytes = encrypted()
    recovery_hashes: list[bytes] = Field(sa_column=Column(ARRAY(LargeBinary), nullable=False, server_default="{}"))
    last_step: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    uses: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    created_at: datetime = timestamp_column()
    confirmed_at: datetime | None = timestamp_column(optional=True)


sessions = table_of(Session)
two_factors = table_of(TwoFactor)
