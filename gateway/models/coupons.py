"""Discount codes of a store."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Boolean, Integer, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import SQLModel

from gateway.models.base import column, money_column, table_of, text_column, timestamp_column, uuid_column


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

    id: str = uuid_column(primary=True)
    user_id: str = uuid_column(references="users.id")
    environment: str = text_column()
    code: str = text_column()
    description: str | None = text_column(optional=True)
    discount_type: str = text_column()
    discount_value: int = column(BigInteger)
    max_uses: int | None = column(Integer, optional=True)
    max_uses_per_customer: int | None = column(Integer, optional=True)
    uses_count: int = column(Integer, default="0")
    min_amount: int | None = money_column(optional=True)
    product_ids: list[str] = column(ARRAY(Uuid(as_uuid=False)), default="{}")
    starts_at: datetime | None = timestamp_column(optional=True)
    expires_at: datetime | None = timestamp_column(optional=True)
    is_active: bool = column(Boolean, default="true")
    created_at: datetime = timestamp_column()
    updated_at: datetime = timestamp_column()


coupons = table_of(Coupon)
