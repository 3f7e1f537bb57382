"""A returning payer gets their pending charge; a reserved use reports its expiry."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import CPFS, a_coupon, a_link, a_product, payer, uses_of
from tests.fake_clock import MovedClock


async def pay(api: Api, slug: str, **changes: Any) -> Any:
    return await api.post(f"/checkout/link/{slug}/pay", payer(**changes))


async def txid_of(api: Api, slug: str, **changes: Any) -> str:
    answer = await pay(api, slug, **changes)
    assert answer.status_code == 201, answer.text
    txid: str = answer.json()["data"]["txid"]
    return txid


async def test_the_only_use_of_a_link_is_reserved_for_its_payer_until_it_expires(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    link = await a_link(merchant, max_uses=1)
    own = await txid_of(api, link["slug"])
    until = (clock.now() + timedelta(hours=24)).isoformat()
    clock.advance(timedelta(hours=3))
    assert await txid_of(api, link["slug"], email="MARIA@example.com") == own
    refused = await pay(api, link["slug"], cpf=CPFS[1])
    assert refused.status_code == 410
    error = refused.json()["error"]
    assert (error["codigo"], error["reservado_ate"]) == ("LINK_ENCERRADO", until)
    assert "reservados por cobranças pendentes até" in error["message"]
    assert (await api.get(f"/checkout/link/{link['slug']}")).json()["error"] == error
    mutation = "mutation($input: PayLinkInput!) { payLink(input: $input) { txid } }"
    person = {"customerName": "Maria", "customerEmail": "maria@example.com", "customerCpf": "529.982.247-25"}
    answer = await api.graphql(mutation, input={"slug": link["slug"], **person})
    assert answer["data"]["payLink"]["txid"] == own
    stranger = await api.graphql(mutation, input={"slug": link["slug"], **person, "customerEmail": "x@example.com"})
    assert stranger["errors"][0]["extensions"]["reservado_ate"] == until
    # After the payment the link stays exhausted.
    await api.post(f"/checkout/{own}/simular-pagamento")
    ended = (await pay(api, link["slug"])).json()["error"]
    assert ended == {"message": "Este link de pagamento foi encerrado.", "codigo": "LINK_ENCERRADO"}


async def test_the_first_expiry_of_several_reservations_is_reported(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    link = await a_link(merchant, max_uses=3, charge_expires_in_minutes=60)
    paid = await txid_of(api, link["slug"], cpf=CPFS[0])
    await api.post(f"/checkout/{paid}/simular-pagamento")
    await txid_of(api, link["slug"], cpf=CPFS[1])
    until = (clock.now() + timedelta(minutes=60)).isoformat()
    clock.advance(timedelta(minutes=10))
    await txid_of(api, link["slug"], cpf=CPFS[2])
    assert (await pay(api, link["slug"], cpf=CPFS[3])).json()["error"]["reservado_ate"] == until


async def test_an_expired_link_returns_pending_charges_and_an_inactive_one_none(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    link = await a_link(merchant, expires_at=(clock.now() + timedelta(hours=1)).isoformat())
    own = await txid_of(api, link["slug"])
    clock.advance(timedelta(hours=2))
    assert await txid_of(api, link["slug"]) == own
    assert (await pay(api, link["slug"], cpf=CPFS[1])).json()["error"] == {
        "message": "Este link de pagamento foi encerrado.",
        "codigo": "LINK_ENCERRADO",
    }
    await api.put(f"/payment-links/{link['id']}", {"active": False}, token=merchant.key)
    assert (await pay(api, link["slug"])).status_code == 404


async def test_a_changed_price_makes_a_new_charge_while_uses_remain(api: Api, merchant: Merchant) -> None:
    link, single = await a_link(merchant), await a_link(merchant, max_uses=1)
    before = [await txid_of(api, each["slug"]) for each in (link, single)]
    for each in (link, single):
        await api.put(f"/payment-links/{each['id']}", {"amount": 95}, token=merchant.key)
    fresh = (await pay(api, link["slug"])).json()["data"]
    assert (fresh["amount"], fresh["txid"] == before[0]) == (95.0, False)
    stored = (await pay(api, single["slug"])).json()["data"]
    assert (stored["amount"], stored["txid"]) == (80.0, before[1])


async def test_a_document_alone_reveals_nothing_about_the_payer(api: Api, merchant: Merchant) -> None:
    link, open_link = await a_link(merchant, max_uses=1), await a_link(merchant)
    own = [await txid_of(api, each["slug"]) for each in (link, open_link)]
    assert (await pay(api, link["slug"], email="intruso@example.com")).status_code == 410
    assert await txid_of(api, open_link["slug"], email="intruso@example.com") not in own
    assert (await pay(api, link["slug"], cpf=CPFS[1])).status_code == 410
    again = await pay(api, link["slug"])
    assert "maria@example.com" not in again.text
    assert "52998224725" not in again.text


async def test_a_reserved_coupon_reports_its_expiry(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    coupon = await a_coupon(merchant, max_uses_per_customer=1)
    product = await a_product(merchant)
    link, other = await a_link(merchant), await a_link(merchant)
    own = await txid_of(api, link["slug"], coupon_code="PROMO10")
    until = (clock.now() + timedelta(hours=24)).isoformat()
    clock.advance(timedelta(hours=5))
    assert await txid_of(api, link["slug"], coupon_code="promo10") == own
    refused = (await pay(api, other["slug"], coupon_code="PROMO10")).json()["error"]
    assert (refused["codigo"], refused["reservado_ate"]) == ("CUPOM_ESGOTADO", until)
    assert "em uso por uma cobrança pendente até" in refused["message"]
    order = {"product_id": product["id"], "coupon_code": "PROMO10", **payer()}
    person = {"customer_name": "Maria", "customer_email": "maria@example.com", "customer_cpf": CPFS[0]}
    refused = (await api.post("/pix", order | person, token=merchant.key)).json()["error"]
    assert (refused["codigo"], refused["reservado_ate"]) == ("CUPOM_ESGOTADO", until)
    assert refused["campos"] == [
        {"campo": "coupon_code", "mensagem": refused["message"][:1].lower() + refused["message"][1:-1]}
    ]
    # After the payment the use is not released.
    await api.post(f"/checkout/{own}/simular-pagamento")
    ended = (await pay(api, other["slug"], coupon_code="PROMO10")).json()["error"]
    assert (ended["message"], "reservado_ate" in ended) == (
        "Este cupom já foi usado o número máximo de vezes por este CPF ou CNPJ.",
        False,
    )
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1


async def test_validating_a_reserved_coupon_reports_the_reservation(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    await a_coupon(merchant, max_uses=1)
    link = await a_link(merchant)
    await txid_of(api, link["slug"], coupon_code="PROMO10")
    until = (clock.now() + timedelta(hours=24)).isoformat()
    for path in ("/coupons/validate?code=PROMO10&amount=50", f"/checkout/link/{link['slug']}/coupon?code=PROMO10"):
        error = (await api.get(path, token=merchant.key)).json()["error"]
        assert (error["codigo"], error["reservado_ate"]) == ("CUPOM_ESGOTADO", until)
        assert [fault["campo"] for fault in error["campos"]] == ["code"]


async def test_a_refusal_of_reserved_uses_is_not_stored_under_the_key(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    link = await a_link(merchant, max_uses=1, charge_expires_in_minutes=30)
    await txid_of(api, link["slug"])
    path, other = f"/checkout/link/{link['slug']}/pay", payer(cpf=CPFS[1])
    assert (await api.post(path, other, idempotency_key="k")).status_code == 410
    clock.advance(timedelta(minutes=31))
    assert (await api.post(path, other, idempotency_key="k")).status_code == 201


async def test_ten_concurrent_orders_of_a_payer_create_one_charge(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, max_uses=1, external_reference="pedido-9")
    answers = await asyncio.gather(*(pay(api, link["slug"]) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["data"]["txid"] for answer in answers}) == 1
    charges = (await api.get("/pix?external_reference=pedido-9", token=merchant.key)).json()["data"]
    assert len(charges) == 1


@pytest.mark.parametrize("status", ["expired", "canceled"])
async def test_an_ended_charge_is_not_returned(api: Api, merchant: Merchant, status: str, clock: MovedClock) -> None:
    link = await a_link(merchant, max_uses=2)
    first = await txid_of(api, link["slug"])
    charge = (await api.get(f"/pix/status?txid={first}", token=merchant.key)).json()["data"]
    if status == "expired":
        await api.post(f"/pix/{charge['id']}/expire", token=merchant.key)
    else:
        clock.advance(timedelta(hours=25))
    assert await txid_of(api, link["slug"]) != first
