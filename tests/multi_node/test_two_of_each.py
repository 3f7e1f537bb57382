"""Two API processes and two workers with one PostgreSQL and one Redis, behind a proxy.

Merchants can't distinguish the processes, and a killed one loses nothing.
"""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import httpx
from redis.asyncio import Redis

from gateway.models.database import Database
from gateway.resolvers.accounts.passwords import FAILURES_PER_EMAIL
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api_client import Merchant, charge_order
from tests.chaos.processes import until
from tests.clocks.fixtures import read_clock, start_advance
from tests.e2e import test_first_charge as first_charge
from tests.e2e import test_production as production
from tests.e2e import test_year as year
from tests.multi_node.conftest import NAME, SESSIONS, Fleet
from tests.workers.receivers import Receiver, receiving

STUCK = f"{SESSIONS} and wait_event_type = 'Lock'"
HANG_UP = (
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'"
)


async def test_two_of_each_serve_as_one(fleet: Fleet, database: Database, redis_url: str) -> None:
    merchant = await fleet.api.register_merchant()
    await first_charge.test_a_charge_is_issued_paid_once_and_read_through_both_transports(fleet.api, merchant)
    await first_charge.test_an_order_below_the_minimum_is_refused_alike_by_both_transports(fleet.api, merchant)
    async with receiving() as receiver:
        await create_endpoint(receiver, merchant)
        await an_open_page_shows_a_payment_at_the_other_process(fleet, merchant)
        await one_key_creates_one_charge_at_any_process(merchant, database)
        await guesses_are_counted_together(fleet, merchant, redis_url)
        requests = list(fleet.proxy.taken.values())
        assert abs(requests[0] - requests[1]) <= 1, "the proxy gives each process its turn"
        await assert_all_delivered(receiver, database)
        # Kill an idle worker, and an API during a payment.
        os.kill(fleet.workers[0], signal.SIGKILL)
        await a_payment_survives_the_process_that_took_it(fleet, merchant, database)
        await assert_all_delivered(receiver, database)


async def test_production_and_a_year_behind_the_proxy(fleet: Fleet, services: Services, database: Database) -> None:
    """The longer scenarios; each step may reach another process."""
    by = production.TRANSPORTS["graphql"]
    await production.run_production_scenario(
        fleet.api,
        await fleet.api.register_merchant(),
        services,
        database,
        partial(by, fleet.api),
        lambda text: timedelta(0) <= datetime.now(UTC) - datetime.fromisoformat(text) < timedelta(seconds=10),
        partial(asyncio.sleep, 1),
    )
    await year.assert_year(await year.run_year(fleet.api, datetime.now(UTC), advance))
    requests = list(fleet.proxy.taken.values())
    assert abs(requests[0] - requests[1]) <= 1, "the proxy gives each process its turn"


async def advance(merchant: Merchant, to: datetime) -> dict[str, Any]:
    """Request an advance, and wait until a worker has done it."""
    await start_advance(merchant, to)

    async def arrived() -> bool:
        return (await read_clock(merchant))["status"] == "ready"

    await until(arrived, "a worker to advance the clock", 60, every=0.05)
    return await read_clock(merchant)


async def create_endpoint(receiver: Receiver, merchant: Merchant) -> None:
    order = {"name": "loja", "url": receiver.url()}
    created = await merchant.api.post("/webhook-endpoints", order, token=merchant.token)
    assert created.status_code == 201, created.text


async def an_open_page_shows_a_payment_at_the_other_process(fleet: Fleet, merchant: Merchant) -> None:
    charge = await merchant.issue()
    before = fleet.proxy.taken.copy()
    async with merchant.api.client.stream("GET", f"/pay/c/{charge['txid']}/events") as page:
        lines = page.aiter_lines()
        assert await _status(lines) == "pending"
        await merchant.pay(charge["id"])
        assert await _status(lines) == "paid"
    assert fleet.proxy.taken - before == Counter(fleet.proxy.backends), "the page is at one, the payment at the other"


