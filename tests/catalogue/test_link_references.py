"""The merchant's reference and metadata of payment links, copied to their charges."""

from typing import Any

import orjson

from gateway.models.database import Database
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import CPFS, a_link, a_product, payer
from tests.sql import rows

METADATA = {"campanha": "natal", "vendedor": "7"}


async def charge_of(api: Api, merchant: Merchant, link: dict[str, Any], **changes: Any) -> dict[str, Any]:
    answer = await api.post(f"/checkout/link/{link['slug']}/pay", payer(**changes))
    assert answer.status_code == 201, answer.text
    path = f"/pix/status?txid={answer.json()['data']['txid']}"
    charge: dict[str, Any] = (await api.get(path, token=merchant.key)).json()["data"]
    return charge


async def test_a_link_has_a_reference_and_metadata(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, external_reference=" pedido-1 ", metadata=METADATA)
    other = await a_link(merchant)
    assert (link["external_reference"], link["metadata"]) == ("pedido-1", METADATA)
    assert (other["external_reference"], other["metadata"]) == (None, {})
    for query in ("external_reference=pedido-1", "q=edido-1"):
        found = (await api.get(f"/payment-links?{query}", token=merchant.key)).json()["data"]
        assert [each["id"] for each in found] == [link["id"]]
    path = f"/payment-links/{link['id']}"
    changed = await api.put(path, {"external_reference": "", "metadata": None}, token=merchant.key)
    assert (changed.json()["data"]["external_reference"], changed.json()["data"]["metadata"]) == (None, {})
    query = """query { paymentLinks(filter: {externalReference: "x"}) { edges { node { metadata } } } }"""
    mutation = """mutation($id: ID!) { updatePaymentLink(input: {id: $id, externalReference: "x", metadata: {a: "b"}}) {
      externalReference metadata } }"""
    assert (await api.graphql(mutation, token=merchant.key, id=link["id"]))["data"]["updatePaymentLink"] == {
        "externalReference": "x",
        "metadata": {"a": "b"},
    }
    assert len((await api.graphql(query, token=merchant.key))["data"]["paymentLinks"]["edges"]) == 1
    refused = await api.put(path, {"metadata": {str(number): "x" for number in range(21)}}, token=merchant.key)
    assert refused.status_code == 400


async def test_the_charges_of_a_link_carry_both(api: Api, merchant: Merchant, database: Database) -> None:
    endpoint = {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}
    await api.post("/webhook-endpoints", endpoint, token=merchant.token)
    link = await a_link(merchant, external_reference="campanha-1", metadata=METADATA)
    charges = [await charge_of(api, merchant, link, cpf=cpf) for cpf in CPFS[:2]]
    assert [(each["external_reference"], each["link_reference"]) for each in charges] == [
        ("campanha-1", "campanha-1"),
        (None, "campanha-1"),
    ]
    assert [each["metadata"] for each in charges] == [METADATA] * 2
    await merchant.pay(charges[0]["id"])
    for result in await rows(database, "select body from webhook_events"):
        data = orjson.loads(result["body"])["data"]
        assert (data["link_reference"], data["metadata"]) == ("campanha-1", METADATA)
    # Later changes affect new charges only.
    await api.put(f"/payment-links/{link['id']}", {"metadata": {}}, token=merchant.key)
    stored = (await api.get(f"/pix/{charges[0]['id']}", token=merchant.key)).json()["data"]
    assert stored["metadata"] == METADATA


async def test_a_single_use_link_passes_its_reference_on(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, max_uses=1, external_reference="pedido-5")
    charge = await charge_of(api, merchant, link)
    assert (charge["external_reference"], charge["link_reference"]) == ("pedido-5", "pedido-5")
    found = await api.get("/pix/status?external_reference=pedido-5", token=merchant.key)
    assert found.json()["data"]["id"] == charge["id"]
    # The next charge has it again after the first has expired.
    await api.post(f"/pix/{charge['id']}/expire", token=merchant.key)
    second = await charge_of(api, merchant, link, cpf=CPFS[1])
    assert second["external_reference"] == "pedido-5"
    found = await api.get("/pix/status?external_reference=pedido-5", token=merchant.key)
    assert found.json()["data"]["id"] == second["id"]


async def test_a_duplicate_reference_does_not_block_the_payer(api: Api, merchant: Merchant) -> None:
    taken = await merchant.issue(external_reference="pedido-6")
    link = await a_link(merchant, max_uses=1, external_reference="pedido-6")
    charge = await charge_of(api, merchant, link)
    assert (charge["external_reference"], charge["link_reference"]) == (None, "pedido-6")
    assert (await charge_of(api, merchant, link))["id"] == charge["id"]
    found = await api.get("/pix/status?external_reference=pedido-6", token=merchant.key)
    assert found.json()["data"]["id"] == taken["id"]


async def test_a_charge_is_found_by_its_reference(api: Api, merchant: Merchant) -> None:
    other = await api.register_merchant()
    await other.issue(external_reference="pedido-8")
    path = "/pix/status?external_reference=pedido-8"
    assert (await api.get(path, token=merchant.key)).status_code == 404
    first = await merchant.issue(external_reference="pedido-8")
    paid = await api.post("/pix/simulate-payment", {"external_reference": "pedido-8"}, token=merchant.key)
    assert (paid.json()["data"]["id"], paid.json()["data"]["status"]) == (first["id"], "paid")
    query = """mutation { simulatePayment(externalReference: "pedido-8") { id } }"""
    assert (await api.graphql(query, token=merchant.key))["data"]["simulatePayment"]["id"] == first["id"]
    query = """query { charge(externalReference: "pedido-8") { id } }"""
    assert (await api.graphql(query, token=merchant.key))["data"]["charge"]["id"] == first["id"]
    refused = await api.get("/pix/status", token=merchant.key)
    assert (refused.status_code, "external_reference" in refused.json()["error"]["message"]) == (400, True)


async def test_several_links_sell_products(merchant: Merchant) -> None:
    """A new link shows its own product, not another link's."""
    products = [await a_product(merchant), await a_product(merchant)]
    await merchant.api.put(f"/products/{products[1]['id']}", {"active": False}, token=merchant.key)
    order = [products[0], products[1], products[0]]
    links = [await a_link(merchant, product_id=product["id"]) for product in order]
    assert [link["unpayable_reason"] for link in links] == [None, "product_inactive", None]


async def test_a_link_with_an_inactive_product_is_marked_as_unpayable(merchant: Merchant) -> None:
    api, product = merchant.api, await a_product(merchant)
    await api.put(f"/products/{product['id']}", {"active": False}, token=merchant.key)
    order = {"amount": 80, "product_id": product["id"]}
    created = (await api.post("/payment-links", order, token=merchant.key)).json()
    assert created["aviso"] == "O produto está desativado: este link não pode ser pago."
    path = f"/payment-links/{created['data']['id']}"
    assert "aviso" in (await api.put(path, {"title": "Curso"}, token=merchant.key)).json()
    assert "aviso" not in (await api.put(path, {"active": False}, token=merchant.key)).json()
    assert "aviso" not in (await api.put(path, {"active": True, "product_id": None}, token=merchant.key)).json()
