"""What a store sells."""

from datetime import datetime

from sqlalchemy import Boolean
from sqlmodel import SQLModel

from gateway.models.base import (
    column,
    json_object,
    money_column,
    search_column,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class Product(SQLModel, table=True):
    """A product with one price, in centavos. A `sku` is unique in its store and environment, in any letter case."""

    __tablename__ = "products"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    name: str = text_column()
    description: str | None = text_column(optional=True)
    price: int = money_column()
    sku: str | None = text_column(optional=True)
    image_url: str | None = text_column(optional=True)
    active: bool = column(Boolean, default="true")
    external_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    search: str = search_column("name", "sku", "description", "external_reference", "id::text")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


products = table_of(Product)
