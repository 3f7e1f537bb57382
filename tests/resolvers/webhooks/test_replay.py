"""Replays: all missed deliveries of an endpoint are sent again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from tests import sql
from tests.api_client import Api, Merchant
from tests.resolvers.webhooks.conftest import Register
from tests.resolvers.webhooks.deliveries import CANCELED, DELIVERED, EXHAUSTED, deliveries_of


def ago(**period: float) -> str:
    return (datetime.now(UTC) - timedelta(**period)).isoformat()


async def replay(merchant: Merchant, endpoint: dict[str, Any], since: str, **headers: str) -> Any:
    path = f"/webhook-endpoints/{endpoint['id']}/replay"
    return await merchant.api.post(path, {"since": since}, token=merchant.token, **headers)


async def test_missed_deliveries_are_replayed_oldest_first_and_spread(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint, other = await register(), await register()
    await deliveries_of(database, endpoint, EXHAUSTED, CANCELED, age=timedelta(days=2))
    _, exhausted, canceled = await deliveries_of(
        database, endpoint, DELIVERED, EXHAUSTED, CANCELED, age=timedelta(hours=1)
    )
    await deliveries_of(database, other, EXHAUSTED)
    answer = await replay(merchant, endpoint, since := ago(days=1))
    assert answer.status_code == 200, answer.text
    replayed = answer.json()["data"]
    assert replayed | {"since": None} == {
        "endpoint_id": endpoint["id"],
        "since": None,
        "replayed": 2,
        "has_more": False,
    }
    assert datetime.fromisoformat(replayed["since"]) == datetime.fromisoformat(since)
    due = await sql.rows(
        database,
        """select id, failures, finished_at, canceled_reason, next_attempt_at from webhook_deliveries
            where state = 0 order by next_attempt_at""",
    )
    assert [row["id"] for row in due] == [exhausted, canceled]
    assert {tuple(row)[1:4] for row in due} == {(0, None, None)}
    assert due[1]["next_attempt_at"] - due[0]["next_attempt_at"] == timedelta(milliseconds=20)
    audit = await sql.row(database, "select * from audit_trail where action = 'webhook_endpoint.replayed'")
    assert audit is not None
    assert (audit["resource_id"], audit["changes"]["replayed"]) == (endpoint["id"], {"from": None, "to": 2})


async def test_a_replay_is_limited_to_ten_thousand_deliveries(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await sql.run(
        database,
        """with event as (
               insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
               select uuidv7(), $2, 'test', 'charge.paid', '{}', n::text, now() from generate_series(1, 10001) n
               returning id
           )
           insert into webhook_deliveries (event_id, endpoint_id, state, next_attempt_at, created_at, finished_at)
           select id, $1, 2, now(), now(), now() from event""",
        endpoint["id"],
        merchant.id,
    )
    # As autovacuum does in production. The plan for an empty table is slow with ten thousand rows.
    await sql.run(database, "analyze webhook_deliveries, webhook_events")
    results = [(await replay(merchant, endpoint, ago(hours=1))).json()["data"] for _ in range(3)]
    assert [(result["replayed"], result["has_more"]) for result in results] == [(10_000, True), (1, False), (0, False)]


async def test_a_repeated_call_with_its_key_sends_nothing_twice(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await deliveries_of(database, endpoint, EXHAUSTED)
    since = ago(hours=1)
    first = await replay(merchant, endpoint, since, idempotency_key="replay-1")
    await sql.run(database, "update webhook_deliveries set state = 2")
    second = await replay(merchant, endpoint, since, idempotency_key="replay-1")
    assert second.headers["idempotent-replayed"] == "true"
    assert second.json() == first.json()
    assert await sql.value(database, "select state from webhook_deliveries") == EXHAUSTED


@pytest.mark.parametrize("since", [{"days": 31}, {"hours": -1}, "ontem", None, 5], ids=repr)
async def test_a_replay_goes_back_at_most_thirty_days(
    merchant: Merchant, register: Register, database: Database, since: Any
) -> None:
    endpoint = await register()
    await deliveries_of(database, endpoint, EXHAUSTED)
    refused = await replay(merchant, endpoint, ago(**since) if isinstance(since, dict) else since)
    assert refused.status_code == 400
    assert [field["campo"] for field in refused.json()["error"]["campos"]] == ["since"]
    assert await sql.value(database, "select state from webhook_deliveries") == EXHAUSTED


async def test_an_inactive_or_foreign_endpoint_gets_nothing(
    api: Api, merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await deliveries_of(database, endpoint, CANCELED)
    path = f"/webhook-endpoints/{endpoint['id']}/replay"
    stranger = await api.register_merchant()
    assert (await api.post(path, {"since": ago(hours=1)}, token=stranger.token)).status_code == 404
    by_key = await api.post(path, {"since": ago(hours=1)}, token=merchant.key)
    assert (by_key.status_code, by_key.json()["error"]["codigo"]) == (403, "SOMENTE_PAINEL")
    await api.put(f"/webhook-endpoints/{endpoint['id']}", {"active": False}, token=merchant.token)
    assert (await replay(merchant, endpoint, ago(hours=1))).status_code == 409
    assert await sql.value(database, "select state from webhook_deliveries") == CANCELED


async def test_deliveries_missed_while_inactive_are_replayed_over_graphql(
    api: Api, merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}"
    await api.put(path, {"active": False}, token=merchant.token)
    for _ in range(3):
        await merchant.issue()
    await api.put(path, {"active": True}, token=merchant.token)
    mutation = "mutation($i: ReplayWebhooksInput!) { replayWebhooks(input: $i) { replayed hasMore } }"
    answer = await api.graphql(mutation, token=merchant.token, i={"id": endpoint["id"], "since": ago(minutes=5)})
    assert answer["data"]["replayWebhooks"] == {"replayed": 3, "hasMore": False}
    assert await sql.value(database, "select count(*) from webhook_deliveries where state = 0") == 3
