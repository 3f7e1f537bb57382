"""What a store sells."""

from datetime import datetime

from sqlalchemy import Boolean, CheckConstraint, Column, Index, func
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    json_object,
    money_column,
    one_of,
    search_column,
    search_index,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class Product(SQLModel, table=True):
    """A product with one price, in centavos. A `sku` is unique in its store and environment, in any letter case."""

    __tablename__ = "products"
    __table_args__ = (
        one_of("environment", Environment),
        CheckConstraint("price > 0", name="price"),
        Index(
            "uq_products_sku",
            "user_id",
            "environment",
            func.lower(sql("sku")),
            unique=True,
            postgresql_where=sql("sku is not null"),
        ),
        Index("ix_products_created_at", "user_id", "environment", "created_at", "id"),
        search_index("products"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    name: str = text_column()
    description: str | None = text_column(optional=True)
    price: int = money_column()
    sku: str | None = text_column(optional=True)
    image_url: str | None = text_column(optional=True)
    active: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    external_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    search: str = search_column("name", "sku", "description", "external_reference", "id::text")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


products = table_of(Product)
