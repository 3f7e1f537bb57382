"""Pix keys that a store has saved for its withdrawals."""

from datetime import datetime

from sqlmodel import SQLModel

from gateway.models.base import table_of, text_column, timestamp_column, uuid_column


class PixKey(SQLModel, table=True):
    """A saved key, normalized as a withdrawal has it. A store has each key once in an environment."""

    __tablename__ = "pix_keys"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    name: str | None = text_column(optional=True)
    pix_key: str = text_column()
    pix_key_type: str = text_column()
    created_at: datetime = timestamp_column()


pix_keys = table_of(PixKey)
