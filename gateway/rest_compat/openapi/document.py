"""The whole document."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from gateway import __version__
from gateway.models.webhooks import EventType
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.rest_compat.door import Endpoint
from gateway.rest_compat.openapi.answers import shared
from gateway.rest_compat.openapi.endpoints import described
from gateway.rest_compat.openapi.events import name_of, webhooks
from gateway.rest_compat.openapi.fixed import FIXED, HEADERS, INTRODUCTION, PARAMETERS, SECURITY
from gateway.rest_compat.openapi.rooms import tags
from gateway.rest_compat.openapi.schemas import Schemas, models_of


def openapi(endpoints: list[Endpoint]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a table of paths."""
    shown = [endpoint for endpoint in endpoints if not endpoint.internal]
    schemas = Schemas(_models(shown), FIXED)
    paths: dict[str, Any] = {}
    for endpoint, operation_id in zip(shown, _ids(shown), strict=True):
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described(schemas, endpoint, operation_id)
    events = webhooks(schemas)
    used = {operation["tags"][0] for path in paths.values() for operation in path.values()}
    schemas.keep({"either": [{"$ref": f"#/components/schemas/{name}"} for name in ("ApiError", "AuthenticationError")]})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pix Gateway",
            "version": __version__,
            "summary": "Cobranças Pix, clientes e webhooks assinados.",
            "description": INTRODUCTION,
            "contact": {"name": "Quem opera esta instalação"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "Esta instalação"}],
        "security": [{"bearer": []}],
        "tags": tags(used),
        "paths": paths,
        # By reference: openapi-generator would make methods of the events, which don't compile.
        "webhooks": {event.value: {"$ref": f"#/components/pathItems/{name_of(event)}"} for event in EventType},
        "components": {
            "pathItems": {name_of(event): item for event, item in events.items()},
            "schemas": schemas.components(),
            "responses": shared(),
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "securitySchemes": SECURITY,
        },
    }


def _models(endpoints: list[Endpoint]) -> Iterable[tuple[type[BaseModel], JsonSchemaMode]]:
    yield ChargeView, "serialization"  # Events carry it.
    yield SubscriptionView, "serialization"  # And this one.
    for endpoint in endpoints:
        yield endpoint.operation.input_type, "validation"
        for model in models_of(endpoint.operation.result_type):
            yield model, "serialization"


def _ids(endpoints: list[Endpoint]) -> list[str]:
    """The verb's name; where a verb is served at several paths, the later ones add theirs."""
    given: list[str] = []
    for endpoint in endpoints:
        verb = _camel(endpoint.operation.verb.__name__.split("_"))
        words = [word for part in endpoint.path.strip("/").split("/") for word in part.strip("{}").split("-")]
        given.append(verb if verb not in given else f"{verb}At{_camel(['', *words])}")
    return given


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])
