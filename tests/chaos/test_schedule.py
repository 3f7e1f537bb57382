"""The retry schedule under repeated failures, recoveries and wrong clocks."""

import asyncio
import itertools
import time
from datetime import UTC, datetime, timedelta

from gateway.resolvers.webhooks.retry_policy import DELAYS
from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.processes import GatewayProcess, until
from tests.chaos.report import Result

SCALE = 1 / 20_000
POLL_SECONDS = 1.0
"""Maximum seconds from due to claimed."""
WRITE_SECONDS = 0.25
"""Maximum seconds from the end of an attempt to its record."""
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
async def test_experiment_10_the_whole_schedule_fails(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(WEBHOOK_RETRY_SCALE=f"{SCALE:.6f}")
    worker = await env.worker()
    store = await env.store()
    await env.insert_endpoint(store, "/broken", answers.status, environment="live", code=500)
    await env.emit(store, environment="live")
    await env.settled(90)
    await asyncio.sleep(3)
    requests = env.receivers.requests("/broken")
    gaps = [later.at - sooner.at for sooner, later in itertools.pairwise(requests)]
    wrong = [
        f"attempt {number}: {gap:.2f} s for {delay * SCALE:.2f} s"
        for number, (gap, delay) in enumerate(zip(gaps, DELAYS, strict=True), 2)
        if not 0.8 * delay * SCALE <= gap <= 1.2 * delay * SCALE + (POLL_SECONDS + 0.5) * env.slack
    ]
    assert wrong == []
    assert [request.attempt for request in requests] == list(range(1, 13))
    assert tuple((await env.rows(STATE))[0]) == (2, 12, 12)
    assert await env.value("select bool_and(active) from webhook_endpoints")
    await _one_email_of_yesterday(env, worker)
    result.note("its merchant got one email on the next day")
    result.note(f"12 attempts in {sum(gaps):.1f} s (71 h scaled to {sum(DELAYS) * SCALE:.1f} s), no 13th in 3 s more")


async def _one_email_of_yesterday(env: ChaosEnvironment, worker: GatewayProcess) -> None:
    """The daily email about exhausted deliveries is sent once, even if two workers start together."""
    await env.bystander.leave()
    await worker.stop()
    await env.run("update webhook_deliveries set finished_at = finished_at - interval '1 day'")
    await asyncio.gather(env.worker(), env.worker())

    async def emailed() -> bool:
        return bool(await env.value(_EXHAUSTED))

    await until(emailed, "the email about exhausted deliveries")
    await asyncio.sleep(1)
    assert await env.value(_EXHAUSTED) == 1


_EXHAUSTED = "select count(*) from emails where kind = 'webhook_deliveries_exhausted'"


@experiment(
    "10b",
    "The same at full scale, each delay read from the row and then cut short",
    "each of the 11 delays within ±20 % of the published one",
)
async def test_experiment_10b_the_delays_at_full_scale(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    await env.worker()
    store = await env.store()
    await env.insert_endpoint(store, "/broken", answers.status, environment="live", code=500)
    await env.emit(store, environment="live")
    ratios = []
    for failures, delay in enumerate(DELAYS, 1):
        left = await until(lambda failures=failures: env.value(DELAY, failures), f"failure {failures}")
        assert 0.8 * delay <= left <= 1.2 * delay + WRITE_SECONDS * env.slack
        ratios.append(left / delay)
        await env.run("update webhook_deliveries set next_attempt_at = now() where failures > 0")
    await env.settled()
    assert tuple((await env.rows(STATE))[0]) == (2, 12, 12)
    result.note(f"11 delays between {min(ratios):.2f} and {max(ratios):.2f} of the published ones, then exhausted")


@experiment("11", "500 five times, then 200", "attempts stop; breaker closes; failure counters reset", quick=True)
async def test_experiment_11_a_receiver_recovers(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(WEBHOOK_RETRY_SCALE="0.0001")
    await env.worker()
    store = await env.store()
    await env.insert_endpoint(store, "/recovers", answers.fail_first, environment="live", times=5)

    async def degraded() -> bool:
        return bool(await env.value("select bool_or(degraded) from webhook_endpoint_health"))

    await env.emit(store, environment="live")
    await until(degraded, "the breaker to open", every=0.005)
    await env.settled()
    await asyncio.sleep(1.5)
    assert len(env.receivers.requests("/recovers")) == 6
    health = await env.rows("select consecutive_failures, degraded, first_failure_at from webhook_endpoint_health")
    assert {tuple(row) for row in health} == {(0, False, None)}
    result.note("6 requests, the breaker opened and closed, all counters are zero again")


@experiment(
    "16",
    "Worker clock +1 h and −1 h; database clock untouched",
    "schedule unchanged; `webhook-timestamp` within 5 s of database time",
)
async def test_experiment_16_workers_with_wrong_clocks(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    await asyncio.gather(env.api(), env.faulty_worker(skew=3600), env.faulty_worker(skew=-3600))
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    await env.register(merchant, "/broken", answers.status, code=500)
    soon = datetime.now(UTC) + timedelta(minutes=30)
    waiting = await merchant.issue(expires_at=soon.isoformat())
    overdue = await merchant.issue()
    await env.run(_OVERDUE, overdue["id"])
    for _ in range(10):
        await merchant.issue()
    await env.arrived(24)

    async def all_failed() -> bool:
        return await env.value(_FAILED) == 12

    await until(all_failed, "the failures to be written")
    delays = [row[0] for row in await env.rows(_DELAYS_LEFT)]
    assert all(-5 * env.slack < delay <= 6.0 for delay in delays)
    off = [abs(request.timestamp - request.at) for request in env.receivers.requests()]
    assert max(off) <= 5 * env.slack
    result.note(f"{len(off)} requests signed within {max(off):.1f} s of the database's time; delays of 5 s stayed so")
    await _expired_on_time(env, overdue["id"], waiting["id"])
    result.note("a charge with 30 minutes left was left alone, one 10 minutes over was expired")
    await env.run("update webhook_endpoints set active = false where url like '%/broken'")
    await env.settled()


_OVERDUE = "update charges set expires_at = now() - interval '10 minutes' where id = $1"
_FAILED = "select count(*) from webhook_deliveries where failures >= 1"
_DELAYS_LEFT = """select extract(epoch from next_attempt_at - now())::float8 from webhook_deliveries
                   where state = 0 and failures = 1 and lease_token is null"""


async def _expired_on_time(env: ChaosEnvironment, overdue: str, waiting: str) -> None:
    """The periodic job runs every ten seconds."""

    async def swept() -> bool:
        return await env.value("select status from charges where id = $1", overdue) == "expired"

    await until(swept, "the overdue charge to be expired", 60)
    started = time.monotonic()
    while time.monotonic() - started < 13:  # Both workers have run the job again.
        assert await env.value("select status from charges where id = $1", waiting) == "pending"
        await asyncio.sleep(0.5)
