"""Panel sessions and second factors."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Boolean, Integer, LargeBinary
from sqlmodel import SQLModel

from gateway.models.base import column, encrypted, table_of, text_column, timestamp_column, uuid_column


class Session(SQLModel, table=True):
    """One session of an account. Its tokens are valid while the row exists. `last_used_at` has no index, so that its
    updates are HOT.

    A session of the panel has a cookie that resumes it. The family is the hash of the constant half of its values.
    """

    __tablename__ = "sessions"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    ip: str | None = text_column(optional=True)
    user_agent: str | None = text_column(optional=True)
    begun_at: datetime = timestamp_column()
    last_used_at: datetime = timestamp_column()
    cookie_family: bytes | None = column(LargeBinary, optional=True)
    cookie_hash: bytes | None = column(LargeBinary, optional=True)
    previous_cookie_hash: bytes | None = column(LargeBinary, optional=True)
    cookie_rotated_at: datetime | None = timestamp_column(optional=True)
    remembered: bool = column(Boolean, default="false")


class TwoFactor(SQLModel, table=True):
    """The second factor of an account, on since `confirmed_at`.

    `last_step` is the 30-second step of the newest used code. `uses` counts used codes of both kinds. An update names
    the count that it read, so that no code is used twice, and an older challenge is invalid.
    """

    __tablename__ = "two_factors"

    user_id: str = uuid_column(primary=True, references="users.id")
    secret: bytes = encrypted()
    recovery_hashes: list[bytes] = column(ARRAY(LargeBinary), default="{}")
    last_step: int = column(BigInteger, default="0")
    uses: int = column(Integer, default="0")
    created_at: datetime = timestamp_column()
    confirmed_at: datetime | None = timestamp_column(optional=True)


sessions = table_of(Session)
two_factors = table_of(TwoFactor)
