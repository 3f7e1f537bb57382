"""API keys. A key is stored as its SHA-256: 32 random bytes need no slow hash."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ARRAY, Boolean, CheckConstraint, Column, Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, one_of, table_of, text_column, timestamp_column, uuid_column


class Scope(StrEnum):
    """The scopes of a restricted key. Each operation declares its own."""

    read = "read"
    """All reads."""
    charges = "charges"
    """Charges, customers and subscriptions."""
    catalogue = "catalogue"
    """Products, coupons and payment links."""
    withdrawals = "withdrawals"
    """Withdrawals."""
    refunds = "refunds"
    """Refunds of charges."""


_SCOPES = ", ".join(f"'{scope}'" for scope in Scope)


class ApiKey(SQLModel, table=True):
    """One integration's credential. Its environment is stored, never read from its text. Null `scopes`: all of them."""

    __tablename__ = "api_keys"
    __table_args__ = (
        one_of("environment", Environment),
        CheckConstraint(f"scopes <@ array[{_SCOPES}] and cardinality(scopes) > 0", name="scopes"),
        Index("uq_api_keys_key_hash", "key_hash", unique=True),
        Index("ix_api_keys_user_id", "user_id", "created_at", "id"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    name: str = text_column()
    prefix: str = text_column()
    key_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    environment: str = text_column()
    active: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    scopes: list[str] | None = Field(default=None, sa_column=Column(ARRAY(Text), nullable=True))
    expires_at: datetime | None = timestamp_column(optional=True)
    last_used_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()


api_keys = table_of(ApiKey)
