"""The public checkout over REST and GraphQL: public fields and hidden fields."""

import asyncio
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import bindparam, select, update

from gateway.checkout.charge_page import return_url
from gateway.errors import NotFound
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.accounts import users
from gateway.models.audit import audit_pending
from gateway.models.base import Environment
from gateway.models.database import Database, Statement
from gateway.resolvers.checkout.update_contact import update_contact
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Context, Services, system_context
from tests import sql
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import CPFS, a_coupon, a_link, a_product, link_order, payer, uses_of
from tests.fake_clock import MovedClock
from tests.sql import value

APPROVE = Statement(update(users).where(users.c.id == bindparam("id_")).values(production_status=bindparam("status")))
CHARGE_RECORDS = Statement(
    select(audit_pending)
    .where(audit_pending.c.resource_type == "charge")
    .order_by(audit_pending.c.created_at, audit_pending.c.record_id)
)
SECRETS = ("maria@example.com", "52998224725", "529.982.247-25", "11987654321", "11222333000181", "11.222.333/0001-81")


async def pay(api: Api, slug: str, **changes: Any) -> dict[str, Any]:
    response = await api.post(f"/checkout/link/{slug}/pay", payer(**changes))
    assert response.status_code == 201, response.text
    charge: dict[str, Any] = response.json()["data"]
    return charge


def in_store(services: Services, merchant: Merchant) -> Context:
    """An anonymous call in the merchant's test store."""
    anonymous = Actor(Credential.none, Environment.test, store_id=merchant.id)
    return system_context(services, source="checkout", request_id="corrected").with_actor(anonymous)


async def a_live_link(merchant: Merchant, database: Database) -> dict[str, Any]:
    """A link created while its owner was approved for live."""
    await database.run(APPROVE, id_=merchant.id, status="approved")
    session = await merchant.api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    token = session.json()["data"]["accessToken"]
    response = await merchant.api.post("/payment-links", link_order(), token=token)
    assert response.status_code == 201
    link: dict[str, Any] = response.json()["data"]
    return link


async def test_a_payer_sees_the_link_its_product_and_its_store(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant, price=120, description="Doze aulas", image_url="https://loja.example/v.png")
    link = await a_link(merchant, product_id=product["id"], cancel_url="https://loja.example/volta")
    seen = await api.get(f"/checkout/link/{link['slug'].upper()}")
    assert seen.status_code == 200
    assert seen.json()["data"] == {
        "slug": link["slug"],
        "title": "Aula avulsa",
        "description": None,
        "amount": 120.0,
        "discount_amount": 0.0,
        "final_amount": 120.0,
        "coupon_code": None,
        "environment": "test",
        "allow_coupons": True,
        "expires_at": None,
        "success_url": None,
        "cancel_url": "https://loja.example/volta",
        "product": {"name": "Curso de violão", "description": "Doze aulas", "image_url": "https://loja.example/v.png"},
        "store": {"name": "Loja da Ana", "document": "11.***.***/0001-**"},
    }


