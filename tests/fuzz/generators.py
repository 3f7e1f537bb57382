"""Requests that Schemathesis makes up from our own OpenAPI document: some fit it, some on purpose don't."""

import itertools
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as pace
from schemathesis.generation import GenerationMode

from gateway.rest_compat.documentation import COMMITTED
from tests.fuzz import formats  # noqa: F401  # It registers them.
from tests.fuzz.actors import Caller, Cast

SCHEMA = schemathesis.openapi.from_path(COMMITTED)
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
BASE = "http://gateway.test"
_NUMBERED = {"customer_id": "/customers", "product_id": "/products", "coupon_id": "/coupons", "txid": "txid"}


def at_random(operation: Any, mode: GenerationMode, number: int, *, start: int) -> list[Any]:
    """So many requests, the same ones from the same start."""
    if mode is GenerationMode.NEGATIVE and not takes_something(operation):
        return []
    cases: list[Any] = []

    @seed(start)
    @pace(
        max_examples=number,
        phases=[Phase.generate],
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


def at_the_edges(operation: Any, most: int) -> Iterator[Any]:
    """Every boundary of every parameter: longest, shortest, missing, of another type, said twice, by another method."""
    config = SCHEMA.config.generation_for(operation=operation)
    modes = list(GenerationMode)
    return itertools.islice(
        SCHEMA.iter_coverage_cases(operation, generation_modes=modes, generation_config=config), most
    )


def takes_something(operation: Any) -> bool:
    """Whether anything about a request can be wrong."""
    return bool(list(operation.iter_parameters()) or operation.body)


def with_what_exists(case: Any, cast: Cast) -> Any:
    """The request, now and then with ids that there are: made-up ones alone would only ever find nothing."""
    path = case.operation.path
    for name in case.path_parameters or {}:
        place = name if name in {"txid", "slug"} else path.partition(f"/{{{name}}}")[0]
        _now_and_then(cast, place, case.path_parameters, name, 0.8)
    for sent in (case.query, case.body):
        for name, place in _NUMBERED.items():
            if isinstance(sent, dict) and name in sent:
                _now_and_then(cast, place, sent, name, 0.5)
    if isinstance(case.body, dict) and path.startswith("/pix/") and "id" in case.body:
        _now_and_then(cast, "/pix", case.body, "id", 0.8)
    return case


def _now_and_then(cast: Cast, place: str, sent: Any, name: str, how_often: float) -> None:
    if cast.known.get(place) and cast.random.random() < how_often:
        sent[name] = cast.random.choice(cast.known[place])


def request_of(case: Any, caller: Caller, random: Random) -> dict[str, Any]:
    """What httpx is asked to send, as this caller."""
    given_up = case.as_transport_kwargs(base_url=BASE)
    headers = {name.lower(): value for name, value in (given_up.get("headers") or {}).items()}
    if random.random() < 0.8:  # A made-up store is foreign, and would answer for the operation.
        headers = {name: value for name, value in headers.items() if name != "x-store"}
    return {
        "method": given_up["method"],
        "url": given_up["url"],
        "params": given_up.get("params"),
        # As bytes: what a header may hold on the wire is more than httpx takes as text.
        "headers": {name: value.encode("latin-1", "replace") for name, value in (headers | caller.headers).items()},
        **({"json": given_up["json"]} if given_up.get("json") is not None else {}),
        **({"files": [_part(*each) for each in given_up["files"]]} if given_up.get("files") is not None else {}),
        **({"content": given_up["data"]} if given_up.get("data") is not None else {}),
    }


def _part(name: str, content: Any) -> tuple[str, Any]:
    """A part of a form; httpx takes a file's content as bytes alone."""
    if not isinstance(content, tuple):
        return name, content
    file_name, held, *more = content
    return name, (file_name, held if isinstance(held, bytes) else str(held).encode("utf-8", "replace"), *more)
