"""Merchants whose servers hang must not cost the others a second."""

import asyncio
import time

from tests.chaos import answers
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.invariants import percentile, waits_at
from tests.chaos.report import Result

HEALTHY, RETRIES = 20, 20


async def _with_hanging(world: World, result: Result, *, hanging: int, due: int, seconds: float) -> None:
    worker = await world.worker()
    stores = [await world.store() for _ in range(HEALTHY)]
    for number, store in enumerate(stores):
        await world.plant_endpoint(store, f"/healthy/{number}", healthy=True)
    for number in range(hanging):
        store = await world.store()
        await world.plant_endpoint(store, f"/hanging/{number}", answers.hang)
        await world.emit(store, due // hanging)
    started = time.monotonic()
    recovered = stores[:2]
    while time.monotonic() - started < seconds:
        await asyncio.gather(*[world.emit(store) for store in stores])
        if recovered and await world.value(_DEGRADED) == hanging:
            # These two have just recovered, with retries due: they get theirs, and so does what is fresh behind them.
            await asyncio.gather(*[world.emit(store, RETRIES, tried=1) for store in recovered])
            recovered.clear()
        await asyncio.sleep(0.5)
    healthy = f"select count(*) from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id {_HEALTHY}"
    for _ in range(200):
        if not await world.value(f"{healthy} and d.state = 0"):
            break
        await asyncio.sleep(0.1)
    waits = waits_at(await world.evidence(), "/healthy/")
    assert len(waits) == await world.value(healthy)
    most = await world.value(_DEGRADED)
    assert not recovered, "the hanging ones were never all degraded"
    result.note(f"{len(waits)} of {len(waits)} healthy events delivered while {due} were due at {hanging} that hang")
    result.note(f"commit to arrival p50 {percentile(waits, 50):.2f} s, p99 {percentile(waits, 99):.2f} s")
    result.note(f"{most} of {hanging} degraded; worker at {worker.resident_mib:.0f} MiB")
    assert percentile(waits, 99) < 2.0 * world.slack
    await _let_go(world)


_HEALTHY = "where e.url like '%/healthy/%'"
_DEGRADED = "select count(*) from webhook_endpoint_health where degraded"


async def _let_go(world: World) -> None:
    """What still hangs is canceled, as its merchants deactivating their endpoints would."""
    await world.run("update webhook_endpoints set active = false where url like '%/hanging/%'")
    await world.settled(60)


@experiment("8", "A receiver hangs (3000 due), 20 healthy ones", "healthy p99 < 2 s")
async def test_experiment_08_one_receiver_hangs(open_world: OpenWorld, result: Result) -> None:
    await _with_hanging(await open_world(), result, hanging=1, due=3000, seconds=15)


@experiment("9", "20 receivers hang at once (3000 due), 20 healthy ones", "healthy p99 < 2 s")
async def test_experiment_09_twenty_receivers_hang(open_world: OpenWorld, result: Result) -> None:
    await _with_hanging(await open_world(), result, hanging=20, due=3000, seconds=15)


@experiment("9b", "100 receivers hang at once, more than a worker has slots", "healthy p99 < 2 s")
async def test_experiment_09b_more_receivers_hang_than_there_are_slots(open_world: OpenWorld, result: Result) -> None:
    await _with_hanging(await open_world(), result, hanging=100, due=3000, seconds=15)