async def _status(lines: AsyncIterator[str]) -> str:
    async for line in lines:
        if line.startswith("data: ") and line != "data: ":
            return line.removeprefix("data: ")
    raise AssertionError("the stream ended")


async def one_key_creates_one_charge_at_any_process(merchant: Merchant, database: Database) -> None:
    before = await sql.value(database, "select count(*) from charges")

    async def issue(**changes: Any) -> httpx.Response:
        order = charge_order(external_reference="pedido 7", **changes)
        return await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="pedido-7")

    answers = await asyncio.gather(*(issue() for _ in range(6)))
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() <= {201, 409}, "requests during the first one get 409"
    assert statuses[201] >= 1
    again = [await issue() for _ in range(2)]
    assert {answer.status_code for answer in again} == {201}
    charges = {answer.json()["data"]["id"] for answer in (*answers, *again) if answer.status_code == 201}
    assert len(charges) == 1
    assert await sql.value(database, "select count(*) from charges") == before + 1
    # Both processes refuse another order with the same key.
    others = [(await issue(amount=55)).json()["error"]["codigo"] for _ in range(2)]
    assert others == ["IDEMPOTENCIA_CONFLITO"] * 2


async def guesses_are_counted_together(fleet: Fleet, merchant: Merchant, redis_url: str) -> None:
    max_failures = FAILURES_PER_EMAIL[0]

    async def guess() -> int:
        form = {"email": merchant.email, "password": "uma senha errada"}
        return (await fleet.api.post("/auth/login", form)).status_code

    redis = Redis.from_url(redis_url)
    try:
        # A process counts locally while Redis is slow, so only Redis has the shared count.
        while int(await redis.get(f"limit:login:email:{merchant.email}") or 0) < max_failures:
            assert await guess() == 401
    finally:
        await redis.aclose()

    async def refused_by_both() -> bool:
        before = fleet.proxy.taken.copy()
        statuses = [await guess() for _ in range(2)]
        assert fleet.proxy.taken - before == Counter(fleet.proxy.backends), "they take turns"
        return statuses == [429, 429]

    # Both refuse, though each has seen half of the guesses. A process that counts locally retries Redis in two seconds.
    await until(refused_by_both, "both to refuse", 10, every=2.5)


async def a_payment_survives_the_process_that_took_it(fleet: Fleet, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    before = fleet.proxy.taken.copy()
    async with database.transaction() as blocker:
        await blocker.connection.execute("select from charges where id = $1 for update", charge["id"])
        paying = asyncio.create_task(
            merchant.api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.key)
        )
        await until(lambda: sql.value(database, STUCK, NAME), "the payment to wait for the charge")
        (taker,) = fleet.proxy.taken - before
        os.kill(fleet.apis[taker], signal.SIGKILL)
        assert (await paying).status_code == 502
        await sql.run(database, HANG_UP, NAME)
    assert await sql.value(database, "select status from charges where id = $1", charge["id"]) == "pending"
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    before = fleet.proxy.taken.copy()
    assert [await _read(merchant, charge) for _ in range(3)] == ["paid"] * 3
    assert (fleet.proxy.taken - before).keys() == fleet.apis.keys() - {taker}, "the other one answers for both"


async def _read(merchant: Merchant, charge: dict[str, Any]) -> str:
    answer = await merchant.api.get(f"/pix/status?txid={charge['txid']}", token=merchant.key)
    status: str = answer.json()["data"]["status"]
    return status


async def assert_all_delivered(receiver: Receiver, database: Database) -> None:
    """Every event has arrived once, and no delivery is pending."""

    async def settled() -> bool:
        return not await sql.value(database, "select exists(select from webhook_deliveries where state = 0)")

    await until(settled, "all deliveries to settle")
    events = await sql.rows(database, "select event_id from webhook_deliveries order by event_id")
    assert sorted(request.event_id for request in receiver.requests) == [str(event["event_id"]) for event in events]
