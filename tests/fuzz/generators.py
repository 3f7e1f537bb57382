"""Requests that Schemathesis generates from the OpenAPI document, both valid and invalid ones."""

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
from tests.fuzz import formats  # noqa: F401  # The import registers the formats.
from tests.fuzz.actors import Actors, Caller

SCHEMA = schemathesis.openapi.from_path(COMMITTED)
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
BASE = "http://gateway.test"
_ID_FIELDS = {"customer_id": "/customers", "product_id": "/products", "coupon_id": "/coupons", "txid": "txid"}


def random_cases(operation: Any, mode: GenerationMode, number: int, *, start: int) -> list[Any]:
    """Generate `number` requests, determined by `start`."""
    if mode is GenerationMode.NEGATIVE and not has_input(operation):
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
        warnings.simplefilter("ignore")  # Hypothesis warns about Schemathesis's strategies.
        collect()
    return cases


def boundary_cases(operation: Any, max_cases: int) -> Iterator[Any]:
    """Boundary cases of each parameter: lengths, missing, of another type, repeated, with another method."""
    config = SCHEMA.config.generation_for(operation=operation)
    modes = list(GenerationMode)
    return itertools.islice(
        SCHEMA.iter_coverage_cases(operation, generation_modes=modes, generation_config=config), max_cases
    )


def has_input(operation: Any) -> bool:
    """Whether the operation has any input."""
    return bool(list(operation.iter_parameters()) or operation.body)


def with_known_ids(case: Any, actors: Actors) -> Any:
    """The request, often with existing ids, as generated ids are never found."""
    path = case.operation.path
    for name in case.path_parameters or {}:
        key = name if name in {"txid", "slug"} else path.partition(f"/{{{name}}}")[0]
        _replace_sometimes(actors, key, case.path_parameters, name, 0.8)
    for sent in (case.query, case.body):
        for name, key in _ID_FIELDS.items():
            if isinstance(sent, dict) and name in sent:
                _replace_sometimes(actors, key, sent, name, 0.5)
    if isinstance(case.body, dict) and path.startswith("/pix/") and "id" in case.body:
        _replace_sometimes(actors, "/pix", case.body, "id", 0.8)
    return case


def _replace_sometimes(actors: Actors, key: str, sent: Any, name: str, probability: float) -> None:
    if actors.known.get(key) and actors.random.random() < probability:
        sent[name] = actors.random.choice(actors.known[key])


def request_of(case: Any, caller: Caller, random: Random) -> dict[str, Any]:
    """The arguments of httpx for the request of this caller."""
    kwargs = case.as_transport_kwargs(base_url=BASE)
    headers = {name.lower(): value for name, value in (kwargs.get("headers") or {}).items()}
    if random.random() < 0.8:  # A generated store is foreign, so all operations would refuse it.
        headers = {name: value for name, value in headers.items() if name != "x-store"}
    return {
        "method": kwargs["method"],
        "url": kwargs["url"],
        "params": kwargs.get("params"),
        # As bytes, since httpx accepts fewer characters as text.
        "headers": {name: value.encode("latin-1", "replace") for name, value in (headers | caller.headers).items()},
        **({"json": kwargs["json"]} if kwargs.get("json") is not None else {}),
        **({"files": [_part(*each) for each in kwargs["files"]]} if kwargs.get("files") is not None else {}),
        **({"content": kwargs["data"]} if kwargs.get("data") is not None else {}),
    }


def _part(name: str, content: Any) -> tuple[str, Any]:
    """A part of a form; httpx needs a file's content as bytes."""
    if not isinstance(content, tuple):
        return name, content
    file_name, data, *more = content
    return name, (file_name, data if isinstance(data, bytes) else str(data).encode("utf-8", "replace"), *more)
