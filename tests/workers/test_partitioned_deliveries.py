"""Deliveries in several monthly partitions: one log, one schedule, and none is sent twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Merchant
from tests.clocks.fixtures import advance
from tests.workers.conftest import Dispatching
from tests.workers.outbox import Endpoint, Outbox
from tests.workers.receivers import receiving

NOW = datetime.now(UTC)
THIS_MONTH = NOW.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
NEW_DELIVERY = """
    with event as (
        insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
        select uuidv7($2::timestamptz - now()), user_id, environment, 'charge.paid', '{}', 'charge.paid:' || $3, $2
          from webhook_endpoints where id = $1 returning id
    )
    insert into webhook_deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select uuidv7($2::timestamptz - now()), id, $1, now(), $2 from event
"""


async def test_deliveries_of_several_months_are_sent_listed_and_resent_once(
    merchant: Merchant, outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    # The last minute of a month, the first of the next, now, and a month that has no partition.
    times = [NOW, THIS_MONTH, THIS_MONTH - timedelta(minutes=1), THIS_MONTH - timedelta(days=400)]
    charges = [new_id() for _ in times]
    async with receiving() as receiver, dispatching():
        endpoint = Endpoint(await registered(merchant, receiver.url()), "test", "")
        for time, charge in zip(times, charges, strict=True):
            await sql.run(database, NEW_DELIVERY, endpoint.id, time, charge)
        assert await sql.value(database, "select count(distinct tableoid) from webhook_deliveries") == 3
        await outbox.settled()
        assert len(receiver.requests) == len({request.event_id for request in receiver.requests}) == 4

        log = await listed(merchant, endpoint)
        assert [delivery["resource_id"] for delivery in log["data"]] == charges
        assert log["pagination"]["total"] == 4
        for delivery in log["data"]:
            assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)
            for query in (f"event_id={delivery['event_id']}", f"resource_id={delivery['resource_id']}"):
                assert (await listed(merchant, endpoint, f"?{query}"))["data"] == [delivery]
            path = f"/webhook-endpoints/{endpoint.id}/deliveries/{delivery['id']}"
            assert (await merchant.api.get(path, token=merchant.key)).json()["data"] == delivery
            resent = await merchant.api.post(f"{path}/redeliver", token=merchant.token)
            assert resent.status_code == 200, resent.text
        await outbox.settled()
    assert len(receiver.requests) == 8
    again = await listed(merchant, endpoint)
    assert [len(delivery["attempts"]) for delivery in again["data"]] == [2] * 4


async def test_events_of_a_test_clock_are_stored_in_the_partition_of_the_real_month(
    merchant: Merchant, outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    target = NOW + timedelta(days=300)
    async with receiving() as receiver, dispatching():
        endpoint = Endpoint(await registered(merchant, receiver.url()), "test", "")
        await advance(merchant, target)
        await merchant.issue()
        await outbox.settled()
        (request,) = receiver.requests
        event = orjson.loads(request.body)
        assert datetime.fromisoformat(event["created_at"]) >= target
        (delivery,) = (await listed(merchant, endpoint))["data"]
        assert delivery["status"] == "delivered"
        assert datetime.fromisoformat(delivery["created_at"]) < target
    for table in ("webhook_events", "webhook_deliveries", "webhook_attempts"):
        partition = await sql.value(database, f"select tableoid::regclass::text from {table}")
        assert partition == f"{table}_{NOW:%Y%m}"


async def test_exhausted_deliveries_of_several_months_are_replayed_once(
    merchant: Merchant, outbox: Outbox, dispatching: Dispatching, database: Database
) -> None:
    async with receiving() as receiver:
        endpoint = Endpoint(await registered(merchant, receiver.url()), "test", "")
        for time in (NOW - timedelta(days=29), NOW):
            await sql.run(database, NEW_DELIVERY, endpoint.id, time, new_id())
        await sql.run(database, "update webhook_deliveries set state = 2, attempts = 12, finished_at = now()")
        order = {"since": (NOW - timedelta(days=30) + timedelta(hours=1)).isoformat()}
        path = f"/webhook-endpoints/{endpoint.id}/replay"
        replayed = await merchant.api.post(path, order, token=merchant.token)
        assert replayed.json()["data"]["replayed"] == 2
        async with dispatching():
            await outbox.settled()
    assert len({request.event_id for request in receiver.requests}) == len(receiver.requests) == 2


async def registered(merchant: Merchant, url: str) -> str:
    answer = await merchant.api.post("/webhook-endpoints", {"name": "loja", "url": url}, token=merchant.token)
    endpoint: str = answer.json()["data"]["id"]
    return endpoint


async def listed(merchant: Merchant, endpoint: Endpoint, query: str = "") -> dict[str, Any]:
    answer = await merchant.api.get(f"/webhook-endpoints/{endpoint.id}/deliveries{query}", token=merchant.key)
    log: dict[str, Any] = answer.json()
    return log
