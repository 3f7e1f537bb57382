"""`POST /pix` with a product: price, coupon, and saved customer."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api_client import PAYER, Api, Merchant
from tests.catalogue.fixtures import a_coupon, a_product
from tests.fake_clock import MovedClock


async def test_the_price_is_always_the_products(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    product = await a_product(merchant, price=149.9)
    response = await api.post("/pix", {"product_id": product["id"], "amount": 0.01, **PAYER}, token=merchant.key)
    assert response.status_code == 201
    charge = response.json()["data"]
    assert (charge["amount"], charge["original_amount"], charge["discount_amount"]) == (149.9, 149.9, 0.0)
    assert (charge["description"], charge["product_id"]) == ("Curso de violão", product["id"])
    assert (charge["coupon_id"], charge["coupon_code"], charge["customer_id"]) == (None, None, None)
    assert datetime.fromisoformat(charge["expires_at"]) == clock.now() + timedelta(hours=24)


@pytest.mark.parametrize("amount", ["muito", -5, 1.999, True, None, 10_000_000])
async def test_an_amount_with_a_product_is_not_read(merchant: Merchant, amount: object) -> None:
    product = await a_product(merchant, price=149.9)
    assert (await merchant.issue(product_id=product["id"], amount=amount))["amount"] == 149.9
    issue = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { amount } }"
    person = {"customerName": "J", "customerEmail": "j@example.com", "customerCpf": "529.982.247-25"}
    order = {"productId": product["id"], "amount": amount, **person}
    answer = await merchant.api.graphql(issue, token=merchant.key, input=order)
    assert answer["data"]["issueCharge"]["amount"] == 149.9


async def test_a_coupon_discounts_the_price_and_is_named(merchant: Merchant) -> None:
    product = await a_product(merchant, price=33.35)
    coupon = await a_coupon(merchant, discount_value=10)
    charge = await merchant.issue(product_id=product["id"], coupon_code=" promo10 ", description="Aula de sábado")
    assert (charge["original_amount"], charge["discount_amount"], charge["amount"]) == (33.35, 3.34, 30.01)
    assert (charge["coupon_id"], charge["coupon_code"]) == (coupon["id"], "PROMO10")
    assert charge["description"] == "Aula de sábado"


async def test_a_missing_inactive_or_foreign_product_is_not_found(api: Api, merchant: Merchant) -> None:
    inactive = await a_product(merchant, active=False)
    foreign = await a_product(await api.register_merchant())
    for product_id in (inactive["id"], foreign["id"], "018f0000-0000-7000-8000-000000000000", "7"):
        response = await api.post("/pix", {"product_id": product_id, **PAYER}, token=merchant.key)
        assert response.status_code == 404
        assert response.json() == {"error": {"message": "Produto não encontrado."}}
    assert (await api.get("/pix", token=merchant.key)).json()["data"] == []


async def test_a_refused_request_writes_nothing(api: Api, merchant: Merchant) -> None:
    cheap, product = await a_product(merchant, price=4.99), await a_product(merchant)
    await a_coupon(merchant, code="QUASE", discount_type="fixed", discount_value=95.01, max_uses=1)
    await a_coupon(merchant, code="OFF", is_active=False)
    exhausted = await a_coupon(merchant, code="FIM", max_uses=1)
    await merchant.issue(product_id=product["id"], coupon_code="FIM")
    orders: list[tuple[dict[str, Any], int, str | None]] = [
        ({"product_id": cheap["id"], **PAYER}, 400, "VALOR_MINIMO"),
        ({"product_id": product["id"], "coupon_code": "QUASE", **PAYER}, 400, "VALOR_MINIMO"),
        ({"product_id": product["id"], "coupon_code": "OFF", **PAYER}, 400, "CUPOM_INATIVO"),
        ({"product_id": product["id"], "coupon_code": "NADA", **PAYER}, 404, None),
        ({"product_id": product["id"], "coupon_code": "FIM", "novo_cliente": True, **PAYER}, 400, "CUPOM_ESGOTADO"),
        ({"product_id": product["id"]}, 400, None),
        (
            {"product_id": product["id"], **PAYER, "novo_cliente": True, "expires_at": "2001-01-01"},
            400,
            "EXPIRACAO_INVALIDA",
        ),
    ]
    for order, status, codigo in orders:
        response = await api.post("/pix", order, token=merchant.key)
        assert (response.status_code, response.json()["error"].get("codigo")) == (status, codigo)
    assert len((await api.get("/pix", token=merchant.key)).json()["data"]) == 1
    assert (await api.get("/customers", token=merchant.key)).json()["data"] == []
    coupons = (await api.get("/coupons", token=merchant.key)).json()["data"]
    assert {coupon["id"] for coupon in coupons if coupon["uses_count"]} == {exhausted["id"]}


async def test_novo_cliente_saves_the_payer_once(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant)
    orders = [merchant.issue(product_id=product["id"], novo_cliente=True) for _ in range(6)]
    charges = await asyncio.gather(*orders)
    customers = (await api.get("/customers", token=merchant.key)).json()["data"]
    assert [customer["cpf"] for customer in customers] == ["52998224725"]
    assert {charge["customer_id"] for charge in charges} == {customers[0]["id"]}


async def test_novo_cliente_finds_the_customer_by_document_and_does_not_change_it(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant)
    known = {"name": "José da Silva", "cpf": "529.982.247-25"}
    saved = (await api.post("/customers", known, token=merchant.key)).json()["data"]
    charge = await merchant.issue(product_id=product["id"], novo_cliente=True)
    assert (charge["customer_id"], charge["customer_name"]) == (saved["id"], "José Pagador")
    assert (await api.get("/customers", token=merchant.key)).json()["data"] == [saved]


async def test_manual_mode_reports_ignored_fields(api: Api, merchant: Merchant) -> None:
    order = {"amount": 10, "description": "x", "coupon_code": "PROMO10", "novo_cliente": True, **PAYER}
    response = await api.post("/pix", order, token=merchant.key)
    assert response.status_code == 201
    assert "cupom" in response.json()["aviso"]
    assert "novo_cliente" in response.json()["aviso"]
    assert response.json()["data"]["customer_id"] is None


async def test_a_directly_registered_charge_reports_ignored_fields(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant, price=149.9)
    order = {"amount": 10, "description": "x", **PAYER}
    extra = {"coupon_code": "PROMO10", "novo_cliente": True, "product_id": product["id"]}
    plain = await api.post("/charges", order, token=merchant.key)
    assert (plain.status_code, plain.json().get("aviso")) == (201, None)
    issued = await api.post("/pix", {**order, "coupon_code": "PROMO10", "novo_cliente": True}, token=merchant.key)
    same = await api.post("/charges", {**order, "coupon_code": "PROMO10", "novo_cliente": True}, token=merchant.key)
    assert (same.status_code, same.json()["aviso"]) == (201, issued.json()["aviso"])
    result = await api.post("/charges", {**order, **extra}, token=merchant.key)
    assert result.status_code == 201
    assert result.json()["aviso"].startswith("O product_id foi ignorado: ")
    charge = result.json()["data"]
    assert (charge["amount"], charge["product_id"], charge["coupon_code"]) == (10.0, None, None)
    assert charge["customer_id"] is None
    register = "mutation($input: RegisterChargeInput!) { registerCharge(input: $input) { amount } }"
    person = {"customerName": "J", "customerEmail": "j@example.com", "customerCpf": "529.982.247-25"}
    params = {"couponCode": "PROMO10", "novoCliente": True, "productId": product["id"]}
    answer = await api.graphql(
        register, token=merchant.key, input={"amount": 10, "description": "x", **person, **params}
    )
    assert answer["extensions"]["aviso"] == result.json()["aviso"]
