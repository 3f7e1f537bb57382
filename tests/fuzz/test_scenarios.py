"""Chains of requests, each with what the one before it answered: made, read, changed, taken away, and asked for again.

Schemathesis finds in the document which answer feeds which request. In `make fuzz` alone: it takes its time to look.
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
from tests.fuzz.actors import Caller, Cast
from tests.fuzz.conftest import Budget, thorough_only
from tests.fuzz.generators import SCHEMA, request_of
from tests.fuzz.oracle import faults

RUNS, CHAINS, LINKS = 40, 5, 10


@thorough_only
async def test_any_sequence_is_answered_as_documented(
    unlimited: Services, budget: Budget, record_property: Callable[[str, object], None]
) -> None:
    random, loop = budget.random("scenarios"), asyncio.get_running_loop()
    statuses: list[int] = []
    wrong: list[str] = []
    async with Api.of(Gateway(unlimited.settings, unlimited)) as api:
        cast = await Cast.gather(api, api.services, random)

        async def send(case: Any, caller: Caller) -> Any:
            answer = await api.client.request(**request_of(case, caller, random))
            found = faults(answer)
            if shown := cast.shows(caller, answer.text):
                found.append(f"shows {shown} of another store")
            assert not found, (
                f"{caller.name}: {case.as_curl_command()}\n  {answer.status_code} {answer.text}\n  {found}"
            )
            statuses.append(answer.status_code)
            if answer.status_code == 401 and caller.valid:
                await cast.replace_the_shut_out()
            return answer

        class Chain(SCHEMA.as_state_machine()):  # type: ignore[misc]  # made of the document.
            """One caller from its first link to its last; the requests themselves run in the test's own loop."""

            def setup(self) -> None:
                self.number = random.randrange(len(cast.callers))

            def call(self, case: Any, **_: Any) -> schemathesis.Response:
                caller = cast.callers[self.number % len(cast.callers)]
                answer = asyncio.run_coroutine_threadsafe(send(case, caller), loop).result()
                # Of a form nothing is kept once it is sent, and Schemathesis looks at it.
                answer.request.read()
                return schemathesis.Response.from_httpx(answer, verify=False)

            def validate_response(self, *_: Any, **__: Any) -> None:
                """`send` has judged it, and goes on."""

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
            # The world remembers what earlier chains did, so that the same draws may meet another answer. Hypothesis
            # calls that flaky, and it is what we want.
            with suppress(Flaky):
                await asyncio.to_thread(seed(budget.seed + number)(Chain).run, settings=chosen)
    record_property("steps", len(statuses))
    assert not wrong, f"{len(wrong)} of {len(statuses)}:\n" + "\n".join(wrong[:20])
    assert len(statuses) > RUNS * CHAINS
    assert len([status for status in statuses if status < 300]) > len(statuses) / 10
