"""What an `Idempotency-Key` stands for: the request it came with, and the answer it got."""

from datetime import datetime

from sqlalchemy import Column, LargeBinary, SmallInteger, UniqueConstraint
from sqlmodel import Field, SQLModel

from gateway.models.base import identifier, moment, sealed, table_of, text


class IdempotencyKey(SQLModel, table=True):
    """Scope is store, environment, operation and key. `status` is null while the first request still runs. The store is
    no foreign key: it would lock the store's row for each.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (
        UniqueConstraint("user_id", "environment", "operation", "key", name="uq_idempotency_keys_user_id"),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier()
    environment: str = text()
    operation: str = text()
    key: str = text()
    fingerprint: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    status: int | None = Field(default=None, sa_column=Column(SmallInteger, nullable=True))
    answer: bytes | None = sealed(optional=True)
    lease_until: datetime = moment()
    created_at: datetime = moment()


idempotency_keys = table_of(IdempotencyKey)
