"""The error tree: both transports render every class."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from graphql import GraphQLError

import gateway.app  # noqa: F401  # Imports every subclass.
from gateway import errors
from gateway.errors import Forbidden, GatewayError, MethodNotAllowed, RateLimited, Unauthenticated
from gateway.resolvers.core.context import ResponseNotes
from gateway.rest_compat.envelope import failure
from gateway.schema.errors import format_error

ARGUMENTS: dict[type[GatewayError], tuple[Any, ...]] = {MethodNotAllowed: (("GET",),), RateLimited: (10, 60)}


def tree(root: type[GatewayError] = GatewayError) -> Iterator[type[GatewayError]]:
    yield root
    for branch in root.__subclasses__():
        yield from tree(branch)


CLASSES = sorted(set(tree()), key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_both_transports_render_it_alike(kind: type[GatewayError]) -> None:
    error = kind(*ARGUMENTS.get(kind, ()))
    rest = failure(error, ResponseNotes())
    body = orjson.loads(rest.body)["error"]
    graphql = format_error(GraphQLError("x", original_error=error), "request-1")
    assert rest.status_code == kind.status == graphql["extensions"]["status"]
    assert 400 <= kind.status < 600
    if isinstance(error, Unauthenticated):
        assert body == graphql["message"]
        assert graphql["extensions"] == {"status": 401}
        return
    extensions = graphql["extensions"] | {"message": graphql["message"]}
    extensions.pop("status")
    assert extensions == body
    assert body["message"]
    assert {name: rest.headers[name] for name in error.headers} == error.headers


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_it_is_defined_in_the_errors_module(kind: type[GatewayError]) -> None:
    """A stored error is decoded by its class name (gateway.resolvers.core.idempotency)."""
    assert getattr(errors, kind.__name__, None) is kind


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_the_docstring_lists_it(kind: type[GatewayError]) -> None:
    assert re.search(rf"\b{kind.__name__}\b", errors.__doc__ or "")


def test_only_authentication_errors_are_bare_strings() -> None:
    bare = [kind for kind in CLASSES if isinstance(orjson.loads(_rest(kind))["error"], str)]
    assert bare
    assert all(issubclass(kind, Unauthenticated) for kind in bare)
    assert not any(issubclass(kind, Forbidden) for kind in bare)


def _rest(kind: type[GatewayError]) -> bytes:
    return bytes(failure(kind(*ARGUMENTS.get(kind, ())), ResponseNotes()).body)
