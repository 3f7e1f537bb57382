"""The same payment told many times over, by everybody at once."""

import asyncio
from typing import Any

import httpx

from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Shop
from tests.chaos.report import Result

TRANSITIONS = """select count(*) from audit_trail where action = 'charge.paid' and resource_id = any($1::text[])"""


@experiment(
    "17",
    "Duplicate engine notice ×100 concurrently, and again after delivery",
    "one transition, one event, one mail; every notice answered 200",
)
async def test_experiment_17_a_notice_comes_a_hundred_times(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    await world.api()
    await world.worker()
    shop = await world.shop(live=True)
    for environment in ("test", "live"):
        await world.plant_endpoint(shop.id, f"/{environment}/a", environment=environment, healthy=True)
        await world.plant_endpoint(shop.id, f"/{environment}/b", environment=environment, healthy=True)
    charges = [await shop.issue("test"), await shop.issue("live")]
    codes: list[int] = []
    for event_id in ("evt_{}", "evt_{}", "evt_{}_again"):
        told = [
            shop.notify(charge, event_id.format(number if event_id.startswith("evt_{}_") else 1), charge["environment"])
            for charge in charges
            for number in range(100)
        ]
        codes += [answer.status_code for answer in await asyncio.gather(*told)]
        await world.settled()
    assert set(codes) == {200}
    assert await world.value(TRANSITIONS, [charge["id"] for charge in charges]) == len(charges)
    paid = [r for r in world.receivers.requests() if r.event_id in await _paid_events(world)]
    assert sorted(request.path for request in paid) == ["/live/a", "/live/b", "/test/a", "/test/b"]
    result.note(f"{len(codes)} notices about {len(charges)} charges, all answered 200")
    result.note(f"{len(charges)} transitions, {len(charges)} events, {len(paid)} deliveries to 4 endpoints")


async def _paid_events(world: World) -> set[str]:
    return {str(row[0]) for row in await world.rows("select id from webhook_events where type = 'charge.paid'")}


@experiment(
    "18",
    "Engine notice racing with simulate-payment on the same charge",
    "same as 17",
)
async def test_experiment_18_notices_race_with_simulations(open_world: OpenWorld, result: Result, full: bool) -> None:
    world: World = await open_world()
    await world.api()
    await world.worker()
    shop = await world.shop()
    await world.register(shop, "/shop", healthy=True)
    charges = [await shop.issue() for _ in range(40 if full else 10)]
    told = []
    for number, charge in enumerate(charges):
        told += [shop.notify(charge, f"evt_{number}_{which}") for which in range(3)]
        told += [_simulate(shop, charge) for _ in range(3)]
    codes = [answer.status_code for answer in await asyncio.gather(*told)]
    await world.settled()
    assert set(codes) == {200}
    assert await world.value(TRANSITIONS, [charge["id"] for charge in charges]) == len(charges)
    assert len([r for r in world.receivers.requests() if r.event_id in await _paid_events(world)]) == len(charges)
    result.note(
        f"{len(told)} notices and simulations about {len(charges)} charges: {len(charges)} transitions and events"
    )


async def _simulate(shop: Shop, charge: dict[str, Any]) -> httpx.Response:
    return await shop.send("POST", "/pix/simulate-payment", {"id": charge["id"]}, token=shop.keys["test"])
