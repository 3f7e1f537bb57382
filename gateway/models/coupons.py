"""Discount codes of a store."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field, SQLModel

from gateway.models.base import (
    Environment,
    money_column,
    not_negative,
    one_of,
    table_of,
    text_column,
    timestamp_column,
    uuid_column,
)


class DiscountType(StrEnum):
    """How a coupon's `discount_value` is read."""

    percentage = "percentage"
    fixed = "fixed"


class Coupon(SQLModel, table=True):
    """A coupon. `discount_value` is hundredths: of one per cent, or of one real, as `discount_type` says.

    `uses_count` counts the uses of issuances in progress, pending charges and paid charges
    (gateway.resolvers.charges.redemptions). A payment after its charge expired may exceed `max_uses`. `product_ids` may
    hold deleted products: an emptied list would make the coupon apply to everything.
    """

    __tablename__ = "coupons"
    __table_args__ = (
        one_of("environment", Environment),
        one_of("discount_type", DiscountType),
        CheckConstraint(
            "discount_value > 0 and (discount_type <> 'percentage' or discount_value <= 10000)", name="discount_value"
        ),
        CheckConstraint("max_uses > 0", name="max_uses"),
        CheckConstraint("max_uses_per_customer > 0", name="max_uses_per_customer"),
        CheckConstraint("starts_at < expires_at", name="window"),
        not_negative("uses_count"),
        not_negative("min_amount"),
        Index("uq_coupons_code", "user_id", "environment", "code", unique=True),
        Index("ix_coupons_store", "user_id", "environment", "created_at", "id"),
    )

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    code: str = text_column()
    description: str | None = text_column(optional=True)
    discount_type: str = text_column()
    discount_value: int = Field(sa_column=Column(BigInteger, nullable=False))
    max_uses: int | None = Field(default=None, sa_column=Column(Integer, nullable=True))
    max_uses_per_customer: int | None = Field(default=None, sa_column=Column(Integer, nullable=True))
    uses_count: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    min_amount: int | None = money_column(optional=True)
    product_ids: list[str] = Field(sa_column=Column(ARRAY(Uuid(as_uuid=False)), nullable=False, server_default="{}"))
    starts_at: datetime | None = timestamp_column(optional=True)
    expires_at: datetime | None = timestamp_column(optional=True)
    is_active: bool = Field(sa_column=Column(Boolean, nullable=False, server_default="true"))
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


coupons = table_of(Coupon)
