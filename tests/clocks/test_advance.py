"""An advance resumes after a stop, does nothing twice, and waits for webhooks up to a limit."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
import structlog
from msgspec.structs import replace

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.clocks.advance import AdvanceConfig, advance_clocks
from gateway.resolvers.core.context import Services
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Merchant
from tests.clocks.fixtures import QUICK, advance, charges_of, complete_advance, instant, job, read_clock, start_advance
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import (
    lock_subscriptions,
    put_subscriptions,
    read_subscription,
    subscribed,
    wait_until_blocked,
)
from tests.subscriptions.stop_at_step import SteppingDatabase, SteppingEngine, Stopped, Stops
from tests.workers.outbox import Outbox

DAY = timedelta(days=1)
EXPIRE_LEASES = "update test_clocks set lease_until = now() - interval '1 second' where lease_until is not null"
EVENTS = """select e.type, c.billing_cycle, c.status, s.cycles_count from webhook_events e
    join charges c on e.dedupe_key = e.type || ':' || c.id join subscriptions s on s.id = c.subscription_id
    order by convert_from(e.body, 'utf8')::jsonb ->> 'sequence'"""
UNFINISHED = (
    "select (select count(*) from issuances) + (select count(*) from test_clocks where target_time is not null)"
)
ENGINE_CHARGES = "select count(*) from simulator_charges where status = 'PENDING'"


async def put_weekly_subscription(database: Database, store: str, first: datetime) -> None:
    await put_subscriptions(database, store, [{"interval": "weekly", "created_at": first - DAY}], due=first)


async def events(database: Database) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await sql.rows(database, EVENTS)]


async def test_a_crash_at_any_step_skips_and_duplicates_nothing(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    target = first + 1.5 * DAY

    async def again() -> None:
        tables = ("test_clocks", "webhook_events", "charges", "issuances", "simulator_charges", "subscriptions")
        await sql.run(database, " ".join(f"delete from {table};" for table in tables))
        await put_weekly_subscription(database, merchant.id, first)
        await start_advance(merchant, target)

    def stopping(stops: Stops) -> Services:
        engines = Engines(*[SteppingEngine(services.engines.test, stops)] * 2)  # type: ignore[arg-type]  # it passes everything on.
        return replace(services, database=SteppingDatabase(services.database, stops), engines=engines)

    await again()
    counted = Stops()
    await advance_clocks(job(stopping(counted)), QUICK)
    whole = await events(database)
    assert [(kind, cycle, status) for kind, cycle, status, _ in whole] == [
        (kind, first, "expired") for kind in ("charge.created", "subscription.charged")
    ]
    assert counted.names.count("insert cycle charges") == 1
    for number in range(1, len(counted.names)):
        await again()
        stops = Stops()
        stops.at(number, "after")
        with structlog.testing.capture_logs() as logged:
            await advance_clocks(job(stopping(stops)), QUICK)
        assert [(line["event"], type(line["exc_info"])) for line in logged] == [("test_clock_stuck", Stopped)]
        await sql.run(database, EXPIRE_LEASES)
        result = await complete_advance(merchant)
        assert await events(database) == whole, counted.names[number]
        assert await sql.value(database, UNFINISHED) == 0
        assert await sql.value(database, ENGINE_CHARGES) == 1
        assert timedelta(0) <= instant(result["now"]) - target < timedelta(seconds=1)


async def test_a_worker_that_lost_its_lease_writes_nothing(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    await start_advance(merchant, first + 8 * DAY)
    asleep, woken = asyncio.Event(), asyncio.Event()
    simulator: Any = services.engines.test

    class SuspendedEngine(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            asleep.set()
            await woken.wait()
            return await simulator.create_charge(order)

    sleepy: Any = SuspendedEngine(simulator, Stops())
    frozen = asyncio.create_task(advance_clocks(job(replace(services, engines=Engines(sleepy, sleepy))), QUICK))
    await asleep.wait()
    await advance_clocks(job(services), QUICK)
    assert (await read_clock(merchant))["status"] == "advancing"  # Another worker has it.
    await sql.run(database, EXPIRE_LEASES)
    result = await complete_advance(merchant)
    before = await events(database)
    woken.set()
    await frozen
    assert await events(database) == before
    assert [cycle for _, cycle, *_ in before] == [first, first, first + 7 * DAY, first + 7 * DAY]
    assert await read_clock(merchant) == result
    assert await sql.value(database, UNFINISHED) == 0
    assert await sql.value(database, ENGINE_CHARGES) == 2


async def test_a_stopped_worker_releases_the_advance_immediately(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    await start_advance(merchant, first + DAY)
    asleep = asyncio.Event()

    class HangingEngine(SteppingEngine):
        async def create_charge(self, _order: Any) -> Any:
            asleep.set()
            await asyncio.Event().wait()

    hanging: Any = HangingEngine(services.engines.test, Stops())
    stopped = asyncio.create_task(advance_clocks(job(replace(services, engines=Engines(hanging, hanging))), QUICK))
    await asleep.wait()
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    await advance_clocks(job(services), QUICK)
    assert (await read_clock(merchant))["status"] == "ready"
    assert [cycle for _, cycle, *_ in await events(database)] == [first, first]


async def test_short_batches_have_the_same_result(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    result = await advance(merchant, first + 30 * DAY, AdvanceConfig(seconds=0.001))
    assert result["status"] == "ready"
    cycles = [cycle for kind, cycle, *_ in await events(database) if kind == "charge.created"]
    assert cycles == [first + 7 * number * DAY for number in range(5)]


async def test_a_cycle_refused_by_the_engine_is_retried_a_day_later(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    script: Any = services.engines.test
    script.scenario.plan("create_charge", Behaviour.refuse, Behaviour.timeout_after)
    await advance(merchant, first + 3.5 * DAY)
    (charge,) = await charges_of(merchant)
    assert instant(charge["created_at"]) - first < 2 * DAY
    assert instant(charge["created_at"]) - first >= DAY
    assert await sql.value(database, UNFINISHED) == 0
    (subscription,) = await sql.rows(database, "select id from subscriptions")
    result = await read_subscription(merchant, subscription["id"])
    assert (result["cycles_count"], result["last_failure"]) == (1, None)


async def test_a_locked_subscription_is_charged_before_the_clock_advances(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    ids = [row["id"] for row in await sql.rows(database, "select id from subscriptions")]
    await start_advance(merchant, first + 20 * DAY)
    async with lock_subscriptions(database, ids):
        advancing = asyncio.create_task(complete_advance(merchant))
        await wait_until_blocked(database, advancing)
        result = await read_clock(merchant)
        assert timedelta(0) <= instant(result["now"]) - first < timedelta(seconds=1)
    await advancing
    assert await charged_cycles(database) == [first, first + 7 * DAY, first + 14 * DAY]


async def test_no_cycle_is_skipped_during_a_change_of_the_subscription(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    first = clock.now() + DAY
    made = await subscribed(merchant, interval="weekly", next_billing_at=first.isoformat())
    path = f"/subscriptions/{made['id']}"
    await start_advance(merchant, first + 57 * DAY)
    advancing = asyncio.create_task(complete_advance(merchant))

    async def change(number: int) -> None:
        while not advancing.done():
            await merchant.api.put(path, {"description": f"{number} {new_id()}"}, token=merchant.key)

    async def charge() -> None:
        while not advancing.done():
            await merchant.api.post(f"{path}/charge", token=merchant.key)

    await asyncio.gather(advancing, change(1), change(2), change(3), charge())
    assert await charged_cycles(database) == [first + 7 * number * DAY for number in range(9)]


async def test_work_with_a_past_date_is_done_immediately(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    """A request that read an earlier time may write its date after the clock has advanced, also past the target."""
    first = clock.now() + DAY
    await put_weekly_subscription(database, merchant.id, first)
    simulator: Any = services.engines.test
    late = iter([{"next_billing_at": first - timedelta(seconds=1)}, {"next_billing_at": first + 7 * DAY}])

    class LateEngine(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            if row := next(late, None):
                await put_subscriptions(database, merchant.id, [row], due=first + 60 * DAY)
            return await simulator.create_charge(order)

    dated: Any = LateEngine(simulator, Stops())
    await start_advance(merchant, first + 7 * DAY)
    await advance_clocks(job(replace(services, engines=Engines(dated, dated))), QUICK)
    assert (await read_clock(merchant))["status"] == "ready"
    assert len(await charged_cycles(database)) == 4


async def test_a_locked_charge_expires_before_the_clock_advances(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    over = instant(charge["expires_at"])
    await start_advance(merchant, over + 30 * DAY)
    async with database.transaction() as transaction:
        await transaction.connection.execute("select id from charges for update")
        while instant((result := await read_clock(merchant))["now"]) < over:
            await advance_clocks(job(services), AdvanceConfig(seconds=0.6, poll_seconds=0.001))
        assert result["status"] == "advancing"
        assert instant(result["now"]) - over < timedelta(seconds=1)
    await complete_advance(merchant)
    expired = await sql.value(database, "select updated_at from charges where status = 'expired'")
    assert timedelta(0) <= expired - over < timedelta(seconds=1)


async def charged_cycles(database: Database) -> list[datetime]:
    """The charged cycles, each at its exact second."""
    query = "select billing_cycle, created_at from charges where billing_cycle is not null order by 1, 2"
    rows = await sql.rows(database, query)
    assert all(row["created_at"] - row["billing_cycle"] < timedelta(seconds=2) for row in rows)
    return [row["billing_cycle"] for row in rows]


async def test_the_clock_waits_for_webhooks_up_to_a_limit(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    outbox = Outbox(services, database, merchant.id)
    endpoint = await outbox.endpoint("http://127.0.0.1:1/")
    await outbox.emit(endpoint)  # Without a dispatcher it is never delivered.
    target = clock.now() + 10 * DAY
    await start_advance(merchant, target)
    # Long enough for the dozen statements before the wait.
    await advance_clocks(job(services), AdvanceConfig(seconds=0.6, poll_seconds=0.001))
    waiting = await read_clock(merchant)
    assert (waiting["status"], waiting["offset_seconds"]) == ("advancing", 0)
    left = await sql.value(database, "select webhook_wait_ms from test_clocks")
    assert left < 60_000
    await sql.run(database, "update test_clocks set webhook_wait_ms = 0")
    assert (await complete_advance(merchant))["status"] == "ready"

    # A delivery waiting for a retry moves with the clock. With an inactive endpoint it does not block.
    await sql.run(database, "update webhook_deliveries set next_attempt_at = now() + interval '15 days'")
    await sql.run(database, "update webhook_endpoints set active = false")
    await advance(merchant, target + 10 * DAY)
    soon = await sql.value(database, "select next_attempt_at - now() from webhook_deliveries")
    assert timedelta(days=4) < soon < timedelta(days=5, minutes=1)


@pytest.mark.parametrize("stores", [1, 3])
async def test_many_stores_advance_in_turn(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock, stores: int
) -> None:
    merchants = [merchant, *[await merchant.api.register_merchant() for _ in range(2)]]
    for each in merchants:
        await put_weekly_subscription(database, each.id, clock.now() + DAY)
        await start_advance(each, clock.now() + 16 * DAY)
    for _ in range(3 // stores):
        await advance_clocks(job(services), AdvanceConfig(max_stores=stores, poll_seconds=0.001, seconds=60))
    assert [(await read_clock(each))["status"] for each in merchants] == ["ready"] * 3
    assert [len(await charges_of(each)) for each in merchants] == [3, 3, 3]
