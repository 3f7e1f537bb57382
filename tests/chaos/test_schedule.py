"""Failures in a row, recoveries, and clocks that are wrong: the schedule stays what was published."""

import asyncio
import itertools
import time
from datetime import UTC, datetime, timedelta

from gateway.resolvers.webhooks.retry_policy import DELAYS
from tests.chaos import answers
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.processes import GatewayProcess, until
from tests.chaos.report import Result

SCALE = 1 / 20_000
POLL = 1.0
"""A delivery is taken up at most this long after it is due."""
WRITING = 0.25
"""What came of an attempt is written at most this long after its end."""
_OF = "from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id and e.url like '%/broken'"
STATE = f"select d.state, d.attempts, d.failures {_OF}"
# From the end of the attempt, as the log has it.
DELAY = f"""
select extract(epoch from d.next_attempt_at - a.started_at - a.duration_ms * interval '1 ms')::float8
  {_OF} join webhook_attempts a on a.delivery_id = d.id and a.number = d.attempts
 where d.failures = $1 and d.lease_token is null"""


@experiment(
    "10",
    "Receiver answers 500 for the whole schedule, time scaled by 1/20 000",
    "12 attempts at the exact times (±20 %), then exhausted; no 13th; mail; endpoint still active",
)
async def test_experiment_10_the_whole_schedule_fails(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world(WEBHOOK_RETRY_SCALE=f"{SCALE:.6f}")
    worker = await world.worker()
    store = await world.store()
    await world.plant_endpoint(store, "/broken", answers.status, environment="live", code=500)
    await world.emit(store, environment="live")
    await world.settled(90)
    await asyncio.sleep(3)
    requests = world.receivers.requests("/broken")
    gaps = [later.at - sooner.at for sooner, later in itertools.pairwise(requests)]
    wrong = [
        f"attempt {number}: {gap:.2f} s for {delay * SCALE:.2f} s"
        for number, (gap, delay) in enumerate(zip(gaps, DELAYS, strict=True), 2)
        if not 0.8 * delay * SCALE <= gap <= 1.2 * delay * SCALE + (POLL + 0.5) * world.slack
    ]
    assert wrong == []
    assert [request.attempt for request in requests] == list(range(1, 13))
    assert tuple((await world.rows(STATE))[0]) == (2, 12, 12)
    assert await world.value("select bool_and(active) from webhook_endpoints")
    await _mail_of_yesterday(world, worker)
    result.note("its merchant was told in one mail on the next day")
    result.note(f"12 attempts in {sum(gaps):.1f} s (71 h scaled to {sum(DELAYS) * SCALE:.1f} s), no 13th in 3 s more")


async def _mail_of_yesterday(world: World, worker: GatewayProcess) -> None:
    """What was given up is told once a day; two workers that start then tell it once."""
    await world.bystander.leave()
    await worker.stop()
    await world.run("update webhook_deliveries set finished_at = finished_at - interval '1 day'")
    await asyncio.gather(world.worker(), world.worker())

    async def told() -> bool:
        return bool(await world.value(_EXHAUSTED))

    await until(told, "the mail about what was given up")
    await asyncio.sleep(1)
    assert await world.value(_EXHAUSTED) == 1


_EXHAUSTED = "select count(*) from emails where kind = 'webhook_deliveries_exhausted'"


@experiment(
    "10b",
    "The same at full scale, each delay read from the row and then cut short",
    "each of the 11 delays within ±20 % of the published one",
)
async def test_experiment_10b_the_delays_at_full_scale(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    await world.worker()
    store = await world.store()
    await world.plant_endpoint(store, "/broken", answers.status, environment="live", code=500)
    await world.emit(store, environment="live")
    told = []
    for failures, delay in enumerate(DELAYS, 1):
        left = await until(lambda failures=failures: world.value(DELAY, failures), f"failure {failures}")
        assert 0.8 * delay <= left <= 1.2 * delay + WRITING * world.slack
        told.append(left / delay)
        await world.run("update webhook_deliveries set next_attempt_at = now() where failures > 0")
    await world.settled()
    assert tuple((await world.rows(STATE))[0]) == (2, 12, 12)
    result.note(f"11 delays between {min(told):.2f} and {max(told):.2f} of the published ones, then exhausted")


@experiment("11", "500 five times, then 200", "attempts stop; breaker closes; failure counters reset", quick=True)
async def test_experiment_11_a_receiver_recovers(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world(WEBHOOK_RETRY_SCALE="0.0001")
    await world.worker()
    store = await world.store()
    await world.plant_endpoint(store, "/recovers", answers.fail_first, environment="live", times=5)

    async def degraded() -> bool:
        return bool(await world.value("select bool_or(degraded) from webhook_endpoint_health"))

    await world.emit(store, environment="live")
    await until(degraded, "the breaker to open", every=0.005)
    await world.settled()
    await asyncio.sleep(1.5)
    assert len(world.receivers.requests("/recovers")) == 6
    health = await world.rows("select consecutive_failures, degraded, first_failure_at from webhook_endpoint_health")
    assert {tuple(row) for row in health} == {(0, False, None)}
    result.note("6 requests, the breaker opened and closed, all counters are zero again")


@experiment(
    "16",
    "Worker clock +1 h and −1 h; database clock untouched",
    "schedule unchanged; `webhook-timestamp` within 5 s of database time",
)
async def test_experiment_16_workers_with_wrong_clocks(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    await asyncio.gather(world.api(), world.odd_worker(skew=3600), world.odd_worker(skew=-3600))
    shop = await world.shop()
    await world.register(shop, "/shop", healthy=True)
    await world.register(shop, "/broken", answers.status, code=500)
    soon = datetime.now(UTC) + timedelta(minutes=30)
    waiting = await shop.issue(expires_at=soon.isoformat())
    overdue = await shop.issue()
    await world.run(_OVERDUE, overdue["id"])
    for _ in range(10):
        await shop.issue()
    await world.arrived(24)

    async def all_failed() -> bool:
        return await world.value(_FAILED) == 12

    await until(all_failed, "the failures to be written")
    delays = [row[0] for row in await world.rows(_DELAYS_LEFT)]
    assert all(-5 * world.slack < delay <= 6.0 for delay in delays)
    off = [abs(request.timestamp - request.at) for request in world.receivers.requests()]
    assert max(off) <= 5 * world.slack
    result.note(f"{len(off)} requests signed within {max(off):.1f} s of the database's time; delays of 5 s stayed so")
    await _expired_on_time(world, overdue["id"], waiting["id"])
    result.note("a charge with 30 minutes left was left alone, one 10 minutes over was expired")
    await world.run("update webhook_endpoints set active = false where url like '%/broken'")
    await world.settled()


_OVERDUE = "update charges set expires_at = now() - interval '10 minutes' where id = $1"
_FAILED = "select count(*) from webhook_deliveries where failures >= 1"
_DELAYS_LEFT = """select extract(epoch from next_attempt_at - now())::float8 from webhook_deliveries
                   where state = 0 and failures = 1 and lease_token is null"""


async def _expired_on_time(world: World, overdue: str, waiting: str) -> None:
    """The sweep comes every ten seconds."""

    async def swept() -> bool:
        return await world.value("select status from charges where id = $1", overdue) == "expired"

    await until(swept, "the overdue charge to be expired", 60)
    begun = time.monotonic()
    while time.monotonic() - begun < 13:  # Both workers have swept again.
        assert await world.value("select status from charges where id = $1", waiting) == "pending"
        await asyncio.sleep(0.5)
