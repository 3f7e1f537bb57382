"""An `Idempotency-Key` with the fingerprint of its request, and the response."""

from datetime import datetime

from sqlalchemy import LargeBinary, SmallInteger
from sqlmodel import SQLModel

from gateway.models.base import column, encrypted, table_of, text_column, timestamp_column, uuid_column


class IdempotencyKey(SQLModel, table=True):
    """Scope is store, environment, operation and key. `status` is null while the first request still runs. The store is
    no foreign key: it would lock the store's row for each.
    """

    __tablename__ = "idempotency_keys"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column()
    environment: str = text_column()
    operation: str = text_column()
    key: str = text_column()
    fingerprint: bytes = column(LargeBinary)
    status: int | None = column(SmallInteger, optional=True)
    answer: bytes | None = encrypted(optional=True)
    lease_until: datetime = timestamp_column()
    created_at: datetime = timestamp_column()


idempotency_keys = table_of(IdempotencyKey)
