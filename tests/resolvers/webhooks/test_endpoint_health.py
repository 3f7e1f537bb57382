"""The health of endpoints, and since when they are inactive."""

from gateway.models.database import Database
from tests import sql
from tests.api_client import Merchant
from tests.resolvers.webhooks.conftest import Register
from tests.resolvers.webhooks.deliveries import CANCELED, DELIVERED, DUE, EXHAUSTED, deliveries_of

HEALTH = """{ webhookEndpoints(order: created_at_asc) { edges { node { id disabledAt health {
    lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures delivered24h failed24h } } } } }"""
FAILING = """insert into webhook_endpoint_health
    (endpoint_id, consecutive_failures, first_failure_at, last_success_at, last_attempt_at)
    values ($1, 4, '2026-01-02T00:00Z', '2026-01-01T00:00Z', '2026-01-03T00:00Z')"""


async def test_health_counts_the_last_day_of_each_endpoint(
    merchant: Merchant, register: Register, database: Database
) -> None:
    failing, new = await register(), await register()
    await deliveries_of(database, failing, DELIVERED, DELIVERED, EXHAUSTED, CANCELED, DUE)
    await sql.run(database, "update webhook_deliveries set last_error = 'timeout' where state = 2")
    old = await deliveries_of(database, failing, DELIVERED, EXHAUSTED)
    await sql.run(
        database,
        "update webhook_deliveries set created_at = now() - interval '25 h', last_error = 'timeout' where id = any($1)",
        old,
    )
    await sql.run(database, FAILING, failing["id"])
    edges = (await merchant.api.graphql(HEALTH, token=merchant.key))["data"]["webhookEndpoints"]["edges"]
    health = {edge["node"]["id"]: edge["node"]["health"] for edge in edges}
    assert health[failing["id"]] == {
        "lastSuccessAt": "2026-01-01T00:00:00+00:00",
        "lastAttemptAt": "2026-01-03T00:00:00+00:00",
        "firstFailureAt": "2026-01-02T00:00:00+00:00",
        "consecutiveFailures": 4,
        "delivered24h": 2,
        "failed24h": 1,
    }
    assert health[new["id"]] == {
        "lastSuccessAt": None,
        "lastAttemptAt": None,
        "firstFailureAt": None,
        "consecutiveFailures": 0,
        "delivered24h": 0,
        "failed24h": 0,
    }


async def test_an_inactive_endpoint_says_since_when(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    assert endpoint["disabled_at"] is None
    path = f"/webhook-endpoints/{endpoint['id']}"
    off = await merchant.api.put(path, {"active": False}, token=merchant.token)
    assert off.json()["data"]["disabled_at"] == off.json()["data"]["updated_at"]
    renamed = await merchant.api.put(path, {"name": "outro"}, token=merchant.token)
    assert renamed.json()["data"]["disabled_at"] == off.json()["data"]["disabled_at"]
    on = await merchant.api.put(path, {"active": True}, token=merchant.token)
    assert on.json()["data"]["disabled_at"] is None
