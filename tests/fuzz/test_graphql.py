"""GraphQL over the whole schema: documented responses, without data of other stores, equal from both executors."""

import json
from collections.abc import Callable
from typing import Any

import httpx

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import Api
from tests.fuzz.actors import Actors, Caller
from tests.fuzz.conftest import Budget
from tests.fuzz.documents import MUTATIONS, QUERIES, DocumentWriter, GraphqlRequest
from tests.fuzz.oracle import ERRORS

DOCUMENTED = ERRORS - {(500, None)}
DIFFERS_BY_READING = ("auditRecord", "webhookSample")
"""Refusals are recorded in the audit trail, and a sample has new ids and times, so a repeated read differs."""


def faults(answer: httpx.Response) -> list[str]:
    """The faults in the form of a response."""
    body = answer.json()
    if answer.status_code not in {200, 400} or ("error" in body and answer.status_code != 400):
        return [f"status {answer.status_code}"]
    if "error" in body:  # An error of HTTP, not of GraphQL.
        return [] if (400, body["error"].get("codigo")) in DOCUMENTED else ["an undocumented error"]
    kinds = [(error["extensions"]["status"], error["extensions"].get("codigo")) for error in body.get("errors", ())]
    wrong = [f"an undocumented error: {kind}" for kind in kinds if kind not in DOCUMENTED]
    wrong += [f"no message: {error}" for error in body.get("errors", ()) if not error["message"]]
    if ("data" in body) != (answer.status_code == 200) or not (kinds or "data" in body):
        wrong.append(f"neither data nor errors: {list(body)}")
    return wrong


async def send(api: Api, request: GraphqlRequest, caller: Caller) -> httpx.Response:
    # Python's encoder writes NaN and lone surrogates.
    headers = caller.headers | {"content-type": "application/json"}
    return await api.client.post("/graphql", content=json.dumps(request.body).encode(), headers=headers)


def with_sorted_errors(answer: httpx.Response) -> Any:
    """The response with errors sorted by path, as the order of errors of root fields is undefined."""
    body = answer.json()
    return body | {"errors": sorted(body.get("errors", ()), key=lambda error: (str(error.get("path")), str(error)))}


async def send_to_both(
    compiled: Api, fallback: Api, request: GraphqlRequest, caller: Caller
) -> tuple[httpx.Response, list[str]]:
    """The response, and differences between the executors.

    A document is compiled at its second use and takes the fast path at its third.
    """
    for _ in range(2):
        await send(compiled, request, caller)
    answer, reference = await send(compiled, request, caller), await send(fallback, request, caller)
    alike = (
        with_sorted_errors(answer) == with_sorted_errors(reference)
        or any(name in request.query for name in DIFFERS_BY_READING)
        or are_first_of_several_failures(answer, reference)
    )
    return answer, faults(answer) + ([] if alike else [f"the fallback responds {reference.text[:300]}"])


def are_first_of_several_failures(*answers: httpx.Response) -> bool:
    """Of several failing non-null root fields, both executors report only the first failure."""
    bodies = [answer.json() for answer in answers]
    return all(body.get("data", 0) is None and len(body["errors"]) == 1 for body in bodies) and (
        bodies[0]["errors"][0]["path"] != bodies[1]["errors"][0]["path"]
    )


def is_unauthorized(answer: httpx.Response) -> bool:
    errors: list[Any] = answer.json().get("errors", [])
    return any(error["extensions"]["status"] == 401 for error in errors)


async def test_any_document_gets_a_documented_response_of_both_executors(
    unlimited: Services, budget: Budget, part: tuple[int, int], record_property: Callable[[str, object], None]
) -> None:
    random = budget.random("graphql", part)
    sent_count, succeeded, wrong = 0, set(), []
    number, parts = part
    plain = unlimited.settings.model_copy(update={"graphql_fast_path": False})
    async with (
        Api.of(Gateway(unlimited.settings, unlimited)) as compiled,
        Api.of(Gateway(plain, unlimited)) as fallback,
    ):
        actors = await Actors.create(compiled, unlimited, random, everything=budget.thorough)
        for round_number in range(budget.of(1, 50)):
            roots = [*(("query", each) for each in QUERIES), *(("mutation", each) for each in MUTATIONS)]
            for index, (kind, root) in enumerate(roots[number::parts]):
                author = DocumentWriter(random, actors, hostility=(0.03, 0.25)[(round_number + index) % 2])
                # Seed again, so that each request is independent of earlier draws.
                random.seed(f"{budget.seed} {root} {round_number}")
                caller = actors.caller()
                if kind == "query":
                    write = author.broken if random.random() < 0.2 else author.query
                    request = write(root)
                    answer, found = await send_to_both(compiled, fallback, request, caller)
                else:
                    actors.fail_sometimes()
                    request = author.mutation(root)
                    answer = await send(random.choice([compiled, fallback]), request, caller)
                    found = faults(answer)
                sent_count += 1
                texts = {name: json.dumps(part, ensure_ascii=False) for name, part in answer.json().items()}
                # An error may quote the request, as the document or an id that isn't found.
                sent = json.dumps(request.body, ensure_ascii=False)
                if leak := actors.find_leak(caller, texts.pop("data", "")) or actors.find_leak(
                    caller, "".join(texts.values()), sent
                ):
                    found.append(f"leaks {leak} of another store")
                if found:
                    wrong.append(f"{caller.name}: {json.dumps(request.body)[:900]}\n  {answer.text[:300]}\n  {found}")
                if answer.status_code == 200 and "errors" not in answer.json():
                    succeeded.add(root)
                if caller.valid and is_unauthorized(answer):
                    await actors.replace_unauthorized()
    record_property("documents", sent_count)
    record_property("operations that did what they are for", len(succeeded))
    assert not wrong, f"{len(wrong)} of {sent_count}:\n" + "\n".join(wrong[:20])
    assert len(succeeded) > len(QUERIES) / parts / 8
