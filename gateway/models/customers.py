"""Payers that a store saves for reuse."""

from datetime import datetime

from sqlmodel import SQLModel

from gateway.models.base import search_column, table_of, text_column, timestamp_column, uuid_column


class Customer(SQLModel, table=True):
    """A saved payer. `cpf` holds a CPF (11 digits) or a CNPJ (14 characters), or nothing."""

    __tablename__ = "customers"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    name: str = text_column()
    email: str | None = text_column(optional=True)
    cpf: str | None = text_column(optional=True)
    phone: str | None = text_column(optional=True)
    search: str = search_column("name", "email", "cpf", "phone", "id::text")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


customers = table_of(Customer)
