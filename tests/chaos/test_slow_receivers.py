"""Hanging receivers must not delay the deliveries of other merchants."""

import asyncio
import time

from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.invariants import percentile, waits_at
from tests.chaos.report import Result

HEALTHY, RETRIES = 20, 20


async def _with_hanging(env: ChaosEnvironment, result: Result, *, hanging: int, due: int, seconds: float) -> None:
    worker = await env.worker()
    stores = [await env.store() for _ in range(HEALTHY)]
    for number, store in enumerate(stores):
        await env.insert_endpoint(store, f"/healthy/{number}", healthy=True)
    for number in range(hanging):
        store = await env.store()
        await env.insert_endpoint(store, f"/hanging/{number}", answers.hang)
        await env.emit(store, due // hanging)
    started = time.monotonic()
    recovered = stores[:2]
    while time.monotonic() - started < seconds:
        await asyncio.gather(*[env.emit(store) for store in stores])
        if recovered and await env.value(_DEGRADED) == hanging:
            # Two receivers have recovered with retries due, which must not delay new events.
            await asyncio.gather(*[env.emit(store, RETRIES, tried=1) for store in recovered])
            recovered.clear()
        await asyncio.sleep(0.5)
    healthy = f"select count(*) from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id {_HEALTHY}"
    for _ in range(200):
        if not await env.value(f"{healthy} and d.state = 0"):
            break
        await asyncio.sleep(0.1)
    waits = waits_at(await env.evidence(), "/healthy/")
    assert len(waits) == await env.value(healthy)
    most = await env.value(_DEGRADED)
    assert not recovered, "the hanging ones were never all degraded"
    result.note(f"{len(waits)} of {len(waits)} healthy events delivered while {due} were due at {hanging} that hang")
    result.note(f"commit to arrival p50 {percentile(waits, 50):.2f} s, p99 {percentile(waits, 99):.2f} s")
    result.note(f"{most} of {hanging} degraded; worker at {worker.resident_mib:.0f} MiB")
    assert percentile(waits, 99) < 2.0 * env.slack
    await _deactivate_hanging(env)


_HEALTHY = "where e.url like '%/healthy/%'"
_DEGRADED = "select count(*) from webhook_endpoint_health where degraded"


async def _deactivate_hanging(env: ChaosEnvironment) -> None:
    """Cancel the hanging deliveries by deactivating their endpoints."""
    await env.run("update webhook_endpoints set active = false where url like '%/hanging/%'")
    await env.settled(60)


@experiment("8", "A receiver hangs (3000 due), 20 healthy ones", "healthy p99 < 2 s")
async def test_experiment_08_one_receiver_hangs(open_environment: OpenEnvironment, result: Result) -> None:
    await _with_hanging(await open_environment(), result, hanging=1, due=3000, seconds=15)


@experiment("9", "20 receivers hang at once (3000 due), 20 healthy ones", "healthy p99 < 2 s")
async def test_experiment_09_twenty_receivers_hang(open_environment: OpenEnvironment, result: Result) -> None:
    await _with_hanging(await open_environment(), result, hanging=20, due=3000, seconds=15)


@experiment("9b", "100 receivers hang at once, more than a worker has slots", "healthy p99 < 2 s")
async def test_experiment_09b_more_receivers_hang_than_there_are_slots(
    open_environment: OpenEnvironment, result: Result
) -> None:
    await _with_hanging(await open_environment(), result, hanging=100, due=3000, seconds=15)
