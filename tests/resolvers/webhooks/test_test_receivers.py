"""Test receivers: endpoints inside the gateway, for merchants who have no server yet."""

from typing import Any

from standardwebhooks import Webhook

from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.webhooks.attempts import record_attempts
from gateway.resolvers.webhooks.claims import claim_due
from gateway.resolvers.webhooks.endpoint_maintenance import maintain_endpoints
from gateway.workers.webhook_sender import Sender
from tests import sql
from tests.api.actors import set_status
from tests.api_client import Merchant

OPEN = "mutation { openTestReceiver { id url secret environment active events expiresAt createdAt } }"
RECEIVED = """query ($id: ID!) { webhookDeliveries(endpointId: $id) { edges { node {
    event status payload requestHeaders attempts { status durationMs address } } } } }"""


async def opened(merchant: Merchant) -> dict[str, Any]:
    answer = await merchant.api.graphql(OPEN, token=merchant.token)
    receiver: dict[str, Any] = answer["data"]["openTestReceiver"]
    return receiver


async def test_a_receiver_shows_the_signed_request_without_sending_it(merchant: Merchant, services: Services) -> None:
    receiver = await opened(merchant)
    assert (receiver["url"], receiver["environment"], receiver["events"]) == ("gateway:test-receiver", "test", [])
    await merchant.issue()

    ctx = system_context(services, source="job", request_id="test")
    sender = Sender(refuse_to_send, services.vault)
    claims = await claim_due(ctx, slots=9, retry_slots=9, degraded_slots=9)
    await record_attempts(ctx, [await sender.send(claim) for claim in claims])

    answer = await merchant.api.graphql(RECEIVED, token=merchant.key, id=receiver["id"])
    (edge,) = answer["data"]["webhookDeliveries"]["edges"]
    received = edge["node"]
    assert (received["event"], received["status"]) == ("charge.created", "delivered")
    assert received["attempts"] == [{"status": 200, "durationMs": 0, "address": None}]
    headers = {name.lower(): value for name, value in received["requestHeaders"].items()}
    Webhook(receiver["secret"]).verify(received["payload"].encode(), headers)


async def refuse_to_send(*_: object) -> Any:
    raise AssertionError("a test receiver is sent nothing")


async def test_a_receiver_is_deleted_after_a_day(merchant: Merchant, services: Services, database: Database) -> None:
    receiver = await opened(merchant)
    ctx = system_context(services, source="job", request_id="test")
    await sql.run(database, "update webhook_endpoints set expires_at = now() + interval '1 minute'")
    await maintain_endpoints(ctx)
    path = f"/webhook-endpoints/{receiver['id']}"
    assert (await merchant.api.get(path, token=merchant.key)).status_code == 200
    await sql.run(database, "update webhook_endpoints set expires_at = now()")
    await maintain_endpoints(ctx)
    assert (await merchant.api.get(path, token=merchant.key)).status_code == 404
    assert await sql.value(database, "select secret from webhook_endpoints") == b""


async def test_a_receiver_has_no_other_url(merchant: Merchant) -> None:
    receiver = await opened(merchant)
    path = f"/webhook-endpoints/{receiver['id']}"
    moved = await merchant.api.put(path, {"url": "http://127.0.0.1:8080/avisos"}, token=merchant.token)
    assert moved.status_code == 400
    assert (await merchant.api.put(path, {"name": "outro"}, token=merchant.token)).status_code == 200
    form = {"name": "falso", "url": receiver["url"]}
    assert (await merchant.api.post("/webhook-endpoints", form, token=merchant.token)).status_code == 400


async def test_there_are_no_receivers_in_live(merchant: Merchant, database: Database) -> None:
    await set_status(database, merchant, "approved")
    live = await merchant.api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    token = live.json()["data"]["accessToken"]
    refused = await merchant.api.post("/webhook-endpoints/test-receiver", token=token)
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "SOMENTE_TESTE")
