"""Coupons over REST: fields, errors and deletion."""

from datetime import timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import Api, Merchant, charge_order
from tests.catalogue.fixtures import a_coupon, a_link, a_product, coupon_order
from tests.fake_clock import MovedClock
from tests.rows import put_charges


async def validate(merchant: Merchant, query: str) -> dict[str, Any]:
    answer: dict[str, Any] = (await merchant.api.get(f"/coupons/validate?{query}", token=merchant.key)).json()
    return answer


async def test_a_coupon_is_created_read_and_changed(api: Api, merchant: Merchant) -> None:
    coupon = await a_coupon(merchant, code=" promo-ç ", max_uses=5, expires_at="2099-01-01T00:00:00Z")
    assert (coupon["code"], coupon["discount_value"], coupon["uses_count"]) == ("PROMO-Ç", 10, 0)
    assert (coupon["is_active"], coupon["product_ids"], coupon["min_amount"]) == (True, [], None)
    path = f"/coupons/{coupon['id']}"
    changed = await api.put(
        path, {"discount_type": "fixed", "discount_value": 12.5, "max_uses": None, "expires_at": ""}, token=merchant.key
    )
    assert changed.status_code == 200
    current = (await api.get(path, token=merchant.key)).json()["data"]
    assert current == changed.json()["data"]
    assert (current["discount_value"], current["max_uses"], current["expires_at"]) == (12.5, None, None)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"code": ""}, "code"),
        ({"code": "DUAS PALAVRAS"}, "code"),
        ({"code": "x" * 65}, "code"),
        ({"discount_type": "half"}, "discount_type"),
        ({"discount_value": 0}, "discount_value"),
        ({"discount_value": 100.01}, "discount_value"),
        ({"discount_value": 1.234}, "discount_value"),
        ({"max_uses": 0}, "max_uses"),
        ({"max_uses": True}, "max_uses"),
        ({"max_uses": 1.5}, "max_uses"),
        ({"max_uses_per_customer": 3_000_000_000}, "max_uses_per_customer"),
        ({"min_amount": -1}, "min_amount"),
        ({"product_ids": ["x"]}, "product_ids.0"),
        ({"starts_at": "2030-01-01T00:00:00Z", "expires_at": "2030-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "amanhã"}, "expires_at"),
        ({"is_active": None}, "is_active"),
    ],
)
async def test_a_bad_field_is_named_and_nothing_is_created(
    api: Api, merchant: Merchant, changes: dict[str, Any], field: str
) -> None:
    refused = await api.post("/coupons", coupon_order(**changes), token=merchant.key)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    assert (await api.get("/coupons", token=merchant.key)).json()["data"] == []


async def test_products_that_are_not_the_store_s_are_not_found(api: Api, merchant: Merchant) -> None:
    own, other = await a_product(merchant), await a_product(await api.register_merchant())
    unknown = new_id()
    for ids, result in (
        ([unknown], f"Produto não encontrado: {unknown}."),
        ([own["id"], other["id"]], f"Produto não encontrado: {other['id']}."),
        ([unknown, own["id"], other["id"]], f"Produtos não encontrados: {unknown}, {other['id']}."),
    ):
        refused = await api.post("/coupons", coupon_order(product_ids=ids), token=merchant.key)
        assert (refused.status_code, refused.json()["error"]) == (404, {"message": result})
    assert (await api.get("/coupons", token=merchant.key)).json()["data"] == []


async def test_a_change_is_validated_with_the_stored_fields(api: Api, merchant: Merchant) -> None:
    coupon = await a_coupon(merchant, discount_type="fixed", discount_value=150, starts_at="2030-01-01T00:00:00Z")
    path = f"/coupons/{coupon['id']}"
    for change in ({"discount_type": "percentage"}, {"expires_at": "2029-01-01T00:00:00Z"}, {"code": None}):
        assert (await api.put(path, change, token=merchant.key)).status_code == 400
    both = {"discount_type": "percentage", "expires_at": "2029-01-01T00:00:00Z"}
    refused = await api.put(path, both, token=merchant.key)
    assert [result["campo"] for result in refused.json()["error"]["campos"]] == ["discount_value", "expires_at"]
    assert (await api.get(path, token=merchant.key)).json()["data"] == coupon


