"""No cycle is skipped or charged twice: crashes between steps, concurrent and late runners, a lost lock, clock skew."""

import asyncio
import signal
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.errors import JobInProgress
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.core.context import Services
from gateway.resolvers.reconciliation.queue import FIRST_CHECK_AGE
from gateway.resolvers.reconciliation.runner import reconcile
from gateway.resolvers.subscriptions.billing import BillingOptions, BillingRun
from gateway.resolvers.subscriptions.billing_job import lock_job
from gateway.resolvers.subscriptions.due import PAGE_SIZE
from gateway.resolvers.subscriptions.summary import BillingCounts
from gateway.settings import ReceivingMode, Settings
from gateway.workers.periodic_jobs import bill_due
from tests import sql
from tests.api.actors import set_status
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import approved, in_mode, with_settings
from tests.subprocesses import CLEAN, Forks
from tests.subscriptions.fixtures import (
    Biller,
    counts,
    lock_subscriptions,
    put_subscriptions,
    read_subscription,
    wait_until_blocked,
)
from tests.subscriptions.stop_at_step import SteppingDatabase, SteppingEngine, Stopped, Stops


async def charged_once(biller: Biller, ids: list[str]) -> None:
    """Each subscription has one charge, here and at the engine, with its events, and a later due date."""
    cycles = await biller.cycles()
    assert sorted(cycle.subscription_id for cycle in cycles) == sorted(ids)
    assert await biller.count("issuances") == 0
    assert await biller.count("simulator_charges where status = 'PENDING'") == len(ids)
    living = "simulator_charges s join charges c on c.engine_id = s.id and s.status = 'PENDING'"
    assert await biller.count(living) == len(ids)
    assert await biller.count("webhook_events where type = 'charge.created'") == len(ids)
    assert await biller.count("webhook_events where type = 'subscription.charged'") == len(ids)
    moved = f"subscriptions where cycles_count = 1 and next_billing_at > '{biller.clock.now()}'"
    assert await biller.count(moved) == len(ids)


def stepping(services: Services, stops: Stops) -> Services:
    engines = services.engines
    own = Engines(*(SteppingEngine(engine, stops) for engine in (engines.test, engines.live)))  # type: ignore[arg-type]  # they pass everything on.
    return replace(services, database=SteppingDatabase(services.database, stops), engines=own)


async def empty(database: Database) -> None:
    tables = "webhook_deliveries, webhook_events, charges, issuances, simulator_charges, subscriptions"
    await sql.run(database, " ".join(f"delete from {table};" for table in tables.split(", ")))


