"""Many concurrent notifications of the same payment."""

import asyncio
from typing import Any

import httpx

from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Merchant
from tests.chaos.report import Result

TRANSITIONS = """select count(*) from audit_trail where action = 'charge.paid' and resource_id = any($1::text[])"""


@experiment(
    "17",
    "Duplicate engine notification ×100 concurrently, and again after delivery",
    "one transition, one event, one mail; every notification answered 200",
)
async def test_experiment_17_a_notice_comes_a_hundred_times(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment()
    await env.api()
    await env.worker()
    merchant = await env.merchant(live=True)
    for environment in ("test", "live"):
        await env.insert_endpoint(merchant.id, f"/{environment}/a", environment=environment, healthy=True)
        await env.insert_endpoint(merchant.id, f"/{environment}/b", environment=environment, healthy=True)
    charges = [await merchant.issue("test"), await merchant.issue("live")]
    codes: list[int] = []
    for event_id in ("evt_{}", "evt_{}", "evt_{}_again"):
        calls = [
            merchant.notify(
                charge, event_id.format(number if event_id.startswith("evt_{}_") else 1), charge["environment"]
            )
            for charge in charges
            for number in range(100)
        ]
        codes += [answer.status_code for answer in await asyncio.gather(*calls)]
        await env.settled()
    assert set(codes) == {200}
    assert await env.value(TRANSITIONS, [charge["id"] for charge in charges]) == len(charges)
    paid = [r for r in env.receivers.requests() if r.event_id in await _paid_events(env)]
    assert sorted(request.path for request in paid) == ["/live/a", "/live/b", "/test/a", "/test/b"]
    result.note(f"{len(codes)} notifications about {len(charges)} charges, all answered 200")
    result.note(f"{len(charges)} transitions, {len(charges)} events, {len(paid)} deliveries to 4 endpoints")


async def _paid_events(env: ChaosEnvironment) -> set[str]:
    return {str(row[0]) for row in await env.rows("select id from webhook_events where type = 'charge.paid'")}


@experiment(
    "18",
    "Engine notification racing with simulate-payment on the same charge",
    "same as 17",
)
async def test_experiment_18_notices_race_with_simulations(
    open_environment: OpenEnvironment, result: Result, full: bool
) -> None:
    env: ChaosEnvironment = await open_environment()
    await env.api()
    await env.worker()
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    charges = [await merchant.issue() for _ in range(40 if full else 10)]
    calls = []
    for number, charge in enumerate(charges):
        calls += [merchant.notify(charge, f"evt_{number}_{which}") for which in range(3)]
        calls += [_simulate(merchant, charge) for _ in range(3)]
    codes = [answer.status_code for answer in await asyncio.gather(*calls)]
    await env.settled()
    assert set(codes) == {200}
    assert await env.value(TRANSITIONS, [charge["id"] for charge in charges]) == len(charges)
    assert len([r for r in env.receivers.requests() if r.event_id in await _paid_events(env)]) == len(charges)
    result.note(
        f"{len(calls)} notifications and simulations of {len(charges)} charges: {len(charges)} transitions and events"
    )


async def _simulate(merchant: Merchant, charge: dict[str, Any]) -> httpx.Response:
    return await merchant.send("POST", "/pix/simulate-payment", {"id": charge["id"]}, token=merchant.keys["test"])
