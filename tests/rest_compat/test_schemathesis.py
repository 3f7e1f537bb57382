"""Schemathesis over our own document: whatever it makes up, the API answers a documented status in the documented form,
and never fails. A smoke test of seconds; the same cases every time."""

import warnings
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as pace
from schemathesis.generation import GenerationMode

from gateway.rest_compat.documents import COMMITTED
from tests.api import Api, Merchant

EXAMPLES = 4
BASE = "http://gateway.test"
NEARBY = "http://127.0.0.1:18009/"
OPERATIONS = [found.ok() for found in schemathesis.openapi.from_path(COMMITTED).get_all_operations()]
DOCUMENTED_FAILURES = {502, 503}
OF_HTTP = {404, 405, 413, 415}
"""What any path may answer, documented or not: a made-up path parameter can lead to another path."""


def made_up(operation: Any, mode: GenerationMode) -> list[Any]:
    """A few requests that fit the document, or on purpose don't."""
    cases: list[Any] = []

    @pace(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def collect(case: Any) -> None:
        cases.append(case)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Hypothesis minds how a strategy of others is made.
        collect()
    return cases


def takes_something(operation: Any) -> bool:
    """Whether anything about a request can be wrong."""
    return bool(list(operation.iter_parameters()) or operation.body)


def request_of(case: Any) -> dict[str, Any]:
    if isinstance(case.body, dict) and "url" in case.body:
        case.body["url"] = NEARBY  # Nothing of a test leaves this machine, not even a question about a name.
    given_up = case.as_transport_kwargs(base_url=BASE)
    return {
        "method": given_up["method"],
        "url": given_up["url"],
        "params": given_up.get("params"),
        "headers": dict(given_up.get("headers") or {}),
        **{name: given_up[name] for name in ("json", "files") if given_up.get(name) is not None},
        **({"content": given_up["data"]} if given_up.get("data") is not None else {}),
    }


def judge(operation: Any, case: Any, answer: httpx.Response) -> None:
    told = f"{case.as_curl_command()}\n{answer.status_code} {answer.text[:500]}"
    documented = set(operation.definition.raw["responses"])
    assert answer.status_code < 500 or answer.status_code in DOCUMENTED_FAILURES, told
    assert str(answer.status_code) in documented or answer.status_code in OF_HTTP, told
    if str(answer.status_code) in documented:
        operation.validate_response(schemathesis.Response.from_httpx(answer, verify=False))


@pytest.mark.parametrize(
    ("operation", "mode"),
    [(operation, GenerationMode.POSITIVE) for operation in OPERATIONS]
    + [(operation, GenerationMode.NEGATIVE) for operation in OPERATIONS if takes_something(operation)],
    ids=lambda value: value.value if isinstance(value, GenerationMode) else value.label,
)
async def test_what_is_made_up_is_answered_as_documented(
    api: Api, merchant: Merchant, operation: Any, mode: GenerationMode
) -> None:
    credentials = [merchant.token, merchant.key]
    for number, case in enumerate(made_up(operation, mode)):
        request = request_of(case)
        request["headers"]["authorization"] = f"Bearer {credentials[number % 2]}"
        answer = await api.client.request(**request)
        await answer.request.aread()  # A form is sent in pieces; the judge wants the whole of it.
        judge(operation, case, answer)
