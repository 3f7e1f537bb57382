"""Schemathesis over our own document, with everybody's credentials and with what exists (tests/fuzz/__init__.py)."""

import zlib
from collections.abc import Callable
from typing import Any

from schemathesis.generation import GenerationMode

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import Api
from tests.fuzz.actors import Cast
from tests.fuzz.conftest import Budget
from tests.fuzz.generators import OPERATIONS, at_random, at_the_edges, request_of, with_what_exists
from tests.fuzz.oracle import faults

FEW, MANY, EDGES = 2, 14, 40
LEAST = {False: 200, True: 4000}
"""So many requests a whole run makes at least: one that makes up nothing would find nothing."""


def requests_for(number: int, operation: Any, budget: Budget) -> list[Any]:
    """Hypothesis begins with the simplest of all, so that two are the least. Wrong ones are slow to make: a few
    operations get them where there is little time.
    """
    start = zlib.crc32(f"{budget.seed} {operation.label}".encode())
    cases = at_random(operation, GenerationMode.POSITIVE, budget.of(FEW, MANY), start=start)
    if budget.thorough or number % 4 == 0:
        cases += at_random(operation, GenerationMode.NEGATIVE, budget.of(FEW, MANY), start=start)
    return [*cases, *(at_the_edges(operation, EDGES) if budget.thorough else ())]


async def test_any_request_is_answered_as_documented(
    unlimited: Services, budget: Budget, part: tuple[int, int], record_property: Callable[[str, object], None]
) -> None:
    random = budget.random("rest", part)
    asked, done, wrong = 0, set(), []
    number, parts = part
    async with Api.of(Gateway(unlimited.settings, unlimited)) as api:
        cast = await Cast.gather(api, api.services, random)
        for place, operation in enumerate(OPERATIONS[number::parts]):
            for turn, case in enumerate(requests_for(place, operation, budget)):
                # From the seed again, so that what is sent doesn't hang on how often something was drawn before.
                random.seed(f"{budget.seed} {operation.label} {turn}")
                caller = cast.caller()
                cast.trouble()
                request = request_of(with_what_exists(case, cast), caller, random)
                answer = await api.client.request(**request)
                asked += 1
                found = faults(answer)
                # An error may name what was sent, as an id that isn't found.
                if shown := cast.shows(caller, answer.text, str(request) if answer.is_error else ""):
                    found.append(f"shows {shown} of another store")
                if found:
                    wrong.append(
                        f"{caller.name}: {case.as_curl_command()}\n  {answer.status_code} {answer.text[:300]}\n  {found}"
                    )
                if answer.status_code < 300 and answer.headers["content-type"] == "application/json":
                    done.add(operation.label)
                    cast.learn(operation.path, answer.json())
                elif answer.status_code == 401 and caller.valid:
                    await cast.replace_the_shut_out()
    record_property("requests", asked)
    record_property("operations that did what they are for", len(done))
    assert not wrong, f"{len(wrong)} of {asked}:\n" + "\n".join(wrong[:20])
    assert asked >= LEAST[budget.thorough] / parts / 1.5
    assert len(done) > len(OPERATIONS) / parts / 8
