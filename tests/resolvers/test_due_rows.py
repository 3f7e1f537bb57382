"""Due rows of periodic jobs: they are independent, and engine calls stop on an outage or at the end of the lease."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.core.due_rows import BATCH_DURATION, LEASE, Claim
from gateway.resolvers.engine_notifications.process import LEASE as FRESH
from gateway.resolvers.engine_notifications.process import MAX_WAIT, retry_notifications
from gateway.resolvers.refunds.recover import DUE
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.engine_notifications.test_notifications import notification, outcome
from tests.spy_engine import overhearing

MANY = 5
PeriodicJob = Callable[[Context], Awaitable[int]]


@pytest.fixture
def job(services: Services) -> Context:
    return system_context(services, source="job", request_id="a job")


async def unknown_issuances(merchant: Merchant, engines: Engines, clock: MovedClock) -> None:
    """Insert issuances of unknown outcome."""
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("create_charge", *[Behaviour.timeout_after] * MANY)
    engines.test.scenario.plan("find_charge", *[Behaviour.unavailable] * MANY)
    for _ in range(MANY):
        assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    clock.advance(ISSUANCE_LEASE)


async def pending_notifications(merchant: Merchant, engines: Engines, clock: MovedClock) -> None:
    """Insert notifications that could not be processed."""
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", *[Behaviour.unavailable] * MANY)
    for number in range(MANY):
        assert await outcome(merchant.api, notification(await merchant.issue(), f"evt_{number}")) == "received"
    clock.advance(FRESH)


@pytest.fixture(params=["issuances", "engine_notifications"])
async def due(request: Any, merchant: Merchant, engines: Engines, clock: MovedClock) -> tuple[PeriodicJob, str]:
    """Rows that are due: their job, and a query of their attempts."""
    if request.param == "issuances":
        await unknown_issuances(merchant, engines, clock)
        # The issuers have made one attempt each.
        return recover_issuances, "select sum(attempts - 1) from issuances"
    await pending_notifications(merchant, engines, clock)
    return retry_notifications, "select sum(attempts) from engine_notifications"


class Bank:
    """Counts the first call for each row, and runs `does`."""

    def __init__(self) -> None:
        self.calls = 0
        self.does: Callable[[], None] = lambda: None
        self._first: str | None = None

    async def on_call(self, call: str, *_: object) -> None:
        self._first = self._first or call
        if call == self._first:
            self.calls += 1
            self.does()

    def at(self, job: Context) -> Context:
        return replace(job, services=overhearing(job.services, self.on_call))


def raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize("error", [EngineUnavailable("out of order"), EngineBusy("too many")], ids=["down", "busy"])
async def test_an_unavailable_engine_is_called_once_per_batch(
    due: tuple[PeriodicJob, str], job: Context, database: Database, error: EngineError
) -> None:
    run_job, attempts = due
    bank = Bank()
    bank.does = raising(error)
    assert await run_job(bank.at(job)) == 0
    assert bank.calls == 1
    assert await sql.value(database, attempts) == 1, "rows without a call have no attempt"
    bank.does = lambda: None
    assert await run_job(bank.at(job)) == MANY - 1, "immediately, without the postponed one"


@pytest.mark.parametrize("error", [EngineOutcomeUnknown("lost"), EngineRefused("no"), RuntimeError("a bug")], ids=repr)
async def test_a_failing_row_does_not_affect_others(
    due: tuple[PeriodicJob, str], job: Context, clock: MovedClock, error: Exception
) -> None:
    run_job, _ = due
    bank = Bank()

    def third() -> None:
        if bank.calls == 3:
            raise error

    bank.does = third
    assert await run_job(bank.at(job)) == MANY - 1
    assert await run_job(job) == 0, "it is put off"
    clock.advance(MAX_WAIT)
    assert await run_job(job) == 1


async def test_a_slow_engine_is_not_called_after_the_lease(
    due: tuple[PeriodicJob, str], job: Context, clock: MovedClock, database: Database
) -> None:
    run_job, attempts = due
    bank = Bank()
    bank.does = lambda: clock.advance(BATCH_DURATION / 2)
    assert await run_job(bank.at(job)) == 2
    assert BATCH_DURATION < LEASE / 2
    assert await sql.value(database, attempts) == (2 if run_job is retry_notifications else 0)
    assert await run_job(job) == MANY - 2, "the other rows are not leased"


async def test_an_unavailable_engine_delays_only_its_environment(job: Context) -> None:
    rows: list[Any] = [
        {"environment": environment, "id": new_id(), "attempts": 1} for _ in range(2) for environment in Environment
    ]
    checked = []

    async def check(row: Any) -> bool:
        checked.append(row)
        if row["environment"] is Environment.test:
            raise EngineUnavailable
        return True

    failed: list[Any] = []
    claim = Claim(rows, job.real_clock.now() + LEASE)
    done = await DUE.process(job, claim, check, lambda row, _: failed.append(row))
    first_test, *_, last_live = rows
    assert (done, failed) == (2, [first_test])
    assert checked == [first_test, rows[1], last_live]
