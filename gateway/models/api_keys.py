"""API keys. Only the SHA-256 of a key is kept: 32 random bytes need no slow hash."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ARRAY, Boolean, CheckConstraint, Column, Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from gateway.models.base import Environment, identifier, moment, one_of, table_of, text


class Scope(StrEnum):
    """What a key that is not to do everything may be for. Which operation is of which, it declares itself."""

    read = "read"
    """Whatever shows the store's things and changes none."""
    charges = "charges"
    """Charging payers: charges, customers, subscriptions."""
    catalogue = "catalogue"
    """What is sold: products, coupons, payment links."""
    withdrawals = "withdrawals"
    """Taking money out."""


_SCOPES = ", ".join(f"'{scope}'" for scope in Scope)


class ApiKey(SQLModel, table=True):
    """One integration's credential; its environment is stored here, never read from its text. Without
    `scopes` it may do what a key may.
    """

    __tablename__ = "api_keys"
    __table_args__ = (
        one_of("environment", Environment),
        CheckConstraint(f"scopes <@ array[{_SCOPES}] and cardinality(scopes) > 0", name="scopes"),
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
    scopes: list[str] | None = Field(default=None, sa_column=Column(ARRAY(Text), nullable=True))
    expires_at: datetime | None = moment(optional=True)
    last_used_at: datetime | None = moment(optional=True)
    created_at: datetime = moment()


api_keys = table_of(ApiKey)
