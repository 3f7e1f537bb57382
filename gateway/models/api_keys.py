"""API keys. Only the SHA-256 of a key is kept: 32 random bytes need no slow hash."""

from datetime import datetime

from sqlalchemy import Boolean, Column, Index, LargeBinary
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, identifier, moment, one_of, table_of, text


class ApiKey(SQLModel, table=True):
    """One integration's credential; its environment is stored here, never read from its text."""

    __tablename__ = "api_keys"
    __table_args__ = (
        one_of("environment", Environment),
        Index("uq_api_keys_key_hash", "key_hash", unique=True),
        Index("ix_api_keys_user_id", "user_id", "created_at", "id"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    name: str = text()
    prefix: str = text()
    key_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    environment: str = text()
    active: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    last_used_at: datetime | None = moment(optional=True)
    created_at: datetime = moment()


api_keys = table_of(ApiKey)
