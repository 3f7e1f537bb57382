"""Reconciliation: lost notifications, engine outages, and killed or concurrent runners."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.integrations.engines.interface import (
    EngineCharge,
    Engines,
    EngineState,
)
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.schedule_reconciliation import CHECK_EXPIRED_AFTER
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.reconciliation.apply_engine_state import SyncResult
from gateway.resolvers.reconciliation.compare import DECISION_TABLE
from gateway.resolvers.reconciliation.queue import (
    FIRST_CHECK_AGE,
    LEASE,
    MAX_END_TO_END_ID_ATTEMPTS,
    MAX_WAIT,
    next_wait,
    retry_wait,
    schedule_old_charges,
)
from gateway.resolvers.reconciliation.runner import (
    MAX_CONCURRENT_CHECKS,
    dry_run,
    reconcile,
    run_due_checks,
)
from tests import sql
from tests.api.actors import set_status
from tests.api_client import Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.spy_engine import overhearing

PAID_EVENTS = "select count(*) from webhook_events where type = 'charge.paid'"


@pytest.fixture
def job(services: Services) -> Context:
    return system_context(services, source="job", request_id="a job")


async def pay_silently(engines: Engines, database: Database, charge: dict[str, Any]) -> None:
    """Pay at the bank; the notification is lost."""
    row = await sql.row(database, "select environment, engine_id from charges where id = $1", charge["id"])
    assert row is not None
    assert await engines.of(row["environment"]).confirm_test(row["engine_id"]) is not None


class NoEngines:
    def of(self, environment: Environment) -> Any:
        raise ConnectionRefusedError(environment)


async def test_a_failed_run_does_not_mark_its_task_as_canceled(job: Context) -> None:
    """The worker's next timeout in that task would end it, in the Python of Debian 12."""
    unreachable: Any = NoEngines()
    with pytest.raises(ConnectionRefusedError):
        await run_due_checks(replace(job, services=replace(job.services, engines=unreachable)))
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def status(database: Database, charge: dict[str, Any]) -> str:
    return str(await sql.value(database, "select status from charges where id = $1", charge["id"]))


async def live_charge(merchant: Merchant, database: Database) -> dict[str, Any]:
    await set_status(database, merchant, "approved")
    form = {"name": "loja", "environment": "live"}
    key = (await merchant.api.post("/api-keys", form, token=merchant.token)).json()["data"]["key"]
    charge: dict[str, Any] = (await merchant.api.post("/pix", charge_order(), token=key)).json()["data"]
    return charge


