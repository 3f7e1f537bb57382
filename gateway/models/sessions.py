"""Panel sessions and the second factor that opens them."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Column, Index, Integer, LargeBinary
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, moment, sealed, table_of, text


class Session(SQLModel, table=True):
    """One session of an account. Its tokens name it: where the row is gone, they are refused. No index on
    `last_used_at`, so that the one column which changes is changed in place.
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
    """The second factor of an account, in force from `confirmed_at` on; before that, one that is being set up.

    `last_step` is the 30-second step of the newest code that was used. `uses` counts codes of either kind: whoever uses
    one says which number theirs is, so that no two callers use the same, and a challenge from before is over.
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
