"""The OpenAPI 3.1 document, and its operations."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from gateway import __version__
from gateway.models.webhooks import EventType
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.listing.exports import ExportTable
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.csv_stream import COLUMNS_PARAMETER
from gateway.rest_compat.openapi.components import (
    COMPONENT_SCHEMAS,
    HEADERS,
    INTRODUCTION,
    PARAMETERS,
    SECURITY,
    tag_of,
    tags,
)
from gateway.rest_compat.openapi.descriptions import DESCRIPTIONS
from gateway.rest_compat.openapi.events import name_of, webhooks
from gateway.rest_compat.openapi.request_bodies import schema_of_body
from gateway.rest_compat.openapi.responses import failures, is_export, shared, success
from gateway.rest_compat.openapi.schemas import Schema, Schemas, models_of


def openapi(endpoints: list[Endpoint]) -> dict[str, Any]:
    """The document of a list of endpoints."""
    public = [endpoint for endpoint in endpoints if not endpoint.internal]
    schemas = Schemas(_models(public), COMPONENT_SCHEMAS)
    paths: dict[str, Any] = {}
    for endpoint, operation_id in zip(public, _operation_ids(public), strict=True):
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = describe_endpoint(
            schemas, endpoint, operation_id
        )
    events = webhooks(schemas)
    used = {operation["tags"][0] for path in paths.values() for operation in path.values()}
    schemas.use({"either": [{"$ref": f"#/components/schemas/{name}"} for name in ("ApiError", "AuthenticationError")]})
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
    yield ChargeView, "serialization"  # In events.
    yield SubscriptionView, "serialization"
    for endpoint in endpoints:
        yield endpoint.operation.input_type, "validation"
        for model in models_of(endpoint.operation.result_type):
            yield model, "serialization"


def _operation_ids(endpoints: list[Endpoint]) -> list[str]:
    """The operation's name; at further paths the path is added."""
    ids: list[str] = []
    for endpoint in endpoints:
        name = _camel(endpoint.operation.handler.__name__.split("_"))
        words = [word for part in endpoint.path.strip("/").split("/") for word in part.strip("{}").split("-")]
        ids.append(name if name not in ids else f"{name}At{_camel(['', *words])}")
    return ids


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])


_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_OWN_ACCOUNT = {Permission.public, Permission.account, Permission.session, Permission.staff, Permission.system}
PAGE_PARAMETERS = frozenset({"page", "limit", "after", "total", "include"})
"""Parameters of a list that its export lacks."""
EXAMPLE_ID = "8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10"


def describe_endpoint(schemas: Schemas, endpoint: Endpoint, operation_id: str) -> dict[str, Any]:
    """The OpenAPI operation of an endpoint."""
    description = DESCRIPTIONS[endpoint.operation.name]
    whole = schemas.of(endpoint.operation.input_type, "validation")
    in_path = [name for name in _PLACEHOLDER.findall(endpoint.path) if name in whole.get("properties", {})]
    # Alternative identifiers are omitted where the path has one.
    ways = endpoint.operation.input_type.ways if in_path else ()
    rest = {name: part for name, part in whole.get("properties", {}).items() if name not in {*in_path, *ways}}
    takes_body = endpoint.method in {"POST", "PUT"}
    operation: dict[str, Any] = {
        "tags": [tag_of(endpoint.operation.name)],
        "operationId": operation_id,
        "summary": description.summary,
    }
    about = [description.about or f"{description.summary}."]
    if endpoint.export is not None:
        about.append(f"Em CSV: `GET {endpoint.path}/export`, ou este endereço com `Accept: text/csv`.")
    operation["description"] = " ".join(about)
    if endpoint.operation.permission is Permission.public:
        operation["security"] = []
    parameters = [_in_path(name, whole["properties"][name]) for name in in_path]
    if not takes_body:
        unused = PAGE_PARAMETERS if is_export(endpoint) else frozenset()
        parameters += [_in_query(schemas, name, part, whole) for name, part in rest.items() if name not in unused]
    if endpoint.operation.table is not None:
        parameters += [{"$ref": "#/components/parameters/Formato"}, _columns(endpoint.operation.table)]
    if parameters := [*parameters, *_headers(endpoint)]:
        operation["parameters"] = parameters
    if takes_body and rest:
        operation["requestBody"] = _body(schemas, endpoint, rest, whole)
    identified = any(_is_id(part) for part in whole.get("properties", {}).values())
    operation["responses"] = success(schemas, endpoint) | failures(endpoint, has_id=identified)
    return operation


def _headers(endpoint: Endpoint) -> list[Schema]:
    names = ["IdempotencyKey"] if endpoint.operation.idempotent else []
    if endpoint.operation.permission not in _OWN_ACCOUNT:
        names.append("Store")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _in_path(name: str, part: Schema) -> Schema:
    text, schema = _split_description(part)
    example = {"example": EXAMPLE_ID} if schema.get("format") == "uuid" else {}
    return {"name": name, "in": "path", "required": True, "description": text, "schema": schema, **example}


def _in_query(schemas: Schemas, name: str, part: Schema, whole: Schema) -> Schema:
    if name == "tz":
        return {"$ref": "#/components/parameters/TimeZone"}
    text, schema = _split_description(schemas.use(part))
    required = {"required": True} if name in whole.get("required", []) else {}
    # One parameter with all items, separated by commas.
    joined = {"style": "form", "explode": False} if schema.get("type") == "array" else {}
    return {"name": name, "in": "query", **required, "description": text, **joined, "schema": schema}


def _columns(table: ExportTable) -> Schema:
    return {
        "name": COLUMNS_PARAMETER,
        "in": "query",
        "description": "As colunas do arquivo, nesta ordem. Padrão: todas.",
        "style": "form",
        "explode": False,
        "schema": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(table.columns)}},
    }


def _split_description(part: Schema) -> tuple[str, Schema]:
    """The description, and the schema without null, which a URL can't express."""
    schema = {key: value for key, value in part.items() if key != "description"}
    options = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(options) == 1:
        schema = options[0]
    if isinstance(schema.get("type"), list):
        schema = {**schema, "type": next(kind for kind in schema["type"] if kind != "null")}
    return part.get("description", ""), schema


def _body(schemas: Schemas, endpoint: Endpoint, rest: Schema, whole: Schema) -> Schema:
    required = [name for name in whole.get("required", []) if name in rest]
    if rest.keys() == whole["properties"].keys():
        schema = schema_of_body(schemas, endpoint.operation.input_type)
    else:
        schema = schemas.use({"type": "object", "properties": rest, **({"required": required} if required else {})})
    media_type = "multipart/form-data" if endpoint.form else "application/json"
    return {"required": bool(required) or "oneOf" in schema, "content": {media_type: {"schema": schema}}}


def _is_id(part: Schema) -> bool:
    return any(each.get("format") == "uuid" for each in (part, *part.get("anyOf", [])))
