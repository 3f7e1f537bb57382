"""Public payment pages of a store."""

from datetime import datetime

from sqlalchemy import Boolean, Integer
from sqlmodel import SQLModel

from gateway.models.base import column, json_object, money_column, table_of, text_column, timestamp_column, uuid_column


class PaymentLink(SQLModel, table=True):
    """A payment link. Its charges are created in its environment. `uses_count` counts as a coupon's does."""

    __tablename__ = "payment_links"

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    slug: str = text_column()
    title: str | None = text_column(optional=True)
    description: str | None = text_column(optional=True)
    amount: int = money_column()
    product_id: str | None = uuid_column(references="products.id", optional=True)
    coupon_id: str | None = uuid_column(references="coupons.id", optional=True)
    allow_coupons: bool = column(Boolean, default="true")
    active: bool = column(Boolean, default="true")
    expires_at: datetime | None = timestamp_column(optional=True)
    max_uses: int | None = column(Integer, optional=True)
    uses_count: int = column(Integer, default="0")
    success_url: str | None = text_column(optional=True)
    cancel_url: str | None = text_column(optional=True)
    charge_expires_in_minutes: int = column(Integer, default="1440")
    external_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


payment_links = table_of(PaymentLink)
