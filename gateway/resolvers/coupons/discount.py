"""What a coupon does to an amount, and the reasons for which it does nothing. Pure: a
row, an amount and a moment in.
"""

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

LEAVES_TOO_LITTLE = "Com este cupom o total ficaria abaixo do mínimo de R$ 5,00."
OTHER_PRODUCTS = "Este cupom não vale para este produto."
SOME_PRODUCTS = "Este cupom só vale para alguns produtos."
CouponRow = Mapping[str, Any]
"""The columns of a coupon that are judged here, by their names."""


class Price(Struct, frozen=True):
    """What is paid, in centavos, and by which coupon it became less."""

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


def discounted(coupon: CouponRow, amount: int, product_id: str | None, now: datetime) -> Price:
    """The price with the coupon. Raises `CouponRefused` with the reason, or
    `MinimumAmount` where too little is left.
    """
    price = promised(coupon, amount, product_id, now)
    # Last, as where a use is taken: one coupon is refused with one code, whoever asks.
    if used_up(coupon):
        raise CouponExhausted
    return price


def promised(coupon: CouponRow, amount: int, product_id: str | None, now: datetime) -> Price:
    """The price with the coupon if a use of it can be had, which issuing finds out under the coupon's lock. Raises as
    `discounted` does.
    """
    refuse_unusable(coupon, now)
    _refuse_inapplicable(coupon, amount, product_id)
    discount = discount_of(coupon["discount_type"], coupon["discount_value"], amount)
    if amount - discount < MINIMUM_CHARGE:
        raise MinimumAmount("coupon_code", message=LEAVES_TOO_LITTLE)
    return Price(amount, discount, coupon["id"], coupon["code"])


def left_by(coupon: CouponRow, amount: int, product_id: str | None) -> int:
    """What the coupon leaves of an amount while it can be used, in centavos; all of it where it doesn't apply. Its
    window and its uses come and go, so that they say nothing here.
    """
    try:
        _refuse_inapplicable(coupon, amount, product_id)
    except CouponNotApplicable:
        return amount
    return amount - discount_of(coupon["discount_type"], coupon["discount_value"], amount)


def refuse_unusable(coupon: CouponRow, now: datetime) -> None:
    """Raise what keeps the coupon from being used now: it is switched off, or outside its window."""
    if not coupon["is_active"]:
        raise CouponInactive
    if coupon["starts_at"] is not None and now < coupon["starts_at"]:
        raise CouponNotStarted
    if coupon["expires_at"] is not None and now >= coupon["expires_at"]:
        raise CouponExpired


def used_up(limited: Mapping[str, Any]) -> bool:
    """Whether all uses of a coupon or of a payment link are held."""
    return limited["max_uses"] is not None and limited["uses_count"] >= limited["max_uses"]


def _refuse_inapplicable(coupon: CouponRow, amount: int, product_id: str | None) -> None:
    if coupon["product_ids"] and product_id not in coupon["product_ids"]:
        raise CouponNotApplicable(OTHER_PRODUCTS if product_id else SOME_PRODUCTS)
    minimum = coupon["min_amount"]
    if minimum is not None and amount < minimum:
        raise CouponNotApplicable(f"Este cupom vale para compras a partir de {format_brl(minimum)}.")
