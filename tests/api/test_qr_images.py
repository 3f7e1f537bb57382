"""QR images are generated only for responses and events that include them."""

from collections.abc import Callable

import orjson
import pytest

from gateway.integrations.engines.qr import data_url
from gateway.models.database import Database
from tests import sql
from tests.api_client import Merchant, charge_order

ISSUE = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id txid amount pixCode checkoutUrl } }"
READ = "query($id: ID) { charge(id: $id) { id status pixCode } charges { edges { node { id pixCode } } } }"
IMAGE = "query($id: ID) { charge(id: $id) { qrCodeUrl } }"
ORDER = {
    "amount": 129.9,
    "description": "Pedido 1",
    "customerName": "José Pagador",
    "customerEmail": "jose@example.com",
    "customerCpf": "52998224725",
}


@pytest.fixture
def generated() -> Callable[[], int]:
    """The number of images generated in this test."""
    before = data_url.cache_info().misses
    return lambda: data_url.cache_info().misses - before


async def test_no_image_is_generated_unless_requested(
    merchant: Merchant, database: Database, generated: Callable[[], int]
) -> None:
    issued = (await merchant.api.graphql(ISSUE, token=merchant.key, input=ORDER))["data"]["issueCharge"]
    await merchant.api.graphql(READ, token=merchant.key, id=issued["id"])
    for path in ("/pix?page=1", "/pix?after=", "/pix"):
        assert (await merchant.api.get(path, token=merchant.key)).status_code == 200
    assert generated() == 0
    # No endpoint is subscribed, so the event has no image.
    event = orjson.loads(await sql.value(database, "select body from webhook_events"))["data"]
    assert (event["id"], event["pix_code"], event["qr_code_url"]) == (issued["id"], issued["pixCode"], None)

    read = await merchant.api.graphql(IMAGE, token=merchant.key, id=issued["id"])
    assert read["data"]["charge"]["qrCodeUrl"] == data_url(issued["pixCode"])
    assert generated() == 1
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 201
    assert generated() == 2, "a response over REST includes it"


@pytest.mark.parametrize("events", [[], ["charge.paid"]])
@pytest.mark.parametrize("order", [{}, {"externalReference": "PED-1"}])
async def test_an_event_to_an_endpoint_has_the_image(
    merchant: Merchant, database: Database, generated: Callable[[], int], events: list[str], order: dict[str, str]
) -> None:
    endpoint = {"name": "loja", "url": "http://127.0.0.1:8080/avisos", "events": events}
    assert (await merchant.api.post("/webhook-endpoints", endpoint, token=merchant.token)).status_code == 201
    issued = (await merchant.api.graphql(ISSUE, token=merchant.key, input=ORDER | order))["data"]["issueCharge"]
    assert generated() == 1
    event = orjson.loads(await sql.value(database, "select body from webhook_events"))["data"]
    assert event["qr_code_url"] == data_url(issued["pixCode"])
    deliveries = await sql.value(database, "select count(*) from webhook_deliveries")
    assert deliveries == (0 if events else 1)


async def test_a_payment_link_is_drawn_on_request(merchant: Merchant, generated: Callable[[], int]) -> None:
    made = await merchant.api.post("/payment-links", {"title": "Ingresso", "amount": 30}, token=merchant.key)
    link = made.json()["data"]
    assert "qr_code_url" not in link
    assert generated() == 0
    read = await merchant.api.graphql(
        "query($id: ID!) { paymentLink(id: $id) { qrCodeUrl } }", token=merchant.key, id=link["id"]
    )
    assert read["data"]["paymentLink"]["qrCodeUrl"] == data_url(link["url"])
    assert generated() == 1
