"""Chains of requests that use earlier responses: create, read, update, delete, and read again.

Schemathesis derives the links from the OpenAPI document, which is slow, so they run in `make fuzz` only.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, seed
from hypothesis import settings as pace
from hypothesis.errors import Flaky

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import Api
from tests.fuzz.actors import Actors, Caller
from tests.fuzz.conftest import Budget, thorough_only
from tests.fuzz.generators import SCHEMA, request_of
from tests.fuzz.oracle import faults

RUNS, CHAINS, LINKS = 40, 5, 10


@thorough_only
async def test_any_sequence_gets_documented_responses(
    unlimited: Services, budget: Budget, record_property: Callable[[str, object], None]
) -> None:
    random, loop = budget.random("scenarios"), asyncio.get_running_loop()
    statuses: list[int] = []
    wrong: list[str] = []
    async with Api.of(Gateway(unlimited.settings, unlimited)) as api:
        actors = await Actors.create(api, api.services, random)

        async def send(case: Any, caller: Caller) -> Any:
            answer = await api.client.request(**request_of(case, caller, random))
            found = faults(answer)
            if leak := actors.find_leak(caller, answer.text):
                found.append(f"leaks {leak} of another store")
            assert not found, (
                f"{caller.name}: {case.as_curl_command()}\n  {answer.status_code} {answer.text}\n  {found}"
            )
            statuses.append(answer.status_code)
            if answer.status_code == 401 and caller.valid:
                await actors.replace_unauthorized()
            return answer

        class Chain(SCHEMA.as_state_machine()):  # type: ignore[misc]  # generated from the document.
            """A chain has one caller; its requests run in the test's event loop."""

            def setup(self) -> None:
                self.number = random.randrange(len(actors.callers))

            def call(self, case: Any, **_: Any) -> schemathesis.Response:
                caller = actors.callers[self.number % len(actors.callers)]
                answer = asyncio.run_coroutine_threadsafe(send(case, caller), loop).result()
                # Schemathesis reads the request's body, which httpx doesn't keep for forms.
                answer.request.read()
                return schemathesis.Response.from_httpx(answer, verify=False)

            def validate_response(self, *_: Any, **__: Any) -> None:
                """`send` has checked the response."""

        health = list(HealthCheck)
        chosen = pace(
            max_examples=CHAINS,
            stateful_step_count=LINKS,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=health,
        )
        for number in range(RUNS):
            # Earlier chains change the state, so equal draws may get other responses, which Hypothesis calls flaky.
            with suppress(Flaky):
                await asyncio.to_thread(seed(budget.seed + number)(Chain).run, settings=chosen)
    record_property("steps", len(statuses))
    assert not wrong, f"{len(wrong)} of {len(statuses)}:\n" + "\n".join(wrong[:20])
    assert len(statuses) > RUNS * CHAINS
    assert len([status for status in statuses if status < 300]) > len(statuses) / 10
