"""The price with a coupon, and the reasons to refuse one. Pure functions of a row, an amount and a timestamp."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from msgspec import Struct

from gateway.errors import (
    CouponExhausted,
    CouponExpired,
    CouponInactive,
    CouponNotApplicable,
    CouponNotStarted,
    MinimumAmount,
)
from gateway.models.coupons import DiscountType
from gateway.values.money import MINIMUM_CHARGE, Centavos, format_brl, percentage_of

BELOW_MINIMUM_WITH_COUPON = "Com este cupom o total ficaria abaixo do mínimo de R$ 5,00."
OTHER_PRODUCTS = "Este cupom não vale para este produto."
SOME_PRODUCTS = "Este cupom só vale para alguns produtos."
CouponRow = Mapping[str, Any]
"""The columns of a coupon that these functions read, by name."""


class Price(Struct, frozen=True):
    """What is paid, in centavos, and the coupon that reduced it."""

    original: int
    discount: int = 0
    coupon_id: str | None = None
    coupon_code: str | None = None

    @property
    def final(self) -> int:
        return self.original - self.discount


def discount_of(kind: DiscountType | str, value: int, amount: int) -> Centavos:
    """The discount on `amount`, in centavos, half up, never more than the amount. `value` is in hundredths: of one per
    cent for a percentage, of one real for a fixed discount.
    """
    if kind == DiscountType.percentage:
        return percentage_of(amount, Decimal(value) / 100)
    return Centavos(min(value, amount))


def discounted_price(coupon: CouponRow, amount: int, product_id: str | None, now: datetime) -> Price:
    """The price with the coupon. Raises `CouponRefused` with the reason, or `MinimumAmount` if too little remains."""
    price = discounted_price_before_use(coupon, amount, product_id, now)
    # Checked last, as in redeeming a use, so that both refuse a coupon with the same code.
    if used_up(coupon):
        raise CouponExhausted
    return price


def discounted_price_before_use(coupon: CouponRow, amount: int, product_id: str | None, now: datetime) -> Price:
    """The price with the coupon, without the check of `max_uses`: issuing checks it under the coupon's lock. Raises as
    `discounted_price` does.
    """
    refuse_unusable(coupon, now)
    _refuse_inapplicable(coupon, amount, product_id)
    discount = discount_of(coupon["discount_type"], coupon["discount_value"], amount)
    if amount - discount < MINIMUM_CHARGE:
        raise MinimumAmount("coupon_code", message=BELOW_MINIMUM_WITH_COUPON)
    return Price(amount, discount, coupon["id"], coupon["code"])


def remaining_amount(coupon: CouponRow, amount: int, product_id: str | None) -> int:
    """The amount after the discount, in centavos, or all of it if the coupon doesn't apply. Ignores the coupon's dates
    and uses, which change over time.
    """
    try:
        _refuse_inapplicable(coupon, amount, product_id)
    except CouponNotApplicable:
        return amount
    return amount - discount_of(coupon["discount_type"], coupon["discount_value"], amount)


def refuse_unusable(coupon: CouponRow, now: datetime) -> None:
    """Raise `CouponRefused` if the coupon is switched off or outside its dates."""
    if not coupon["is_active"]:
        raise CouponInactive
    if coupon["starts_at"] is not None and now < coupon["starts_at"]:
        raise CouponNotStarted
    if coupon["expires_at"] is not None and now >= coupon["expires_at"]:
        raise CouponExpired


def used_up(limited: Mapping[str, Any]) -> bool:
    """Whether all uses of a coupon or of a payment link are taken."""
    return limited["max_uses"] is not None and limited["uses_count"] >= limited["max_uses"]


def _refuse_inapplicable(coupon: CouponRow, amount: int, product_id: str | None) -> None:
    if coupon["product_ids"] and product_id not in coupon["product_ids"]:
        raise CouponNotApplicable(OTHER_PRODUCTS if product_id else SOME_PRODUCTS)
    minimum = coupon["min_amount"]
    if minimum is not None and amount < minimum:
        raise CouponNotApplicable(f"Este cupom vale para compras a partir de {format_brl(minimum)}.")
