"""Payers that a store saves for reuse."""

from datetime import datetime

from sqlalchemy import Index, func
from sqlalchemy import text as sql
from sqlmodel import SQLModel

from gateway.models.base import (
    Environment,
    one_of,
    search_column,
    search_index,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class Customer(SQLModel, table=True):
    """A saved payer. `cpf` holds a CPF (11 digits) or a CNPJ (14 characters), or nothing."""

    __tablename__ = "customers"
    __table_args__ = (
        one_of("environment", Environment),
        Index("ix_customers_created_at", "user_id", "environment", "created_at", "id"),
        Index("ix_customers_updated_at", "user_id", "environment", "updated_at", "id"),
        # tables.sql adds `collate "C"`, which the comparison with this model ignores.
        Index("ix_customers_name", "user_id", "environment", sql("normalize_search_text(name)"), "id"),
        search_index("customers"),
        Index("ix_customers_email", "user_id", "environment", func.lower(sql("email")), "created_at", "id"),
        Index("ix_customers_cpf", "user_id", "environment", "cpf", postgresql_where=sql("cpf is not null")),
    )

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