async def test_a_code_is_unique_in_its_store_and_environment(api: Api, merchant: Merchant) -> None:
    await a_coupon(merchant, code="NATAL")
    other = await a_coupon(merchant, code="PASCOA")
    repeated = await api.post("/coupons", coupon_order(code="natal"), token=merchant.key)
    assert (repeated.status_code, repeated.json()["error"]["codigo"]) == (409, "CUPOM_DUPLICADO")
    renamed = await api.put(f"/coupons/{other['id']}", {"code": "Natal"}, token=merchant.key)
    assert renamed.json()["error"]["codigo"] == "CUPOM_DUPLICADO"
    await a_coupon(await api.register_merchant(), code="NATAL")


async def test_validation_returns_the_price_or_the_reason(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    product = await a_product(merchant, price=33.33)
    start = clock.now() + timedelta(days=1)
    await a_coupon(merchant, code="DEZ", discount_value=12.5)
    await a_coupon(merchant, code="SO-UM", product_ids=[product["id"]])
    await a_coupon(merchant, code="GRANDE", min_amount=50)
    await a_coupon(merchant, code="FUTURO", starts_at=start.isoformat())
    await a_coupon(merchant, code="VELHO", expires_at=(clock.now() + timedelta(minutes=1)).isoformat())
    clock.advance(timedelta(minutes=2))
    await a_coupon(merchant, code="PARADO", is_active=False)
    await a_coupon(merchant, code="GASTO", max_uses=1)
    await merchant.issue(product_id=product["id"], coupon_code="GASTO")

    assert (await validate(merchant, "code=dez&amount=10.20"))["data"] == {
        "valid": True,
        "code": "DEZ",
        "discount_type": "percentage",
        "discount_value": 12.5,
        "original_amount": 10.2,
        "discount_amount": 1.28,  # 1.275, half up.
        "final_amount": 8.92,
    }
    usable = (await validate(merchant, "code=dez"))["data"]
    assert usable["valid"] is True
    assert {usable[name] for name in ("original_amount", "discount_amount", "final_amount")} == {None}
    by_product = (await validate(merchant, f"code=SO-UM&product_id={product['id']}"))["data"]
    assert (by_product["original_amount"], by_product["final_amount"]) == (33.33, 30.0)
    refusals = {
        "code=SO-UM&amount=100": "CUPOM_NAO_APLICAVEL",
        "code=GRANDE&amount=49.99": "CUPOM_NAO_APLICAVEL",
        "code=FUTURO&amount=50": "CUPOM_NAO_INICIADO",
        "code=VELHO&amount=50": "CUPOM_EXPIRADO",
        "code=PARADO&amount=50": "CUPOM_INATIVO",
        "code=DEZ&amount=5": "VALOR_MINIMO",
        "code=FUTURO": "CUPOM_NAO_INICIADO",
        "code=VELHO": "CUPOM_EXPIRADO",
        "code=PARADO": "CUPOM_INATIVO",
        "code=GASTO": "CUPOM_ESGOTADO",
    }
    for query, codigo in refusals.items():
        response = await api.get(f"/coupons/validate?{query}", token=merchant.key)
        assert (response.status_code, response.json()["error"]["codigo"]) == (400, codigo), query
        assert [result["campo"] for result in response.json()["error"]["campos"]] == ["code"], (
            "the field name of the caller"
        )
    assert (await api.get("/coupons/validate?code=NADA&amount=50", token=merchant.key)).status_code == 404
    for query in ("", "code=DEZ&amount=abc", "amount=10", f"code=DEZ&product_id={'x' * 10}"):
        assert (await api.get(f"/coupons/validate?{query}", token=merchant.key)).status_code == 400, query
    clock.advance(timedelta(days=1))
    assert (await validate(merchant, "code=FUTURO&amount=50"))["data"]["final_amount"] == 45.0


@pytest.mark.parametrize("amount", [None, 40.0])
async def test_no_coupon_is_valid_for_an_unavailable_product(merchant: Merchant, amount: float | None) -> None:
    product = await a_product(merchant, active=False)
    await a_coupon(merchant, code="DEZ")
    params = {"code": "DEZ", "product_id": product["id"]} | ({} if amount is None else {"amount": amount})
    order = charge_order(product_id=product["id"], coupon_code="DEZ")
    refused = (await merchant.api.post("/pix", order, token=merchant.key)).json()["error"]
    results = [
        await by_rest(merchant.api, "coupons.validate", params, merchant.key),
        await by_graphql(merchant.api, "validateCoupon", params, merchant.key),
    ]
    assert [(one.status, one.codigo, one.message) for one in results] == [(404, None, refused["message"])] * 2
    await merchant.api.put(f"/products/{product['id']}", {"active": True}, token=merchant.key)
    assert (await by_rest(merchant.api, "coupons.validate", params, merchant.key)).status == 200


@pytest.mark.parametrize("api_kind", ["rest", "graphql"])
async def test_a_returned_coupon_can_be_sent_back(api: Api, merchant: Merchant, api_kind: str) -> None:
    """A deleted product of the coupon is accepted; another unknown product is an error."""
    gone, other, never = [await a_product(merchant, sku=f"SKU-{n}") for n in range(3)]
    coupon = await a_coupon(merchant, product_ids=[gone["id"], other["id"]])
    for product in (gone, never):
        assert (await api.delete(f"/products/{product['id']}", token=merchant.key)).status_code == 200
    current = (await api.get(f"/coupons/{coupon['id']}", token=merchant.key)).json()["data"]["product_ids"]
    assert gone["id"] in current

    async def saved(product_ids: list[str]) -> Outcome:
        raw = {"id": coupon["id"], "description": "x", "product_ids": product_ids}
        if api_kind == "rest":
            return await by_rest(api, "coupons.update", raw, merchant.key)
        return await by_graphql(api, "updateCoupon", raw, merchant.key)

    assert (await saved(current)).data["product_ids"] == current
    refused = await saved([*current, never["id"]])
    assert (refused.status, refused.message) == (404, f"Produto não encontrado: {never['id']}.")


async def test_deleting_clears_charges_and_links_in_one_transaction(api: Api, merchant: Merchant) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant)
    link = await a_link(merchant, coupon_id=coupon["id"])
    charge = await merchant.issue(product_id=product["id"], coupon_code="PROMO10")
    gone = await api.delete(f"/coupons/{coupon['id']}", token=merchant.key)
    assert gone.json()["data"]["desvinculados"] == {"charges.coupon_id": 1, "payment_links.coupon_id": 1}
    stored = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert (stored["coupon_id"], stored["coupon_code"], stored["discount_amount"]) == (None, "PROMO10", 10.0)
    assert (await api.get(f"/payment-links/{link['id']}", token=merchant.key)).json()["data"]["coupon_id"] is None


