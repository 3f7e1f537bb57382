"""Panel sessions and second factors."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Column, Index, Integer, LargeBinary
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, moment, sealed, table_of, text


class Session(SQLModel, table=True):
    """One session of an account. Its tokens are valid while the row exists. `last_used_at` has no index, so that its
    updates are HOT.
    """

    __tablename__ = "sessions"
    __table_args__ = (Index("ix_sessions_user_id", "user_id"),)

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    ip: str | None = text(optional=True)
    user_agent: str | None = text(optional=True)
    begun_at: datetime = moment()
    last_used_at: datetime = moment()


class TwoFactor(SQLModel, table=True):
    """The second factor of an account, on since `confirmed_at`.

    `last_step` is the 30-second step of the newest used code. `uses` counts used codes of both kinds. An update names
    the count that it read, so that no code is used twice, and an older challenge is invalid.
    """

    __tablename__ = "two_factors"

    user_id: str = identifier(primary=True, references="users.id")
    secret: bytes = sealed()
    recovery_hashes: list[bytes] = Field(sa_column=Column(ARRAY(LargeBinary), nullable=False, server_default="{}"))
    last_step: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    uses: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    created_at: datetime = moment()
    confirmed_at: datetime | None = moment(optional=True)


sessions = table_of(Session)
two_factors = table_of(TwoFactor)