async def test_from_link_to_receipt_without_any_credential(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    link = await a_link(merchant, success_url="https://loja.example/ok", charge_expires_in_minutes=30)
    charge = await pay(api, link["slug"], phone="(11) 98765-4321")
    assert (charge["status"], charge["amount"], charge["seconds_left"]) == ("pending", 80.0, 1800)
    assert charge["checkout_url"] == f"http://gateway.test/pay/c/{charge['txid']}"
    assert charge["qr_code_url"].startswith("data:image/png;base64,")
    assert (charge["customer_name"], charge["customer_cpf"]) == ("Maria Pagadora", "***.982.247-**")
    assert (charge["link_slug"], charge["description"]) == (link["slug"], "Aula avulsa")

    clock.advance(timedelta(seconds=90))
    assert (await api.get(f"/checkout/{charge['txid']}")).json()["data"] == charge | {"seconds_left": 1710}
    paid = (await api.post(f"/checkout/{charge['txid']}/simular-pagamento")).json()["data"]
    assert (paid["status"], paid["seconds_left"], paid["pix_code"], paid["qr_code_url"]) == ("paid", 0, None, None)
    assert (paid["store_name"], paid["store_document"]) == ("Loja da Ana", "11.***.***/0001-**")
    assert paid["receipt_url"] == charge["checkout_url"]
    assert (await api.get(f"/checkout/{charge['txid']}")).json()["data"] == paid
    again = await api.post(f"/checkout/{charge['txid']}/simular-pagamento", {})
    assert (again.status_code, again.json()["data"]) == (200, paid)

    own = (await api.get(f"/pix/status?txid={charge['txid']}", token=merchant.key)).json()["data"]
    assert (own["customer_email"], own["customer_phone"]) == ("maria@example.com", "11987654321")
    assert (own["success_url"], own["environment"]) == ("https://loja.example/ok", "test")


async def test_a_receipt_shows_the_document_stored_with_the_payment(
    api: Api, merchant: Merchant, database: Database
) -> None:
    await sql.run(database, "update users set cnpj = null where id = $1", merchant.id)
    link = await a_link(merchant)
    paid, waiting = await pay(api, link["slug"]), await pay(api, link["slug"], cpf=CPFS[1])
    await api.post(f"/checkout/{paid['txid']}/simular-pagamento")
    await api.put("/auth/profile", {"cnpj": "11.222.333/0001-81"}, token=merchant.token)
    details = [(await api.get(f"/checkout/{charge['txid']}")).json()["data"] for charge in (paid, waiting)]
    assert [charge["store_document"] for charge in details] == [None, "11.***.***/0001-**"]


async def test_the_same_through_graphql(api: Api, merchant: Merchant) -> None:
    await a_coupon(merchant)
    link = await a_link(merchant)
    query = """query($slug: String!) {
      checkoutLink(slug: $slug) { amount finalAmount store { name document } product { name } }
      checkoutCoupon(slug: $slug, code: "promo10") { finalAmount } }"""
    assert (await api.graphql(query, slug=link["slug"]))["data"] == {
        "checkoutLink": {
            "amount": 80.0,
            "finalAmount": 80.0,
            "store": {"name": "Loja da Ana", "document": "11.***.***/0001-**"},
            "product": None,
        },
        "checkoutCoupon": {"finalAmount": 72.0},
    }
    mutation = "mutation($input: PayLinkInput!) { payLink(input: $input) { txid amount customerCpf qrCodeUrl } }"
    person = {"customerName": "Maria", "customerEmail": "maria@example.com", "customerCpf": "529.982.247-25"}
    order = {"slug": link["slug"], "couponCode": "promo10", **person}
    charge = (await api.graphql(mutation, input=order))["data"]["payLink"]
    assert (charge["amount"], charge["customerCpf"]) == (72.0, "***.982.247-**")
    assert (await api.get(f"/checkout/{charge['txid']}")).json()["data"]["qr_code_url"] == charge["qrCodeUrl"]
    simulate = "mutation($txid: String!) { simulateCheckoutPayment(txid: $txid) { status } }"
    assert (await api.graphql(simulate, txid=charge["txid"]))["data"]["simulateCheckoutPayment"]["status"] == "paid"
    read = "query($txid: String!) { checkoutCharge(txid: $txid) { status secondsLeft pixCode } }"
    assert (await api.graphql(read, txid=charge["txid"]))["data"]["checkoutCharge"] == {
        "status": "paid",
        "secondsLeft": 0,
        "pixCode": None,
    }
    refused = (await api.graphql(read, txid="0" * 32))["errors"][0]
    assert refused["extensions"] == {"status": 404}


async def test_no_response_and_no_public_error_shows_hidden_fields(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    order = payer(phone="11987654321")
    first = await api.post(f"/checkout/link/{link['slug']}/pay", order)
    txid = first.json()["data"]["txid"]
    answers = [
        first,
        await api.post(f"/checkout/link/{link['slug']}/pay", order),
        await api.get(f"/checkout/{txid}"),
        await api.post(f"/checkout/{txid}/simular-pagamento"),
        await api.get(f"/checkout/link/{link['slug']}"),
        await api.get(f"/checkout/link/{link['slug']}/coupon?code=x"),
    ]
    for answer in answers:
        assert not any(secret in answer.text for secret in SECRETS)
        assert merchant.email not in answer.text
        assert merchant.id not in answer.text


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "customer_name"),
        ({"email": "maria"}, "customer_email"),
        ({"cpf": "111.111.111-11"}, "customer_cpf"),
        ({"cpf": None}, "customer_cpf"),
        ({"phone": "123"}, "customer_phone"),
    ],
)
async def test_a_bad_field_is_named_by_its_long_name(
    api: Api, merchant: Merchant, changes: dict[str, Any], field: str
) -> None:
    link = await a_link(merchant)
    refused = await api.post(f"/checkout/link/{link['slug']}/pay", payer(**changes))
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]


