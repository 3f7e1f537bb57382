"""Coupon discounts: the arithmetic, and every error."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import GatewayError, MinimumAmount
from gateway.resolvers.coupons.discount import discount_of, discounted_price, discounted_price_before_use
from gateway.values.money import CEILING, MINIMUM_CHARGE

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
AMOUNTS = st.integers(1, CEILING)


def coupon(**changes: Any) -> dict[str, Any]:
    return {
        "id": "a-coupon",
        "code": "PROMO",
        "discount_type": "percentage",
        "discount_value": 1000,
        "is_active": True,
        "starts_at": None,
        "expires_at": None,
        "max_uses": None,
        "uses_count": 0,
        "min_amount": None,
        "product_ids": [],
        **changes,
    }


@pytest.mark.parametrize(
    ("kind", "value", "amount", "discount"),
    [
        ("percentage", 1000, 10000, 1000),
        ("percentage", 1250, 100, 13),  # 12.5 centavos, half up.
        ("percentage", 1249, 100, 12),
        ("percentage", 3333, 10001, 3333),
        ("percentage", 10000, 777, 777),
        ("percentage", 1, 49, 0),
        ("percentage", 1, 5000, 1),  # half a centavo, up.
        ("fixed", 500, 10000, 500),
        ("fixed", 500, 300, 300),
    ],
)
def test_a_discount_is_rounded_half_up_and_never_more_than_the_amount(
    kind: str, value: int, amount: int, discount: int
) -> None:
    assert discount_of(kind, value, amount) == discount


@given(AMOUNTS, st.integers(1, 10000))
def test_a_percentage_equals_decimal_arithmetic(amount: int, value: int) -> None:
    exact = Decimal(amount) * Decimal(value) / Decimal(10000)
    assert discount_of("percentage", value, amount) == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


@given(AMOUNTS, st.sampled_from(["percentage", "fixed"]), st.integers(1, 10000))
def test_discount_and_remainder_add_up_to_the_amount(amount: int, kind: str, value: int) -> None:
    left = amount - discount_of(kind, value, amount)
    assert 0 <= left <= amount
    row = coupon(discount_type=kind, discount_value=value)
    if left < MINIMUM_CHARGE:
        with pytest.raises(MinimumAmount):
            discounted_price(row, amount, None, NOW)
    else:
        price = discounted_price(row, amount, None, NOW)
        assert (price.original, price.final, price.original - price.discount) == (amount, left, left)


@given(AMOUNTS, AMOUNTS, st.integers(1, 10000))
def test_a_larger_amount_is_never_discounted_less(amount: int, other: int, value: int) -> None:
    low, high = sorted((amount, other))
    assert discount_of("percentage", value, low) <= discount_of("percentage", value, high)
    assert discount_of("fixed", value, low) <= discount_of("fixed", value, high)


@pytest.mark.parametrize(
    ("changes", "codigo"),
    [
        ({"is_active": False}, "CUPOM_INATIVO"),
        ({"starts_at": NOW + timedelta(seconds=1)}, "CUPOM_NAO_INICIADO"),
        ({"expires_at": NOW}, "CUPOM_EXPIRADO"),
        ({"max_uses": 3, "uses_count": 3}, "CUPOM_ESGOTADO"),
        ({"max_uses": 3, "uses_count": 4}, "CUPOM_ESGOTADO"),
        ({"min_amount": 10001}, "CUPOM_NAO_APLICAVEL"),
        ({"product_ids": ["another"]}, "CUPOM_NAO_APLICAVEL"),
        ({"discount_value": 9501}, "VALOR_MINIMO"),
    ],
)
def test_each_refusal_has_its_code(changes: dict[str, Any], codigo: str) -> None:
    with pytest.raises(GatewayError) as refused:
        discounted_price(coupon(**changes), 10000, "product", NOW)
    assert (refused.value.codigo, refused.value.status) == (codigo, 400)
    assert refused.value.extra["campos"][0]["campo"] == "coupon_code"


def test_a_refusal_names_the_product_or_the_coupon() -> None:
    messages = []
    for product, changes in (
        ("product", {"product_ids": ["another"]}),
        (None, {"product_ids": ["another"]}),
        (None, {}),
    ):
        with pytest.raises(GatewayError) as refused:
            discounted_price(coupon(discount_value=9501, **changes), 10000, product, NOW)
        messages.append(refused.value.message)
    assert messages == [
        "Este cupom não vale para este produto.",
        "Este cupom só vale para alguns produtos.",
        "Com este cupom o total ficaria abaixo do mínimo de R$ 5,00.",
    ]
    result = "com este cupom o total ficaria abaixo do mínimo de R$ 5,00"
    assert refused.value.extra == {"campos": [{"campo": "coupon_code", "mensagem": result}], "valor_minimo": 5.0}


@pytest.mark.parametrize(
    ("changes", "codigo"),
    [
        ({"is_active": False}, "CUPOM_INATIVO"),
        ({"expires_at": NOW}, "CUPOM_EXPIRADO"),
        ({"product_ids": ["another"]}, "CUPOM_NAO_APLICAVEL"),
        ({"discount_value": 9501}, "VALOR_MINIMO"),
    ],
)
def test_an_exhausted_coupon_has_the_same_error_on_preview_and_redemption(changes: dict[str, Any], codigo: str) -> None:
    for check in (discounted_price, discounted_price_before_use):
        with pytest.raises(GatewayError) as refused:
            check(coupon(max_uses=1, uses_count=1, **changes), 10000, "product", NOW)
        assert refused.value.codigo == codigo


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"starts_at": NOW},
        {"expires_at": NOW + timedelta(microseconds=1)},
        {"max_uses": 3, "uses_count": 2},
        {"min_amount": 10000},
        {"product_ids": ["another", "product"]},
        {"discount_value": 9500},
    ],
)
def test_at_each_edge_the_coupon_still_applies(changes: dict[str, Any]) -> None:
    assert discounted_price(coupon(**changes), 10000, "product", NOW).coupon_code == "PROMO"


def test_before_use_the_price_ignores_the_uses() -> None:
    assert discounted_price_before_use(coupon(max_uses=1, uses_count=1), 10000, None, NOW).final == 9000
