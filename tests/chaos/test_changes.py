"""Merchants who change an endpoint while its deliveries are on their way."""

import asyncio

from tests.chaos import answers
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Endpoint, Shop
from tests.chaos.processes import until
from tests.chaos.report import Result


@experiment(
    "21",
    "Endpoint deactivated / secret changed / URL changed between attempts",
    "no further request / new signature on the next attempt / new URL re-checked",
)
async def test_experiment_21_endpoints_change_between_attempts(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    await asyncio.gather(world.api(), world.worker())
    shop = await world.shop()
    paths = ("/deactivated", "/rotated", "/moved")
    off, rotated, moved = [await world.register(shop, path, answers.status, code=500) for path in paths]
    await _change(world, shop, result, off, rotated, moved)
    await _name_that_turns_private(world, shop, result)


async def _change(world: World, shop: Shop, result: Result, off: Endpoint, rotated: Endpoint, moved: Endpoint) -> None:
    await shop.issue()
    await _failed(world, 3)
    await _put(shop, off, active=False)
    body = {"grace_hours": 0}
    fresh = await shop.call("POST", f"/webhook-endpoints/{rotated.id}/rotate-secret", body, token=shop.tokens["test"])
    rotated.secrets.append(fresh["secret"])
    refused = await shop.send(
        "PUT", f"/webhook-endpoints/{moved.id}", {"url": "http://169.254.169.254/"}, token=shop.tokens["test"]
    )
    assert refused.status_code == 400
    world.receivers.answer("/rotated", answers.ok)
    await _put(shop, moved, url=world.receivers.url("/here"))
    world.endpoints[world.endpoints.index(moved)] = Endpoint(
        moved.id, "/here", "test", moved.secrets, former=("/moved",)
    )
    before = len(world.requests())
    await world.run("update webhook_deliveries set next_attempt_at = now() where state = 0 and lease_token is null")
    await world.settled()
    after = world.requests()[before:]
    assert sorted(request.path for request in after) == ["/here", "/rotated"]
    first = world.receivers.requests("/rotated")[0]
    (second,) = (request for request in after if request.path == "/rotated")
    assert first.body_hash == second.body_hash
    assert first.service_signature != second.service_signature
    result.note("deactivated: canceled, no second request; rotated: second attempt signed again over the same bytes")
    result.note("moved: the metadata address refused with 400, the second attempt at the new address")


async def _put(shop: Shop, endpoint: Endpoint, **changes: object) -> None:
    await shop.call("PUT", f"/webhook-endpoints/{endpoint.id}", changes, token=shop.tokens["test"])


async def _failed(world: World, count: int) -> None:
    async def so() -> bool:
        return await world.value("select count(*) from webhook_deliveries where failures = 1") == count

    await until(so, "the failures to be written")


async def _name_that_turns_private(world: World, shop: Shop, result: Result) -> None:
    """A URL written by hand past the API's check: the dialled address is checked all the same."""
    endpoint = await world.register(shop, "/inside")
    inside = f"http://127.0.0.2:{world.receivers.ports['main']}/inside"
    await world.run("update webhook_endpoints set url = $2 where id = $1", endpoint.id, inside)
    await world.run("update webhook_endpoints set active = false where id <> $1 and user_id = $2", endpoint.id, shop.id)
    await shop.issue()

    async def refused() -> bool:
        return await world.value("select last_error from webhook_deliveries where endpoint_id = $1", endpoint.id)

    assert await until(refused, "the refusal") == "blocked_address"
    await _put(shop, endpoint, active=False)
    await world.settled()
    result.note("an address changed behind the API's back is refused at the dial")
