"""Rate limits per endpoint: test events, redeliveries and replays."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.webhooks.event_types import TEST_EVENT_LIMIT
from gateway.resolvers.webhooks.resend import REDELIVERY_LIMIT, REPLAY_LIMIT
from tests import sql
from tests.api_client import Merchant
from tests.resolvers.webhooks.conftest import Register

TRY = "mutation($id: ID!) { tryWebhookEndpoint(id: $id) { id } }"


async def _test(merchant: Merchant, path: str, **headers: str) -> Any:
    return await merchant.api.post(f"{path}/test", token=merchant.token, **headers)


async def _redeliver(merchant: Merchant, path: str, **headers: str) -> Any:
    delivery = (await merchant.api.get(f"{path}/deliveries", token=merchant.token)).json()["data"][0]
    return await merchant.api.post(f"{path}/deliveries/{delivery['id']}/redeliver", token=merchant.token, **headers)


async def _replay(merchant: Merchant, path: str, **headers: str) -> Any:
    since = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    return await merchant.api.post(f"{path}/replay", {"since": since}, token=merchant.token, **headers)


@pytest.mark.parametrize(
    ("act", "limit"),
    [(_test, TEST_EVENT_LIMIT), (_redeliver, REDELIVERY_LIMIT), (_replay, REPLAY_LIMIT)],
    ids=["test", "redeliver", "replay"],
)
async def test_resending_is_limited_per_endpoint(
    merchant: Merchant, register: Register, database: Database, act: Any, limit: tuple[int, int]
) -> None:
    paths = [f"/webhook-endpoints/{(await register())['id']}" for _ in range(2)]
    await merchant.issue()
    answers = [await act(merchant, paths[0]) for _ in range(limit[0] + 1)]
    assert [answer.status_code for answer in answers] == [200] * limit[0] + [429]
    refused = answers[-1]
    assert 0 < int(refused.headers["retry-after"]) <= limit[1]
    assert refused.headers["ratelimit-limit"] == str(limit[0])
    assert (await act(merchant, paths[1])).status_code == 200
    before = await sql.value(database, "select count(*) from webhook_events")
    assert (await act(merchant, paths[0])).status_code == 429
    assert await sql.value(database, "select count(*) from webhook_events") == before


async def test_a_repeated_request_is_replayed_and_not_counted(merchant: Merchant, register: Register) -> None:
    path = f"/webhook-endpoints/{(await register())['id']}"
    answers = [await _test(merchant, path, idempotency_key="k") for _ in range(TEST_EVENT_LIMIT[0] + 2)]
    assert {answer.status_code for answer in answers} == {200}


async def test_graphql_counts_with_rest(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    for _ in range(TEST_EVENT_LIMIT[0]):
        await _test(merchant, f"/webhook-endpoints/{endpoint['id']}")
    answer = await merchant.api.graphql(TRY, token=merchant.token, id=endpoint["id"])
    assert answer["errors"][0]["extensions"]["status"] == 429
