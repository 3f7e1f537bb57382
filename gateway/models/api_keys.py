"""API keys. A key is stored as its SHA-256: 32 random bytes need no slow hash."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ARRAY, Boolean, LargeBinary, Text
from sqlmodel import SQLModel

from gateway.models.base import column, table_of, text_column, timestamp_column, uuid_column


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


class ApiKey(SQLModel, table=True):
    """One integration's credential. Its environment is stored, never read from its text. Null `scopes`: all of them."""

    __tablename__ = "api_keys"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    name: str = text_column()
    prefix: str = text_column()
    key_hash: bytes = column(LargeBinary)
    environment: str = text_column()
    active: bool = column(Boolean, default="true")
    scopes: list[str] | None = column(ARRAY(Text), optional=True)
    expires_at: datetime | None = timestamp_column(optional=True)
    last_used_at: datetime | None = timestamp_column(optional=True)
    created_at: datetime = timestamp_column()


api_keys = table_of(ApiKey)
