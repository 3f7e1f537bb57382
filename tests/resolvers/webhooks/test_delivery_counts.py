"""The log of an endpoint says how many deliveries there are without counting them all, whatever comes late or goes."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.webhooks.counting import count_deliveries
from gateway.resolvers.webhooks.delivery_log import DELIVERIES
from gateway.resolvers.webhooks.inputs import ListDeliveries
from gateway.resolvers.webhooks.views import DeliveryStatus
from tests import sql
from tests.api import Merchant
from tests.resolvers.webhooks.conftest import Register
from tests.resolvers.webhooks.deliveries import CANCELED, DELIVERED, DUE, EXHAUSTED, deliveries_of

OLD, STEP = timedelta(hours=2), 4
STATES = ("pending", "delivered", "exhausted", "canceled")
COUNTS = "select endpoint_id, rows from webhook_delivery_counts"
FORGET = "delete from webhook_deliveries where id = $1"
WAITS = "select count(*) from pg_locks where not granted"


@pytest.fixture
def ctx(services: Services) -> Context:
    return system_context(services, source="job", request_id="test")


async def told_rightly(merchant: Merchant, database: Database, endpoint: dict[str, Any]) -> int:
    """How many deliveries the log tells of, once its totals are compared with the table."""
    rows = await sql.rows(database, "select state from webhook_deliveries where endpoint_id = $1", endpoint["id"])
    found = {state: sum(row["state"] == number for row in rows) for number, state in enumerate(STATES)}
    for query, expected in (("", len(rows)), *((f"&status={state}", found[state]) for state in STATES)):
        path = f"/webhook-endpoints/{endpoint['id']}/deliveries?page=1&limit=1{query}"
        answer = await merchant.api.get(path, token=merchant.key)
        assert answer.json()["pagination"]["total"] == expected, query
    return len(rows)


async def until_somebody_waits(database: Database, task: asyncio.Task[Any]) -> None:
    while not await sql.value(database, WAITS):  # A lock announces nobody who waits.
        assert not task.done()
        await asyncio.sleep(0.01)


async def test_the_log_tells_how_many_there_are(
    merchant: Merchant, register: Register, ctx: Context, database: Database
) -> None:
    endpoint, other = await register(), await register()
    old = await deliveries_of(database, endpoint, DUE, DELIVERED, DELIVERED, EXHAUSTED, CANCELED, age=OLD)
    await deliveries_of(database, endpoint, DELIVERED, DUE)
    await deliveries_of(database, other, DELIVERED, age=OLD)
    assert await told_rightly(merchant, database, endpoint) == 7
    assert await count_deliveries(ctx, step=STEP) == 1
    assert [tuple(row) for row in await sql.rows(database, f"{COUNTS} where rows > 0")] == [(endpoint["id"], 5)]
    assert await told_rightly(merchant, database, endpoint) == 7
    await sql.run(database, FORGET, old[1])
    await deliveries_of(database, endpoint, DELIVERED, EXHAUSTED, age=OLD)
    await sql.run(database, "update webhook_deliveries set state = 1 where id = $1", old[0])
    assert await told_rightly(merchant, database, endpoint) == 8
    assert await count_deliveries(ctx, step=STEP) == 0, "there is too little to count"
    await sql.run(database, "delete from webhook_deliveries")
    assert await told_rightly(merchant, database, endpoint) == await told_rightly(merchant, database, other) == 0


async def test_what_arrived_in_a_period_is_what_the_others_leave_of_it(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await deliveries_of(database, endpoint, DUE, DELIVERED, DELIVERED, EXHAUSTED, CANCELED, age=3 * OLD)
    await deliveries_of(database, endpoint, DELIVERED, DELIVERED, DELIVERED, DUE, DUE, EXHAUSTED, age=OLD)
    since = datetime.now(UTC) - 2 * OLD
    for period, found in (
        ({"created_from": since}, 3),
        ({"created_to": since}, 2),
        ({"created_from": since - 2 * OLD}, 5),
    ):
        given = ListDeliveries(id=endpoint["id"], status=DeliveryStatus.delivered, **period)
        asked = DELIVERIES.asked(given)
        for most in (1, 2, 3, 5, 6, 11, 100):
            told = await database.one(
                DELIVERIES.count_some(asked, most=most), **asked.values, endpoint_id=endpoint["id"]
            )
            assert told is not None
            assert tuple(told) == (min(found, most), found > most), (period, most)


async def test_what_is_forgotten_while_it_is_counted_is_counted_once(
    merchant: Merchant, register: Register, ctx: Context, database: Database
) -> None:
    endpoint = await register()
    old = await deliveries_of(database, endpoint, *[DELIVERED] * 6, age=OLD)
    for row_id, counted in zip(old[:2], (False, True), strict=True):
        if counted:
            await sql.run(database, "update webhook_delivery_counts set upto = '-infinity', rows = 0")
        else:
            await sql.run(database, "delete from webhook_delivery_counts")
        async with database.transaction() as transaction:
            await transaction.connection.execute(FORGET, row_id)
            counting = asyncio.create_task(count_deliveries(ctx, step=1))
            await until_somebody_waits(database, counting)
        assert await counting == 1
        await told_rightly(merchant, database, endpoint)
    assert await told_rightly(merchant, database, endpoint) == 4


async def test_what_comes_late_while_it_is_counted_is_counted_once(
    merchant: Merchant, register: Register, ctx: Context, database: Database
) -> None:
    endpoint = await register()
    await deliveries_of(database, endpoint, *[DELIVERED] * 2, age=OLD)
    event = await sql.value(
        database,
        """insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
           select uuidv7(), user_id, environment, 'charge.paid', '{}', 'late', now() from webhook_endpoints where id = $1 returning id""",
        endpoint["id"],
    )
    async with database.transaction() as transaction:
        await transaction.connection.execute(
            """insert into webhook_deliveries (event_id, endpoint_id, state, next_attempt_at, created_at, finished_at)
               values ($1, $2, 1, now(), now() - interval '1 hour', now())""",
            event,
            endpoint["id"],
        )
        counting = asyncio.create_task(count_deliveries(ctx, step=1))
        await until_somebody_waits(database, counting)
    assert await counting == 1
    assert await told_rightly(merchant, database, endpoint) == 3
