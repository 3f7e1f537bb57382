"""Public payment pages of a store."""

from datetime import datetime

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer
from sqlalchemy import text as sql
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    json_object,
    money_column,
    not_negative,
    one_of,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class PaymentLink(SQLModel, table=True):
    """A payment link. Its charges are created in its environment. `uses_count` counts as a coupon's does."""

    __tablename__ = "payment_links"
    __table_args__ = (
        one_of("environment", Environment),
        CheckConstraint("amount > 0", name="amount"),
        CheckConstraint("max_uses > 0", name="max_uses"),
        CheckConstraint("charge_expires_in_minutes > 0", name="charge_expires_in_minutes"),
        not_negative("uses_count"),
        Index("uq_payment_links_slug", "slug", unique=True),
        Index("ix_payment_links_store", "user_id", "environment", "created_at", "id"),
        Index("ix_payment_links_product", "product_id", postgresql_where=sql("product_id is not null")),
        Index("ix_payment_links_coupon", "coupon_id", postgresql_where=sql("coupon_id is not null")),
        Index(
            *("ix_payment_links_reference", "user_id", "environment", "external_reference"),
            postgresql_where=sql("external_reference is not null"),
        ),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    slug: str = text_column()
    title: str | None = text_column(optional=True)
    description: str | None = text_column(optional=True)
    amount: int = money_column()
    product_id: str | None = uuid_column(references="products.id", optional=True)
    coupon_id: str | None = uuid_column(references="coupons.id", optional=True)
    allow_coupons: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    active: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    expires_at: datetime | None = timestamp_column(optional=True)
    max_uses: int | None = Field(default=None, sa_column=Column(Integer, nullable=True))
    uses_count: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    success_url: str | None = text_column(optional=True)
    cancel_url: str | None = text_column(optional=True)
    charge_expires_in_minutes: int = Field(sa_column=Column(Integer, nullable=False, server_default="1440"))
    external_reference: str | None = text_column(optional=True)
    metadata_: dict[str, str] = json_object("metadata")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


payment_links = table_of(PaymentLink)