async def test_long_names_are_read_and_win(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    assert (await pay(api, link["slug"], customer_name="João"))["customer_name"] == "João"


async def test_the_charge_is_created_in_the_links_environment_for_every_caller(
    api: Api, merchant: Merchant, database: Database
) -> None:
    link = await a_live_link(merchant, database)
    response = await api.post(f"/checkout/link/{link['slug']}/pay", payer(), token=merchant.key)
    charge = response.json()["data"]
    assert charge["environment"] == "live"
    assert (await api.get(f"/pix/status?txid={charge['txid']}", token=merchant.key)).status_code == 404
    refused = await api.post(f"/checkout/{charge['txid']}/simular-pagamento")
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "SOMENTE_TESTE")
    assert (await api.get(f"/checkout/{charge['txid']}")).json()["data"]["status"] == "pending"


async def test_a_live_link_is_unavailable_while_its_owner_is_not_approved(
    api: Api, merchant: Merchant, database: Database
) -> None:
    link = await a_live_link(merchant, database)
    charge = await pay(api, link["slug"])
    await database.run(APPROVE, id_=merchant.id, status="suspended")
    path = f"/checkout/link/{link['slug']}"
    for answer in (await api.get(path), await api.get(f"{path}/coupon?code=x"), await api.post(f"{path}/pay", payer())):
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "LINK_INDISPONIVEL")
        assert "produ" not in answer.json()["error"]["message"]
    assert (await api.get(f"/checkout/{charge['txid']}")).status_code == 200