async def test_a_crash_at_any_step(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    await set_status(database, merchant, "approved")
    now = clock.now()

    async def due() -> list[str]:
        rows = [{}, {}, {"environment": "live"}]
        return await put_subscriptions(database, merchant.id, rows, due=now)

    counted = Stops()
    ids = await due()
    await Biller(stepping(services, counted), clock).run()
    await charged_once(biller, ids)
    assert counted.names.count("insert cycle charges") == 2
    assert "commit" in counted.names
    for number in range(len(counted.names)):
        for when in ("before", "after"):
            await empty(database)
            ids = await due()
            stops = Stops()
            stops.at(number, when)
            stopped = Biller(stepping(services, stops), clock)
            with pytest.raises(Stopped):
                await stopped.run()
            clock.advance(timedelta(seconds=1))
            await recover_issuances(biller.ctx)
            again = await biller.run()
            assert not again.falhas, (number, when, counted.names[number])
            await charged_once(biller, ids)


@pytest.mark.parametrize("step", ["engine creates", "insert cycle charges"])
async def test_a_killed_process(
    settings: Settings,
    merchant: Merchant,
    biller: Biller,
    clock: MovedClock,
    database: Database,
    forks: Forks,
    tmp_path: Path,
    step: str,
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now() - timedelta(minutes=5))
    source = {
        "GATEWAY_DATABASE_URL": settings.database_url,
        "GATEWAY_REDIS_URL": "redis://127.0.0.1:1/0",
        "GATEWAY_SECRET_KEY": settings.secret_key.get_secret_value(),
    }
    process = forks.start(
        *(step, "after"), module="tests.subscriptions.kill_at_step", env=CLEAN | source, cwd=tmp_path, stdout=1
    )
    assert await asyncio.to_thread(process.wait, 60) == -signal.SIGKILL
    # PostgreSQL notices that its client is gone in its own time; until then the lock is taken.
    async with asyncio.timeout(60):
        while True:
            try:
                await biller.run()
            except JobInProgress:
                await asyncio.sleep(0.05)
            else:
                break
    await charged_once(biller, ids)


async def test_the_second_of_two_runners_is_refused(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 20, due=clock.now())
    outcomes = await asyncio.gather(*(biller.run() for _ in range(6)), return_exceptions=True)
    done = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert sum(summary.cobradas for summary in done) == 20
    assert all(isinstance(outcome, JobInProgress) for outcome in outcomes if outcome not in done)
    await charged_once(biller, ids)


class NoLock:
    """Replaces the lock, so that several runs work concurrently."""

    async def verify(self) -> None:
        return


async def run_without_lock(biller: Biller, services: Services | None = None) -> BillingCounts:
    run = BillingRun.of(replace(biller.ctx, services=services or biller.services), BillingOptions())
    await run.run(NoLock())
    return run.counts


async def test_no_cycle_is_charged_twice_without_the_lock(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 60, due=clock.now())
    own = stepping(services, Stops())
    await asyncio.gather(*(run_without_lock(biller, own) for _ in range(4)))
    await biller.run()
    await charged_once(biller, ids)


async def test_a_runner_with_a_lost_lease_writes_nothing(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now())
    asleep, woken = asyncio.Event(), asyncio.Event()
    simulator: Any = services.engines.test

    class SuspendedEngine(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            asleep.set()
            await woken.wait()
            return await simulator.create_charge(order)

    sleepy: Any = SuspendedEngine(simulator, Stops())
    frozen = asyncio.create_task(run_without_lock(biller, replace(services, engines=Engines(sleepy, sleepy))))
    await asleep.wait()
    assert await biller.count("issuances") == 3
    assert counts(await biller.run()) == {"analisadas": 3, "cobradas": 3}
    woken.set()
    late = (await frozen).summary(clock.now(), clock.now())
    assert counts(late) == {"analisadas": 3, "ja_cobradas": 3}
    await charged_once(biller, ids)
    assert await biller.count("simulator_charges where status = 'DELETED'") == 3


async def test_a_charge_created_after_another_run_looked_for_it_is_not_orphaned(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now())
    reserved, looked_up, recorded = asyncio.Event(), asyncio.Event(), asyncio.Event()
    simulator: Any = services.engines.test

    class SlowToCreate(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            reserved.set()
            await looked_up.wait()
            return await simulator.create_charge(order)

    class SlowToAnswer(SteppingEngine):
        async def find_charge(self, reference: str, txid: str, account: Any = None) -> Any:
            found = await super().find_charge(reference, txid, account)
            looked_up.set()
            await recorded.wait()
            return found

    first: Any = SlowToCreate(simulator, Stops())
    second: Any = SlowToAnswer(simulator, Stops())
    creates = asyncio.create_task(run_without_lock(biller, replace(services, engines=Engines(first, first))))
    await reserved.wait()
    recovers = asyncio.create_task(run_without_lock(biller, replace(services, engines=Engines(second, second))))
    await creates
    recorded.set()
    await recovers
    await biller.run()
    await charged_once(biller, ids)


async def test_a_charge_that_another_run_records_meanwhile_is_not_canceled(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now())
    created, recording = asyncio.Event(), asyncio.Event()
    simulator: Any = services.engines.test
    charges: list[Any] = []

    class SlowToAnswer(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            charge = await simulator.create_charge(order)
            charges.append(charge)
            if len(charges) == len(ids):
                created.set()
            await recording.wait()
            return charge

    slow: Any = SlowToAnswer(simulator, Stops())
    creates = asyncio.create_task(run_without_lock(biller, replace(services, engines=Engines(slow, slow))))
    await created.wait()
    async with lock_subscriptions(database, ids):
        adopts = asyncio.create_task(run_without_lock(biller))
        await wait_until_blocked(database, adopts)
        recording.set()
        await wait_until_blocked(database, creates, 2)
    await asyncio.gather(creates, adopts)
    await charged_once(biller, ids)


CUT_THE_LOCK = """select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"""


async def test_a_run_that_loses_its_lock_charges_nothing_twice(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * (PAGE_SIZE + 1), due=clock.now())
    simulator: Any = services.engines.test

    class DisconnectingEngine(SteppingEngine):
        async def create_charge(self, order: Any) -> Any:
            await sql.run(database, CUT_THE_LOCK)
            return await simulator.create_charge(order)

    cutting: Any = DisconnectingEngine(simulator, Stops())
    with suppress(ConnectionError):  # Unless it had already claimed its last page.
        await Biller(replace(services, engines=Engines(cutting, cutting)), clock).run()
    await biller.run()
    await charged_once(biller, ids)


async def test_a_lost_lock_is_detected(database: Database) -> None:
    async with lock_job(database) as lock:
        await lock.verify()
        await sql.run(database, CUT_THE_LOCK)
        with pytest.raises(ConnectionError):
            await lock.verify()
    async with lock_job(database) as lock:
        await lock.verify()


async def stop_with_unfinished_cycles(services: Services, clock: MovedClock) -> None:
    """Stop the job after the engine created its charges and before they are stored."""
    stops = Stops()
    stops.at_name("insert cycle charges", "before")
    with pytest.raises(Stopped):
        await Biller(stepping(services, stops), clock).run()


async def test_a_subscription_changed_after_a_crash_is_charged_with_its_new_values(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    [dearer, paused, same] = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    assert await biller.count("simulator_charges") == 3
    clock.advance(timedelta(minutes=10))
    await recover_issuances(biller.ctx)  # This run does not own them, so it does not cancel them.
    assert await biller.count("issuances") == 3
    for row_id, change in ((dearer, {"amount": 80}), (paused, {"status": "paused"})):
        answer = await merchant.api.put(f"/subscriptions/{row_id}", change, token=merchant.key)
        assert answer.status_code == 200, answer.text
    assert counts(await biller.run()) == {"analisadas": 2, "cobradas": 2}
    charges = {row["subscription_id"]: row for row in await sql.rows(database, "select * from charges")}
    assert {row_id: row["amount"] for row_id, row in charges.items()} == {dearer: 8000, same: 4990}
    states = await sql.rows(database, "select status, count(*) as n from simulator_charges group by 1 order by 1")
    assert [tuple(row) for row in states] == [("DELETED", 2), ("PENDING", 2)]
    assert await biller.count("issuances") == 0


async def test_an_unfinished_cycle_waits_for_its_own_engine(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    clock.advance(timedelta(minutes=1))
    await sql.run(database, "update issuances set engine = 'asaas'")
    assert counts(await biller.run()) == {"analisadas": 1, "falhas": 1}
    assert (await biller.count("issuances"), await biller.cycles()) == (1, [])
    await sql.run(database, "update issuances set engine = 'simulator'")
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await charged_once(biller, [row_id])


async def test_an_unfinished_cycle_that_cannot_be_canceled_waits(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database, engines: Engines
) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    clock.advance(timedelta(minutes=1))
    await merchant.api.put(f"/subscriptions/{row_id}", {"amount": 80}, token=merchant.key)
    engines.test.scenario.plan("cancel_charge", Behaviour.unavailable)  # type: ignore[attr-defined]  # it has one here.
    assert counts(await biller.run()) == {"analisadas": 1, "falhas": 1}
    assert await biller.cycles() == []
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await charged_once(biller, [row_id])


async def test_one_of_two_duplicate_engine_charges_is_recovered(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database, engines: Engines
) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    doubling = 'jsonb_populate_record(original, \'{"id": "pay_double"}\')'
    await sql.run(database, f"insert into simulator_charges select ({doubling}).* from simulator_charges original")
    engines.test.scenario.plan("cancel_charge", Behaviour.unavailable)  # type: ignore[attr-defined]  # it has one here.
    assert counts(await biller.run()) == {"analisadas": 1, "falhas": 1}
    assert await biller.cycles() == []
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await charged_once(biller, [row_id])
    assert await biller.count("simulator_charges where status = 'DELETED'") == 1


PAID = "update simulator_charges set status = 'RECEIVED', paid_amount = amount, paid_at = now()"


class CodelessEngine(SteppingEngine):
    """A bank that returns no BR Code for a charge that is not payable."""

    async def find_charge(self, reference: str, txid: str, account: Any = None) -> Any:
        return replace(await super().find_charge(reference, txid, account), br_code="")


@pytest.mark.parametrize("changed", [True, False], ids=["the subscription changed", "without a code"])
async def test_a_paid_engine_charge_that_cannot_be_recovered_is_listed_for_staff(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database, changed: bool
) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    clock.advance(timedelta(minutes=1))
    await sql.run(database, PAID)
    first = await sql.value(database, "select id from simulator_charges")
    if changed:
        await merchant.api.put(f"/subscriptions/{row_id}", {"amount": 80}, token=merchant.key)
        biller = Biller(services, clock)
    else:
        codeless = CodelessEngine(services.engines.test, Stops())
        biller = Biller(replace(services, engines=Engines(codeless, codeless)), clock)  # type: ignore[arg-type]  # it passes everything on.
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await charged_once(biller, [row_id])
    (found,) = await sql.rows(database, "select * from reconciliation_discrepancies")
    assert (found["kind"], found["engine_id"], found["engine_status"]) == ("unclaimed", first, "paid")
    assert (found["user_id"], found["amount"], found["engine_amount"]) == (merchant.id, 4990, 4990)
    assert await biller.count("issuances") == 0
    assert await biller.count("audit_trail where action = 'charge.issuance_closed'") == 1


async def test_a_paid_engine_charge_is_recovered_as_paid(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database
) -> None:
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    await sql.run(database, PAID)
    assert not (await biller.run()).falhas
    assert await sql.value(database, "select subscription_id from charges") == row_id
    clock.advance(FIRST_CHECK_AGE)
    assert (await reconcile(biller.ctx)).paid == 1
    assert await biller.count("reconciliation_discrepancies") == 0


class FullFeeEngine(SteppingEngine):
    """A bank whose fee is the whole amount of a charge that is looked up."""

    async def find_charge(self, reference: str, txid: str, account: Any = None) -> Any:
        return replace(await super().find_charge(reference, txid, account), net_amount=0)


async def test_an_unfinished_cycle_with_too_small_a_net_amount_is_canceled_and_charged_again(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    charging = with_settings(services, in_mode(services.settings, ReceivingMode.subconta))
    async with Api.of(Gateway(charging.settings, charging)) as api:
        await approved(replace(merchant, api=api))
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(charging, clock)
    greedy = FullFeeEngine(services.engines.test, Stops())
    biller = Biller(replace(charging, engines=Engines(greedy, greedy)), clock)  # type: ignore[arg-type]  # it passes everything on.
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await charged_once(biller, [row_id])
    assert await biller.count("simulator_charges where status = 'DELETED'") == 1


async def test_a_missed_run_is_caught_up(
    merchant: Merchant, biller: Biller, clock: MovedClock, database: Database
) -> None:
    ids = await put_subscriptions(database, merchant.id, [{}] * 3, due=clock.now())
    clock.advance(timedelta(days=4))
    await bill_due(biller.ctx)
    await bill_due(biller.ctx)
    await charged_once(biller, ids)


@pytest.mark.parametrize("hours", [1, -1])
async def test_a_clock_skew_of_an_hour(
    merchant: Merchant, services: Services, biller: Biller, clock: MovedClock, database: Database, hours: int
) -> None:
    due = clock.now() + timedelta(minutes=30)
    rows = [{"interval": interval} for interval in ("weekly", "monthly", "yearly")]
    ids = await put_subscriptions(database, merchant.id, rows, due=due)
    skewed = MovedClock(clock.now() + timedelta(hours=hours))
    other = Biller(replace(services, clock=skewed), skewed)
    for _ in range(5):
        await asyncio.gather(biller.run(), other.run(), return_exceptions=True)
        await biller.run()
        for each in (clock, skewed):
            each.advance(timedelta(minutes=20))
    await charged_once(biller, ids)
    dates = [(await read_subscription(merchant, row_id))["next_billing_at"] for row_id in ids]
    assert dates[0] == (due + timedelta(days=7)).isoformat()