async def test_one_with_too_many_references_is_not_deleted(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant)
    await put_charges(database, merchant.id, [{"coupon_id": coupon["id"]}] * 501, now=clock.now())
    error = (await api.delete(f"/coupons/{coupon['id']}", token=merchant.key)).json()["error"]
    assert (error["codigo"], error["referencias"], error["limite"]) == ("MUITAS_REFERENCIAS", 501, 500)
    assert "este cupom; em vez disso, desative-o" in error["message"]
    assert (await api.get(f"/coupons/{coupon['id']}", token=merchant.key)).json()["data"] == coupon


async def test_both_transports_respond_alike(api: Api, merchant: Merchant) -> None:
    mutation = """mutation($input: CreateCouponInput!) {
      createCoupon(input: $input) { id code discountType discountValue minAmount productIds isActive } }"""
    order = {"code": "gql", "discountType": "percentage", "discountValue": 12.5, "minAmount": 20}
    made = (await api.graphql(mutation, token=merchant.key, input=order))["data"]["createCoupon"]
    rest = (await api.get(f"/coupons/{made['id']}", token=merchant.key)).json()["data"]
    assert made == {
        "id": rest["id"],
        "code": "GQL",
        "discountType": "percentage",
        "discountValue": 12.5,
        "minAmount": 20.0,
        "productIds": [],
        "isActive": True,
    }
    assert (rest["discount_value"], rest["min_amount"]) == (12.5, 20.0)
    again = (await api.graphql(mutation, token=merchant.key, input=order))["errors"][0]["extensions"]
    assert (again["codigo"], again["status"]) == ("CUPOM_DUPLICADO", 409)
    query = '{ validateCoupon(code: "gql", amount: 10) { finalAmount } coupons { totalCount edges { node { code } } } }'
    answer = await api.graphql(query, token=merchant.key)
    assert answer["errors"][0]["extensions"]["codigo"] == "CUPOM_NAO_APLICAVEL"
    query = query.replace("10", "100")
    assert (await api.graphql(query, token=merchant.key))["data"] == {
        "validateCoupon": {"finalAmount": 87.5},
        "coupons": {"totalCount": 1, "edges": [{"node": {"code": "GQL"}}]},
    }