async def test_unknown_inactive_expired_and_used_up(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    soon = (clock.now() + timedelta(minutes=5)).isoformat()
    inactive, ending = await a_link(merchant, active=False), await a_link(merchant, expires_at=soon)
    product = await a_product(merchant, active=False)
    unsold, single = await a_link(merchant, product_id=product["id"]), await a_link(merchant, max_uses=1)
    await pay(api, single["slug"])
    await pay(api, ending["slug"])
    clock.advance(timedelta(minutes=6))
    expected = {"nope": 404, inactive["slug"]: 404, unsold["slug"]: 404, ending["slug"]: 410, single["slug"]: 410}
    for slug, status in expected.items():
        answers = [
            await api.get(f"/checkout/link/{slug}"),
            await api.get(f"/checkout/link/{slug}/coupon?code=x"),
            await api.post(f"/checkout/link/{slug}/pay", payer(cpf=CPFS[1])),
        ]
        assert {answer.status_code for answer in answers} == {status}
        assert {answer.json()["error"].get("codigo") for answer in answers} == {
            "LINK_ENCERRADO" if status == 410 else None
        }


@pytest.mark.parametrize("key", ["a" * 256, "a" * 300, "\x00", "a\x00b", "\x7f", "\u202e", "\u200b", "a\nb", " ", "çé"])
async def test_an_invalid_slug_or_txid_is_not_found(api: Api, merchant: Merchant, key: str) -> None:
    async def answers(key: str) -> list[tuple[int, Any]]:
        found = [
            await api.get(f"/checkout/link/{key}"),
            await api.get(f"/checkout/link/{key}/coupon?code=x"),
            await api.post(f"/checkout/link/{key}/pay", payer()),
            await api.get(f"/checkout/{key}"),
            await api.post(f"/checkout/{key}/simular-pagamento"),
        ]
        return [(answer.status_code, answer.json()) for answer in found]

    async def refusals(key: str) -> list[Any]:
        person = 'customerName: "M", customerEmail: "m@example.com", customerCpf: "52998224725"'
        params = (
            "query($key: String!) { checkoutLink(slug: $key) { slug } }",
            'query($key: String!) { checkoutCoupon(slug: $key, code: "x") { valid } }',
            f"mutation($key: String!) {{ payLink(input: {{slug: $key, {person}}}) {{ txid }} }}",
            "query($key: String!) { checkoutCharge(txid: $key) { txid } }",
            "mutation($key: String!) { simulateCheckoutPayment(txid: $key) { txid } }",
        )
        return [(await api.graphql(document, key=key))["errors"] for document in params]

    result = await answers(quote(key))
    assert [status for status, _ in result] == [404] * 5
    assert result == await answers("0" * 32)
    assert await refusals(key) == await refusals("0" * 32)


async def test_the_products_price_at_payment_time_wins(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant, price=50)
    link = await a_link(merchant, amount=80, product_id=product["id"])
    await api.put(f"/products/{product['id']}", {"price": 60}, token=merchant.key)
    assert (await pay(api, link["slug"]))["amount"] == 60.0
    repriced = (await api.put(f"/products/{product['id']}", {"price": 4.99}, token=merchant.key)).json()
    assert link["slug"] in repriced["aviso"]
    assert "não pode ser pago" in repriced["aviso"]
    details = (await api.get(f"/payment-links/{link['id']}", token=merchant.key)).json()["data"]
    assert details["unpayable_reason"] == "product_below_minimum"
    unpayable = await api.get(f"/checkout/link/{link['slug']}")
    assert (unpayable.status_code, unpayable.json()["error"]["codigo"]) == (409, "LINK_INDISPONIVEL")
    refused = await api.post(f"/checkout/link/{link['slug']}/pay", payer(cpf=CPFS[1]))
    result = {"message": "O valor mínimo é R$ 5,00.", "codigo": "VALOR_MINIMO", "valor_minimo": 5.0}
    assert refused.json()["error"] == result, "no field: a payer sends no amount"
    await api.delete(f"/products/{product['id']}", token=merchant.key)
    assert (await pay(api, link["slug"], cpf=CPFS[1]))["amount"] == 80.0
    details = (await api.get(f"/payment-links/{link['id']}", token=merchant.key)).json()["data"]
    assert details["unpayable_reason"] is None


async def test_coupons_at_a_link(api: Api, merchant: Merchant) -> None:
    own = await a_coupon(merchant, code="DO-LINK", discount_value=5)
    await a_coupon(merchant, code="MEU", discount_value=25)
    link = await a_link(merchant, coupon_id=own["id"])
    seen = (await api.get(f"/checkout/link/{link['slug']}")).json()["data"]
    assert (seen["coupon_code"], seen["amount"], seen["final_amount"]) == ("DO-LINK", 80.0, 76.0)
    quote = (await api.get(f"/checkout/link/{link['slug']}/coupon?code=meu")).json()["data"]
    assert (quote["valid"], quote["final_amount"]) == (True, 60.0)
    assert (await pay(api, link["slug"]))["coupon_code"] == "DO-LINK"
    assert (await pay(api, link["slug"], coupon_code="meu"))["amount"] == 60.0
    assert (await api.get(f"/checkout/link/{link['slug']}/coupon?code=nada")).status_code == 404
    await api.put(f"/payment-links/{link['id']}", {"allow_coupons": False}, token=merchant.key)
    for refused, field in (
        (await api.get(f"/checkout/link/{link['slug']}/coupon?code=meu"), "code"),
        (await api.post(f"/checkout/link/{link['slug']}/pay", payer(coupon_code="meu")), "coupon_code"),
    ):
        error = refused.json()["error"]
        assert (error["codigo"], [result["campo"] for result in error["campos"]]) == ("CUPOM_NAO_APLICAVEL", [field])
    params = 'query($slug: String!) { checkoutCoupon(slug: $slug, code: "meu") { valid } }'
    (error,) = (await api.graphql(params, slug=link["slug"]))["errors"]
    assert [result["campo"] for result in error["extensions"]["campos"]] == ["code"]


async def test_an_unavailable_coupon_of_a_link_removes_only_the_discount(api: Api, merchant: Merchant) -> None:
    own = await a_coupon(merchant, max_uses_per_customer=1)
    link = await a_link(merchant, coupon_id=own["id"])
    charge = await pay(api, link["slug"])
    await api.post(f"/checkout/{charge['txid']}/simular-pagamento")
    response = await api.post(f"/checkout/link/{link['slug']}/pay", payer())
    assert (response.status_code, response.json()["data"]["amount"]) == (201, 80.0)
    assert "desconto" in response.json()["aviso"]
    await api.put(f"/coupons/{own['id']}", {"is_active": False}, token=merchant.key)
    assert (await api.get(f"/checkout/link/{link['slug']}")).json()["data"]["final_amount"] == 80.0


async def test_the_same_payer_gets_the_same_pending_charge(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    coupon = await a_coupon(merchant, max_uses=1)
    link = await a_link(merchant, max_uses=2)
    first = await pay(api, link["slug"])
    assert (await pay(api, link["slug"], name="Maria P.", cpf="52998224725"))["txid"] == first["txid"]
    # Another coupon means another price and a new charge. A repeat returns the same charge.
    with_coupon = await pay(api, link["slug"], coupon_code="PROMO10")
    assert with_coupon["txid"] != first["txid"]
    assert (await pay(api, link["slug"], coupon_code="promo10"))["txid"] == with_coupon["txid"]
    # Link and coupon are exhausted; the payer still gets their charge.
    assert (await pay(api, link["slug"]))["txid"] == first["txid"]
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 2
    # While the charges are pending; after that the uses are released.
    clock.advance(timedelta(hours=23))
    assert (await pay(api, link["slug"]))["txid"] == first["txid"]
    clock.advance(timedelta(hours=2))
    assert (await pay(api, link["slug"]))["txid"] not in {first["txid"], with_coupon["txid"]}


async def test_a_repeated_order_updates_the_contact(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    link = await a_link(merchant)
    first = await pay(api, link["slug"], phone="11 98765-4321")
    await pay(api, link["slug"], phone="11 98765-4321")
    path = f"/pix/status?txid={first['txid']}"
    before = (await api.get(path, token=merchant.key)).json()["data"]
    assert len(await database.all(CHARGE_RECORDS)) == 1
    clock.advance(timedelta(seconds=30))

    again = await pay(api, link["slug"], name="Maria P. Dora", phone="11 91234-5678", cpf="52998224725")

    assert (again["txid"], again["customer_name"]) == (first["txid"], "Maria P. Dora")
    after = (await api.get(path, token=merchant.key)).json()["data"]
    contact = {"customer_name": "Maria P. Dora", "customer_phone": "11912345678"}
    assert {name for name in after if after[name] != before[name]} == {*contact, "updated_at"}
    assert contact.items() <= after.items()
    (_, record) = await database.all(CHARGE_RECORDS)
    assert (record["action"], record["resource_id"]) == ("charge.updated", before["id"])
    assert (record["actor_type"], record["source"], record["store_id"]) == ("public", "checkout", merchant.id)
    assert record["environment"] == "test"
    assert record["changes"] == {name: {"from": before[name], "to": value} for name, value in contact.items()}


async def test_a_repeated_order_without_a_phone_leaves_the_stored_one(
    api: Api, merchant: Merchant, database: Database
) -> None:
    link = await a_link(merchant)
    first = await pay(api, link["slug"], phone="11 98765-4321")

    async def contact() -> tuple[str, str | None]:
        seen = (await api.get(f"/pix/status?txid={first['txid']}", token=merchant.key)).json()["data"]
        assert seen["customer_email"] == "maria@example.com"
        return seen["customer_name"], seen["customer_phone"]

    async def through_graphql(**changes: Any) -> dict[str, Any]:
        person = {"customerName": "Maria", "customerEmail": "MARIA@example.com", "customerCpf": CPFS[0]}
        document = "mutation($input: PayLinkInput!) { payLink(input: $input) { txid customerName } }"
        answer = await api.graphql(document, input={"slug": link["slug"], **person, **changes})
        charge: dict[str, Any] = answer["data"]["payLink"]
        return charge

    assert (await pay(api, link["slug"]))["txid"] == first["txid"]
    assert len(await database.all(CHARGE_RECORDS)) == 1, "nothing differs"
    await pay(api, link["slug"], name="Maria P.")
    assert await contact() == ("Maria P.", "11987654321")
    assert await through_graphql() == {"txid": first["txid"], "customerName": "Maria"}
    assert await contact() == ("Maria", "11987654321")
    form = {"customer_name": "Maria D.", "customer_cpf": CPFS[0], "customer_email": "maria@example.com"}
    page = await api.client.post(f"/pay/{link['slug']}", data=form | {"customer_phone": ""})
    assert page.headers["location"] == f"/pay/c/{first['txid']}"
    assert await contact() == ("Maria D.", "11987654321")
    result = [set(record["changes"]) for record in await database.all(CHARGE_RECORDS) if record["changes"]]
    assert result == [{"customer_name"}] * 3
    # An empty value removes it, over REST and GraphQL.
    await through_graphql(customerPhone=None)
    assert await contact() == ("Maria", None)
    for nothing in (None, ""):
        await pay(api, link["slug"], phone="11 91234-5678")
        await pay(api, link["slug"], phone=nothing)
        assert await contact() == ("Maria Pagadora", None)


async def test_a_document_alone_does_not_take_over_the_order(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    first = await pay(api, link["slug"], email="maria@example.com")
    other = await pay(api, link["slug"], name="Ladrão", email="ladrao@example.com")
    assert other["txid"] != first["txid"]
    seen = (await api.get(f"/pix/status?txid={first['txid']}", token=merchant.key)).json()["data"]
    assert (seen["customer_name"], seen["customer_email"]) == ("Maria Pagadora", "maria@example.com")
    # The page, which matches orders by the shown total, does not reveal it either,
    # although the price has changed.
    cents = str(round(first["amount"] * 100))
    await merchant.api.put(f"/payment-links/{link['id']}", {"amount": 99}, token=merchant.token)
    page = {"customer_name": "Maria", "customer_cpf": CPFS[0], "shown_total": cents}
    for email, leads_there in (("l@example.com", False), ("Maria@example.com", True)):
        answer = await api.client.post(f"/pay/{link['slug']}", data=page | {"customer_email": email})
        assert (first["txid"] in answer.headers.get("location", "")) is leads_there, answer.status_code


async def test_only_a_pending_charge_gets_a_new_contact(
    services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    """A paid or expired charge and another store's charge do not change."""
    stranger = await merchant.api.register_merchant()
    sent = {"customer_name": "Outra Pessoa", "customer_phone": None}
    stores = {who.id: in_store(services, who) for who in (merchant, stranger)}
    paid, old, own = [await merchant.issue() for _ in range(3)]
    await merchant.pay(paid["id"])
    unchanged = await update_contact(stores[merchant.id], paid["id"], sent)
    assert (unchanged.status, unchanged.customer_name) == ("paid", paid["customer_name"])
    with pytest.raises(NotFound):
        await update_contact(stores[stranger.id], own["id"], sent)
    clock.advance(timedelta(hours=25))
    expired = await update_contact(stores[merchant.id], old["id"], sent)
    assert (expired.status, expired.customer_name) == ("expired", old["customer_name"])
    assert "charge.updated" not in {row["action"] for row in await database.all(CHARGE_RECORDS)}


async def test_concurrent_updates_of_the_contact_are_audited_in_order(
    api: Api, merchant: Merchant, database: Database
) -> None:
    link = await a_link(merchant)
    await pay(api, link["slug"], name="0")
    await asyncio.gather(*(pay(api, link["slug"], name=str(number)) for number in range(1, 9)))
    result = [row["changes"]["customer_name"] for row in await database.all(CHARGE_RECORDS) if row["changes"]]
    (charge,) = (await api.get("/pix", token=merchant.key)).json()["data"]
    steps, name = {change["from"]: change["to"] for change in result}, "0"
    for _ in result:
        name = steps[name]
    assert (len(result), name) == (8, charge["customer_name"])


async def test_a_paid_charge_is_not_returned_again(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    first = await pay(api, link["slug"])
    await api.post(f"/checkout/{first['txid']}/simular-pagamento")
    assert (await pay(api, link["slug"]))["txid"] != first["txid"]


async def test_ten_clicks_at_once_make_one_charge(api: Api, merchant: Merchant) -> None:
    coupon = await a_coupon(merchant, max_uses=1)
    link = await a_link(merchant)
    clicks = (pay(api, link["slug"], coupon_code="PROMO10") for _ in range(10))
    assert len({charge["txid"] for charge in await asyncio.gather(*clicks)}) == 1
    assert len((await api.get("/pix", token=merchant.key)).json()["data"]) == 1
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1


async def test_after_an_unknown_outcome_the_payer_may_order_again(
    api: Api, merchant: Merchant, engines: Engines
) -> None:
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("create_charge", Behaviour.timeout_before)
    engines.test.scenario.plan("find_charge", Behaviour.timeout_before)
    link = await a_link(merchant)
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", payer())).status_code == 502
    assert (await pay(api, link["slug"]))["status"] == "pending"


async def close(merchant: Merchant, database: Database, clock: MovedClock, link: dict[str, Any], how: str) -> None:
    path = f"/payment-links/{link['id']}"
    if how == "ended":
        clock.advance(timedelta(hours=2))
    elif how == "of an owner who isn't approved":
        await database.run(APPROVE, id_=merchant.id, status="suspended")
    elif how == "of a product that isn't sold":
        await merchant.api.put(f"/products/{link['product_id']}", {"active": False}, token=merchant.key)
    else:
        await merchant.api.put(
            path, {"active": False} if how == "switched off" else {"max_uses": 1}, token=merchant.key
        )


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ("ended", 410),
        ("switched off", 404),
        ("used up", 410),
        ("of a product that isn't sold", 404),
        ("of an owner who isn't approved", 409),
    ],
)
async def test_a_payer_who_lost_the_response_gets_the_charge_of_a_closed_link(
    api: Api, merchant: Merchant, clock: MovedClock, database: Database, how: str, status: int
) -> None:
    until = (clock.now() + timedelta(hours=1)).isoformat()
    if status == 409:
        link = await a_live_link(merchant, database)
    else:
        link = await a_link(merchant, product_id=(await a_product(merchant))["id"], expires_at=until)
    path = f"/checkout/link/{link['slug']}/pay"
    first = await api.post(path, payer(), idempotency_key="k")
    await close(merchant, database, clock, link, how)
    again = await api.post(path, payer(), idempotency_key="k")
    assert (again.status_code, again.json()["data"]["txid"]) == (201, first.json()["data"]["txid"])
    assert again.headers["idempotent-replayed"] == "true"
    assert (await api.post(path, payer(cpf=CPFS[1]))).status_code == status
    assert (await api.post(path, payer(cpf=CPFS[1]), idempotency_key="other")).status_code == status
    assert await value(database, "select count(*) from charges") == 1


async def test_an_order_that_a_closed_link_refused_succeeds_when_it_is_reopened(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, active=False)
    path = f"/checkout/link/{link['slug']}/pay"
    assert (await api.post(path, payer(), idempotency_key="k")).status_code == 404
    await api.put(f"/payment-links/{link['id']}", {"active": True}, token=merchant.key)
    opened = await api.post(path, payer(), idempotency_key="k")
    assert (opened.status_code, "idempotent-replayed" in opened.headers) == (201, False)


async def test_an_idempotency_key_replays_the_public_charge(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    path = f"/checkout/link/{link['slug']}/pay"
    first = await api.post(path, payer(), idempotency_key="k1")
    again = await api.post(path, payer(), idempotency_key="k1")
    assert (again.status_code, again.headers["idempotent-replayed"]) == (201, "true")
    assert again.json() == first.json()
    repeated = [await api.post(path, payer(), idempotency_key="k2") for _ in range(2)]
    assert {answer.json()["data"]["txid"] for answer in repeated} == {first.json()["data"]["txid"]}
    other = await api.post(path, payer(cpf=CPFS[1]), idempotency_key="k1")
    assert other.json()["error"]["codigo"] == "IDEMPOTENCIA_CONFLITO"


async def test_an_expired_charge_shows_its_status_and_its_link(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    link = await a_link(merchant, charge_expires_in_minutes=1)
    charge = await pay(api, link["slug"])
    clock.advance(timedelta(seconds=60))
    seen = (await api.get(f"/checkout/{charge['txid']}")).json()["data"]
    assert (seen["status"], seen["seconds_left"], seen["qr_code_url"]) == ("expired", 0, None)
    assert seen["link_slug"] == link["slug"]


async def test_a_manual_charge_is_shown_too(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    seen = (await api.get(f"/checkout/{charge['txid']}")).json()["data"]
    assert (seen["link_slug"], seen["pix_code"]) == (None, charge["pix_code"])
    for txid in ("x", "0" * 32, charge["id"]):
        assert (await api.get(f"/checkout/{txid}")).status_code == 404


async def test_the_audit_trail_names_the_checkout_as_source(api: Api, merchant: Merchant, database: Database) -> None:
    link = await a_link(merchant)
    charge = await pay(api, link["slug"])
    await api.post(f"/checkout/{charge['txid']}/simular-pagamento")
    rows = await database.all(CHARGE_RECORDS)
    assert [(row["action"], row["source"], row["actor_type"]) for row in rows] == [
        ("charge.created", "checkout", "public"),
        ("charge.paid", "checkout", "public"),
    ]
    assert {(row["store_id"], row["environment"]) for row in rows} == {(merchant.id, "test")}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://loja.example/ok", "https://loja.example/ok?txid=abc&status=paid"),
        ("https://loja.example/ok?p=%C3%A1&x#fim", "https://loja.example/ok?p=%C3%A1&x&txid=abc&status=paid#fim"),
        ("https://loja.example", "https://loja.example?txid=abc&status=paid"),
        ("https://loja.example/ok?status=novo&txid=1&p=7", "https://loja.example/ok?p=7&txid=abc&status=paid"),
        ("https://loja.example/ok?%73tatus=a&status&b=1&b=2", "https://loja.example/ok?b=1&b=2&txid=abc&status=paid"),
        (
            "HTTPS://Loja.example/a?x=%2f+%20&&y=;#/r?status=z",
            "HTTPS://Loja.example/a?x=%2f+%20&&y=;&txid=abc&status=paid#/r?status=z",
        ),
        ("https://loja.example/?Status=a&statusx=b", "https://loja.example/?Status=a&statusx=b&txid=abc&status=paid"),
    ],
)
def test_returning_adds_txid_and_status(url: str, expected: str) -> None:
    assert return_url(url, "abc", "paid") == expected
