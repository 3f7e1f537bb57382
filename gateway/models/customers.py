"""Payers that a store keeps for reuse."""

from datetime import datetime

from sqlalchemy import Index, func
from sqlalchemy import text as sql
from sqlmodel import SQLModel

from gateway.models.base import STRAY_IDS, Environment, identifier, moment, one_of, strays, table_of, text


class Customer(SQLModel, table=True):
    """A saved payer. `cpf` holds a CPF (11 digits) or a CNPJ (14 characters), or nothing."""

    __tablename__ = "customers"
    __table_args__ = (
        one_of("environment", Environment),
        # What is included lets a period be put in another order, or looked for in it, without reading the rows.
        Index("ix_customers_store", "user_id", "environment", "created_at", "id", postgresql_include=["updated_at"]),
        Index(
            "ix_customers_updated_at", "user_id", "environment", "updated_at", "id", postgresql_include=["created_at"]
        ),
        # Those that have changed since (ADR 0061).
        Index(
            *("ix_customers_stray_updated_at", "user_id", "environment", "updated_at", "id"),
            postgresql_include=["created_at"],
            postgresql_where=sql(strays("updated_at")),
        ),
        # Those whose ids are of another time (ADR 0067).
        Index(
            *("ix_customers_stray_id", "user_id", "environment", "created_at", "id"),
            postgresql_include=["name"],
            postgresql_where=sql(STRAY_IDS),
        ),
        # By bytes: migration 0030 says `COLLATE "C"`, which isn't told here since no comparison of
        # the two would find it there.
        Index(
            *("ix_customers_name", "user_id", "environment", sql("name_order(name)"), "id"),
            postgresql_include=["created_at", "name"],
        ),
        Index("ix_customers_email", "user_id", "environment", func.lower(sql("email")), "created_at", "id"),
        Index("ix_customers_cpf", "user_id", "environment", "cpf", postgresql_where=sql("cpf is not null")),
    )

    id: str = identifier(primary=True)
    user_id: str = identifier(references="users.id")
    environment: str = text()
    name: str = text()
    email: str | None = text(optional=True)
    cpf: str | None = text(optional=True)
    phone: str | None = text(optional=True)
    created_at: datetime = moment()
    updated_at: datetime = moment()


customers = table_of(Customer)