async def test_a_payment_without_notification_is_found_in_both_environments(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    charges = [await merchant.issue(), await live_charge(merchant, database)]
    unpaid = await merchant.issue()
    for charge in charges:
        await pay_silently(engines, database, charge)
    assert (await reconcile(job)).checked == 0, "too recent: the notification may still arrive"
    clock.advance(FIRST_CHECK_AGE)
    preview = await dry_run(job)
    assert (preview.checked, preview.paid) == (3, 2)
    assert await sql.value(database, "select count(*) from charge_reconciliations") == 0
    assert [await status(database, charge) for charge in charges] == ["pending", "pending"]
    tally = await reconcile(job)
    assert (tally.checked, tally.paid, tally.differing) == (3, 2, 0)
    assert [await status(database, charge) for charge in [*charges, unpaid]] == ["paid", "paid", "pending"]
    assert await sql.value(database, PAID_EVENTS) == 2
    record = await sql.row(database, "select * from audit_trail where action = 'charge.paid' limit 1")
    assert record is not None
    assert (record["actor_type"], record["source"], record["store_id"]) == ("system", "job", merchant.id)
    assert [row["charge_id"] for row in await sql.rows(database, "select charge_id from charge_reconciliations")] == [
        unpaid["id"]
    ], "a resolved charge is not checked again"
    assert (await reconcile(job)).checked == 0, "the unpaid charge has its own schedule"
    assert (await reconcile(job, run_all=True)).checked == 1
    clock.advance(4 * FIRST_CHECK_AGE)
    assert (await run_due_checks(job)).checked == 1


async def test_a_last_second_payment_and_a_lost_cancellation_are_found(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    soon = (clock.now() + timedelta(minutes=5)).isoformat()
    paid, unpaid = [await merchant.issue(expires_at=soon) for _ in range(2)]
    gone = await merchant.issue()
    await pay_silently(engines, database, paid)
    await engines.test.cancel_charge(
        await sql.value(database, "select engine_id from charges where id = $1", gone["id"])
    )
    clock.advance(timedelta(minutes=6))
    assert await expire_charges(job) == 2
    assert (await run_due_checks(job)).checked == 0
    clock.advance(CHECK_EXPIRED_AFTER)
    assert (await run_due_checks(job)).checked == 2
    row = await sql.row(database, "select status, paid_late from charges where id = $1", paid["id"])
    assert row is not None
    assert (row["status"], row["paid_late"]) == ("paid", False), "the bank has the payment time"
    assert await status(database, unpaid) == "expired"
    clock.advance(FIRST_CHECK_AGE)
    assert (await reconcile(job)).canceled == 1
    assert await status(database, gone) == "canceled"
    assert await sql.value(database, "select count(*) from charge_reconciliations") == 0


async def test_concurrent_runners_check_and_pay_once(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    charges = [await merchant.issue() for _ in range(2 * MAX_CONCURRENT_CHECKS)]
    for charge in charges:
        await pay_silently(engines, database, charge)
    clock.advance(FIRST_CHECK_AGE)
    await asyncio.gather(*(schedule_old_charges(job) for _ in range(4)))
    tallies = await asyncio.gather(*(run_due_checks(job) for _ in range(4)))
    assert sum(tally.checked for tally in tallies) == len(charges)
    assert sum(tally.paid for tally in tallies) == len(charges)
    assert await sql.value(database, PAID_EVENTS) == len(charges)


async def test_a_killed_runner_loses_and_duplicates_nothing(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    charges = [await merchant.issue() for _ in range(MAX_CONCURRENT_CHECKS + 3)]
    for charge in charges:
        await pay_silently(engines, database, charge)
    clock.advance(FIRST_CHECK_AGE)
    await schedule_old_charges(job)
    calls, hung = 0, asyncio.Event()

    async def hanging(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            hung.set()
            await asyncio.Event().wait()

    runner = asyncio.create_task(run_due_checks(replace(job, services=overhearing(job.services, hanging))))
    await hung.wait()
    idle = "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in tr%'"
    assert await sql.value(database, idle) == 0, "no transaction waits for an engine"
    runner.cancel()
    with pytest.raises(asyncio.CancelledError):
        await runner
    assert (await run_due_checks(job)).checked == 0, "the dead runner's lease is still valid"
    clock.advance(LEASE)
    await run_due_checks(job)
    assert {await status(database, charge) for charge in charges} == {"paid"}
    assert await sql.value(database, PAID_EVENTS) == len(charges)


async def test_after_an_outage_charges_are_checked_later(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    charges = [await merchant.issue() for _ in range(2 * MAX_CONCURRENT_CHECKS)]
    for charge in charges:
        await pay_silently(engines, database, charge)
    clock.advance(FIRST_CHECK_AGE)
    await schedule_old_charges(job)
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", *[Behaviour.unavailable] * len(charges))
    tally = await run_due_checks(job)
    assert tally.checked == 0
    assert 1 <= tally.unanswered <= MAX_CONCURRENT_CHECKS, "running checks finish, and no other check starts"
    assert {await status(database, charge) for charge in charges} == {"pending"}
    engines.test.scenario.clear("read_charge")
    assert (await run_due_checks(job)).checked == 0, "not before its time"
    clock.advance(retry_wait(1))
    tally = await run_due_checks(job)
    assert (tally.checked, tally.paid, tally.unanswered) == (len(charges), len(charges), 0)


async def test_an_error_of_one_charge_stops_no_other(
    merchant: Merchant, engines: Engines, database: Database, clock: MovedClock, job: Context
) -> None:
    charges = [await merchant.issue() for _ in range(3)]
    for charge in charges:
        await pay_silently(engines, database, charge)
    broken = await sql.value(database, "select engine_id from charges where id = $1", charges[1]["id"])
    clock.advance(FIRST_CHECK_AGE)

    async def breaking(_call: str, engine_id: str, *_: object) -> None:
        if engine_id == broken:
            raise RuntimeError("unexpected")

    tally = await reconcile(replace(job, services=overhearing(job.services, breaking)))
    assert (tally.paid, tally.unanswered) == (2, 1)
    clock.advance(retry_wait(1))
    assert (await run_due_checks(job)).paid == 1


def sync_result(
    ours: ChargeStatus, theirs: EngineState, *, proof: str | None = None, differs: bool = False
) -> SyncResult:
    charge_read = EngineCharge("pay_1", "id", "", 100, theirs, 100, None, proof)
    return SyncResult(DECISION_TABLE[ours][theirs], charge_read, differs=differs)


def row(ours: ChargeStatus, attempts: int = 0, proof: str | None = None) -> dict[str, Any]:
    return {"status": ours, "attempts": attempts, "end_to_end_id": proof}


def test_checks_back_off_and_end() -> None:
    pending = [
        next_wait(row(ChargeStatus.pending, attempts), sync_result(ChargeStatus.pending, EngineState.pending))
        for attempts in range(300)
    ]
    waits = [wait for wait in pending if wait is not None]
    assert len(waits) == 300
    assert waits == sorted(waits)
    assert waits[-1] == MAX_WAIT
    without_proof = sync_result(ChargeStatus.paid, EngineState.paid)
    tries = [
        next_wait(row(ChargeStatus.paid, attempts), without_proof) for attempts in range(MAX_END_TO_END_ID_ATTEMPTS)
    ]
    assert None not in tries[:-1]
    assert tries[-1] is None, "checks end without an EndToEndId, too"
    assert next_wait(row(ChargeStatus.paid), sync_result(ChargeStatus.paid, EngineState.paid, proof="E1")) is None
    for theirs in (EngineState.retired, EngineState.refunded):
        assert next_wait(row(ChargeStatus.pending), sync_result(ChargeStatus.pending, theirs, proof="E1")) is None
    while_open = next_wait(
        row(ChargeStatus.paid, proof="E1"), sync_result(ChargeStatus.paid, EngineState.pending, differs=True)
    )
    assert while_open is not None
    assert next_wait(row(ChargeStatus.paid, proof="E1"), sync_result(ChargeStatus.paid, EngineState.pending)) is None


async def test_a_charge_of_another_engine_is_not_checked(
    merchant: Merchant, database: Database, clock: MovedClock, job: Context
) -> None:
    await merchant.issue()
    await sql.run(database, "update charges set engine = 'former'")
    clock.advance(FIRST_CHECK_AGE)
    assert (await reconcile(job)).checked == 0
    assert await sql.value(database, "select count(*) from reconciliation_discrepancies") == 0
    assert await sql.value(database, "select count(*) from charge_reconciliations") == 0
