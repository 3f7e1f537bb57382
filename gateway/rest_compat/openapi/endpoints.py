"""One row of the table of paths as an OpenAPI operation."""

import re
from typing import Any

from gateway.resolvers.core.access import Permission
from gateway.rest_compat.door import Endpoint
from gateway.rest_compat.openapi.answers import failures, is_export, success
from gateway.rest_compat.openapi.modes import schema_of_body
from gateway.rest_compat.openapi.rooms import tag_of
from gateway.rest_compat.openapi.schemas import Schema, Schemas
from gateway.rest_compat.openapi.words import words_of

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_OWN_ACCOUNT = {Permission.public, Permission.account, Permission.session, Permission.staff, Permission.system}
OF_PAGES = frozenset({"page", "limit", "after", "total", "include"})
"""What a list takes and its export has no use for."""
EXAMPLE_ID = "8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10"


def described(schemas: Schemas, endpoint: Endpoint, operation_id: str) -> dict[str, Any]:
    """The operation of one endpoint."""
    words = words_of(endpoint.operation.name)
    whole = schemas.of(endpoint.operation.input_type, "validation")
    in_path = [name for name in _PLACEHOLDER.findall(endpoint.path) if name in whole.get("properties", {})]
    # Where the path says which record it is, no other field does.
    ways = endpoint.operation.input_type.ways if in_path else ()
    rest = {name: part for name, part in whole.get("properties", {}).items() if name not in {*in_path, *ways}}
    takes_body = endpoint.method in {"POST", "PUT"}
    operation: dict[str, Any] = {
        "tags": [tag_of(endpoint.operation.name)],
        "operationId": operation_id,
        "summary": words.summary,
    }
    about = [words.about or f"{words.summary}."]
    if endpoint.export is not None:
        about.append(f"Em CSV: `GET {endpoint.path}/export`, ou este endereço com `Accept: text/csv`.")
    operation["description"] = " ".join(about)
    if endpoint.operation.permission is Permission.public:
        operation["security"] = []
    parameters = [_in_path(name, whole["properties"][name]) for name in in_path]
    if not takes_body:
        unused = OF_PAGES if is_export(endpoint) else frozenset()
        parameters += [_in_query(schemas, name, part, whole) for name, part in rest.items() if name not in unused]
    if is_export(endpoint):
        parameters.append({"$ref": "#/components/parameters/Formato"})
    if parameters := [*parameters, *_headers(endpoint)]:
        operation["parameters"] = parameters
    if takes_body and rest:
        operation["requestBody"] = _body(schemas, endpoint, rest, whole)
    identified = any(_is_id(part) for part in whole.get("properties", {}).values())
    operation["responses"] = success(schemas, endpoint) | failures(endpoint, names_something=identified)
    return operation


def _headers(endpoint: Endpoint) -> list[Schema]:
    names = ["IdempotencyKey"] if endpoint.operation.creates else []
    if endpoint.operation.permission not in _OWN_ACCOUNT:
        names.append("Store")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _in_path(name: str, part: Schema) -> Schema:
    text, schema = _taken_apart(part)
    example = {"example": EXAMPLE_ID} if schema.get("format") == "uuid" else {}
    return {"name": name, "in": "path", "required": True, "description": text, "schema": schema, **example}


def _in_query(schemas: Schemas, name: str, part: Schema, whole: Schema) -> Schema:
    if name == "tz":
        return {"$ref": "#/components/parameters/TimeZone"}
    text, schema = _taken_apart(schemas.keep(part))
    required = {"required": True} if name in whole.get("required", []) else {}
    return {"name": name, "in": "query", **required, "description": text, "schema": schema}


def _taken_apart(part: Schema) -> tuple[str, Schema]:
    """The description, and the schema without null, which an address can't say."""
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
        schema = schemas.keep({"type": "object", "properties": rest, **({"required": required} if required else {})})
    media_type = "multipart/form-data" if endpoint.form else "application/json"
    return {"required": bool(required) or "oneOf" in schema, "content": {media_type: {"schema": schema}}}


def _is_id(part: Schema) -> bool:
    return any(each.get("format") == "uuid" for each in (part, *part.get("anyOf", [])))
