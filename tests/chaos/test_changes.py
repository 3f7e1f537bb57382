"""Merchants change endpoints with pending deliveries."""

import asyncio

from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Endpoint, Merchant
from tests.chaos.processes import until
from tests.chaos.report import Result


@experiment(
    "21",
    "Endpoint deactivated / secret changed / URL changed between attempts",
    "no further request / new signature on the next attempt / new URL re-checked",
)
async def test_experiment_21_endpoints_change_between_attempts(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment()
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    paths = ("/deactivated", "/rotated", "/moved")
    off, rotated, moved = [await env.register(merchant, path, answers.status, code=500) for path in paths]
    await _change(env, merchant, result, off, rotated, moved)
    await _name_that_turns_private(env, merchant, result)


async def _change(
    env: ChaosEnvironment, merchant: Merchant, result: Result, off: Endpoint, rotated: Endpoint, moved: Endpoint
) -> None:
    await merchant.issue()
    await _failed(env, 3)
    await _put(merchant, off, active=False)
    body = {"grace_hours": 0}
    fresh = await merchant.call(
        "POST", f"/webhook-endpoints/{rotated.id}/rotate-secret", body, token=merchant.tokens["test"]
    )
    rotated.secrets.append(fresh["secret"])
    refused = await merchant.send(
        "PUT", f"/webhook-endpoints/{moved.id}", {"url": "http://169.254.169.254/"}, token=merchant.tokens["test"]
    )
    assert refused.status_code == 400
    env.receivers.answer("/rotated", answers.ok)
    await _put(merchant, moved, url=env.receivers.url("/here"))
    env.endpoints[env.endpoints.index(moved)] = Endpoint(moved.id, "/here", "test", moved.secrets, former=("/moved",))
    before = len(env.requests())
    await env.run("update webhook_deliveries set next_attempt_at = now() where state = 0 and lease_token is null")
    await env.settled()
    after = env.requests()[before:]
    assert sorted(request.path for request in after) == ["/here", "/rotated"]
    first = env.receivers.requests("/rotated")[0]
    (second,) = (request for request in after if request.path == "/rotated")
    assert first.body_hash == second.body_hash
    assert first.service_signature != second.service_signature
    result.note("deactivated: canceled, no second request; rotated: second attempt signed again over the same bytes")
    result.note("moved: the metadata address refused with 400, the second attempt at the new address")


async def _put(merchant: Merchant, endpoint: Endpoint, **changes: object) -> None:
    await merchant.call("PUT", f"/webhook-endpoints/{endpoint.id}", changes, token=merchant.tokens["test"])


async def _failed(env: ChaosEnvironment, count: int) -> None:
    async def so() -> bool:
        return await env.value("select count(*) from webhook_deliveries where failures = 1") == count

    await until(so, "the failures to be written")


async def _name_that_turns_private(env: ChaosEnvironment, merchant: Merchant, result: Result) -> None:
    """A URL set by SQL bypasses the API's check, but the dialled address is checked, too."""
    endpoint = await env.register(merchant, "/inside")
    inside = f"http://127.0.0.2:{env.receivers.ports['main']}/inside"
    await env.run("update webhook_endpoints set url = $2 where id = $1", endpoint.id, inside)
    await env.run(
        "update webhook_endpoints set active = false where id <> $1 and user_id = $2", endpoint.id, merchant.id
    )
    await merchant.issue()

    async def refused() -> bool:
        return await env.value("select last_error from webhook_deliveries where endpoint_id = $1", endpoint.id)

    assert await until(refused, "the refusal") == "blocked_address"
    await _put(merchant, endpoint, active=False)
    await env.settled()
    result.note("an address changed behind the API's back is refused at the dial")
