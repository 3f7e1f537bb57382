"""What was sent and what came back, as the log of deliveries shows it."""

import json

from gateway.models.database import Database
from tests import sql
from tests.api_client import Merchant
from tests.resolvers.webhooks.conftest import Register

DETAILS = """query ($id: ID!, $filter: WebhookDeliveryFilter) { webhookDeliveries(endpointId: $id, filter: $filter) {
    totalCount edges { node { id event test payload requestHeaders endpoint { id name }
        attempts { number requestHeaders responseHeaders } } } } }"""
ATTEMPT = """insert into webhook_attempts
    (delivery_id, number, started_at, duration_ms, status, request_headers, response_headers)
    select id, $1, now(), 12, 200, $2, $3 from webhook_deliveries"""


async def test_a_delivery_shows_the_exact_bytes_and_the_headers(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await merchant.issue(customer_name="José 🎉")
    body = await sql.value(database, "select body from webhook_events")
    answer = await merchant.api.graphql(DETAILS, token=merchant.key, id=endpoint["id"])
    (edge,) = answer["data"]["webhookDeliveries"]["edges"]
    assert edge["node"]["payload"].encode() == body
    assert json.loads(edge["node"]["payload"])["data"]["customer_name"] == "José 🎉"
    assert edge["node"]["endpoint"] == {"id": endpoint["id"], "name": "loja"}
    assert (edge["node"]["test"], edge["node"]["requestHeaders"], edge["node"]["attempts"]) == (False, {}, [])

    for number in (1, 2):
        await sql.run(database, ATTEMPT, number, {"X-Service-Attempt": str(number)}, {"server": "nginx"})
    answer = await merchant.api.graphql(DETAILS, token=merchant.key, id=endpoint["id"])
    (edge,) = answer["data"]["webhookDeliveries"]["edges"]
    assert edge["node"]["requestHeaders"] == {"X-Service-Attempt": "2"}
    assert edge["node"]["attempts"] == [
        {
            "number": number,
            "requestHeaders": {"X-Service-Attempt": str(number)},
            "responseHeaders": {"server": "nginx"},
        }
        for number in (1, 2)
    ]


async def test_the_log_marks_test_events(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    await merchant.issue()
    await merchant.api.post(f"/webhook-endpoints/{endpoint['id']}/test", token=merchant.token)
    log = await merchant.api.get(f"/webhook-endpoints/{endpoint['id']}/deliveries", token=merchant.key)
    assert [(each["event"], each["test"]) for each in log.json()["data"]] == [
        ("charge.paid", True),
        ("charge.created", False),
    ]


async def test_the_log_is_filtered_by_http_status(merchant: Merchant, register: Register, database: Database) -> None:
    endpoint = await register()
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    failed = "update webhook_deliveries set last_status = 503, last_error = 'http_status' where id = $1"
    path = f"/webhook-endpoints/{endpoint['id']}/deliveries"
    newest = (await merchant.api.get(path, token=merchant.key)).json()["data"][0]
    await sql.run(database, failed, newest["id"])
    for status, found in ((503, 1), (200, 0)):
        log = await merchant.api.get(f"{path}?http_status={status}", token=merchant.key)
        assert len(log.json()["data"]) == found
        answer = await merchant.api.graphql(
            DETAILS, token=merchant.key, id=endpoint["id"], filter={"httpStatus": status}
        )
        assert answer["data"]["webhookDeliveries"]["totalCount"] == found
    for invalid in ("99", "600", "x", "5xx"):
        assert (await merchant.api.get(f"{path}?http_status={invalid}", token=merchant.key)).status_code == 400
