"""GraphQL over the whole schema: whatever is asked, by whomever, an answer in the documented form, with nothing of
another store's in it, and the same one from both executors (tests/fuzz/__init__.py).
"""

import json
from collections.abc import Callable
from typing import Any

import httpx

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import Api
from tests.fuzz.actors import Caller, Cast
from tests.fuzz.conftest import Budget
from tests.fuzz.documents import MUTATIONS, QUERIES, Asked, Author
from tests.fuzz.oracle import ERRORS

DOCUMENTED = ERRORS - {(500, None)}
CHANGES_BY_ASKING = "auditRecord"
"""A refusal is written down, which the trail's own readers then see."""


def faults(answer: httpx.Response) -> list[str]:
    """What is wrong with the form of an answer."""
    body = answer.json()
    if answer.status_code not in {200, 400} or ("error" in body and answer.status_code != 400):
        return [f"status {answer.status_code}"]
    if "error" in body:  # No GraphQL request at all, in HTTP's own form.
        return [] if (400, body["error"].get("codigo")) in DOCUMENTED else ["an error of no table"]
    told = [(error["extensions"]["status"], error["extensions"].get("codigo")) for error in body.get("errors", ())]
    wrong = [f"an error of no table: {kind}" for kind in told if kind not in DOCUMENTED]
    wrong += [f"no message: {error}" for error in body.get("errors", ()) if not error["message"]]
    if ("data" in body) != (answer.status_code == 200) or not (told or "data" in body):
        wrong.append(f"neither data nor errors: {list(body)}")
    return wrong


async def ask(api: Api, asked: Asked, caller: Caller) -> httpx.Response:
    # Python's own encoder writes what no other would: NaN, lone surrogates.
    headers = caller.headers | {"content-type": "application/json"}
    return await api.client.post("/graphql", content=json.dumps(asked.body).encode(), headers=headers)


def in_one_order(answer: httpx.Response) -> Any:
    """The answer with its errors by path: fields of the root fail alone, and which of them
    fails first is told by no rule.
    """
    body = answer.json()
    return body | {"errors": sorted(body.get("errors", ()), key=lambda error: (str(error.get("path")), str(error)))}


async def ask_both(compiled: Api, fallback: Api, asked: Asked, caller: Caller) -> tuple[httpx.Response, list[str]]:
    """The answer, and where the executors differ. A document is compiled at its second use, and goes straight at its
    third.
    """
    for _ in range(2):
        await ask(compiled, asked, caller)
    answer, reference = await ask(compiled, asked, caller), await ask(fallback, asked, caller)
    alike = (
        in_one_order(answer) == in_one_order(reference)
        or CHANGES_BY_ASKING in asked.query
        or one_of_many(answer, reference)
    )
    return answer, faults(answer) + ([] if alike else [f"the fallback says {reference.text[:300]}"])


def one_of_many(*answers: httpx.Response) -> bool:
    """Of several root fields that fail and can't be null, the quickest is told and the others
    are dropped, whoever executes.
    """
    bodies = [answer.json() for answer in answers]
    return all(body.get("data", 0) is None and len(body["errors"]) == 1 for body in bodies) and (
        bodies[0]["errors"][0]["path"] != bodies[1]["errors"][0]["path"]
    )


def is_shut_out(answer: httpx.Response) -> bool:
    errors: list[Any] = answer.json().get("errors", [])
    return any(error["extensions"]["status"] == 401 for error in errors)


async def test_any_query_is_answered_as_documented_by_both_executors(
    unlimited: Services, budget: Budget, part: tuple[int, int], record_property: Callable[[str, object], None]
) -> None:
    random = budget.random("graphql", part)
    asked_for, fine, wrong = 0, set(), []
    number, parts = part
    plain = unlimited.settings.model_copy(update={"graphql_fast_path": False})
    async with (
        Api.of(Gateway(unlimited.settings, unlimited)) as compiled,
        Api.of(Gateway(plain, unlimited)) as fallback,
    ):
        cast = await Cast.gather(compiled, unlimited, random, everything=budget.thorough)
        for round_number in range(budget.of(1, 50)):
            roots = [*(("query", each) for each in QUERIES), *(("mutation", each) for each in MUTATIONS)]
            for place, (kind, root) in enumerate(roots[number::parts]):
                author = Author(random, cast, hostility=(0.03, 0.25)[(round_number + place) % 2])
                # From the seed again, so that what is asked doesn't hang on how often something was drawn before.
                random.seed(f"{budget.seed} {root} {round_number}")
                caller = cast.caller()
                if kind == "query":
                    write = author.broken if random.random() < 0.2 else author.query
                    asked = write(root)
                    answer, found = await ask_both(compiled, fallback, asked, caller)
                else:
                    cast.trouble()
                    asked = author.mutation(root)
                    answer = await ask(random.choice([compiled, fallback]), asked, caller)
                    found = faults(answer)
                asked_for += 1
                told = {name: json.dumps(part, ensure_ascii=False) for name, part in answer.json().items()}
                # An error may name what was sent: a document that isn't executed, an id that isn't found.
                sent = json.dumps(asked.body, ensure_ascii=False)
                if shown := cast.shows(caller, told.pop("data", "")) or cast.shows(
                    caller, "".join(told.values()), sent
                ):
                    found.append(f"shows {shown} of another store")
                if found:
                    wrong.append(f"{caller.name}: {json.dumps(asked.body)[:900]}\n  {answer.text[:300]}\n  {found}")
                if answer.status_code == 200 and "errors" not in answer.json():
                    fine.add(root)
                if caller.valid and is_shut_out(answer):
                    await cast.replace_the_shut_out()
    record_property("documents", asked_for)
    record_property("operations that did what they are for", len(fine))
    assert not wrong, f"{len(wrong)} of {asked_for}:\n" + "\n".join(wrong[:20])
    assert len(fine) > len(QUERIES) / parts / 8
