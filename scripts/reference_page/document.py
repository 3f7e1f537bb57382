"""The content of the page, from an OpenAPI document: groups of operations, events, models."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from scripts.reference_page.requests import MISSING, SampleRequest, pretty, samples
from scripts.reference_page.schemas import Document, Schema, Shape, sample, shape

METHODS = ("get", "post", "put", "patch", "delete")
UNGROUPED = "Outras"


class Parameter(Struct, frozen=True):
    name: str
    location: str
    required: bool
    description: str
    shape: Shape
    example: str


class Example(Struct, frozen=True):
    """A JSON body under a caption."""

    caption: str
    text: str


class Body(Struct, frozen=True):
    """A request or response body; `media_type` names it when it isn't JSON."""

    media_type: str
    required: bool
    shape: Shape
    examples: tuple[Example, ...]


class Response(Struct, frozen=True):
    status: str
    description: str
    headers: tuple[tuple[str, str], ...]
    body: Body | None


class Operation(Struct, frozen=True):
    """A route, or an event if `event` is set (its `path` is then the event's name)."""

    anchor: str
    method: str
    path: str
    event: bool
    summary: str
    description: str
    deprecated: bool
    secured: bool
    parameters: tuple[Parameter, ...]
    body: Body | None
    responses: tuple[Response, ...]
    samples: dict[str, str]


class Group(Struct, frozen=True):
    anchor: str
    name: str
    description: str
    operations: tuple[Operation, ...]


class Model(Struct, frozen=True):
    anchor: str
    name: str
    shape: Shape


class Outline(Struct, frozen=True):
    groups: tuple[Group, ...]
    events: tuple[Operation, ...]
    models: tuple[Model, ...]


def outline(document: Document) -> Outline:
    return Outline(
        groups=tuple(_groups(document)),
        events=tuple(operation for _, operation in _operations(document, "webhooks")),
        models=tuple(_models(document)),
    )


def anchor(*words: str) -> str:
    """A readable fragment: letters, digits and hyphens, with accents."""
    return re.sub(r"[^\w]+", "-", " ".join(words)).strip("-").lower()


def _groups(document: Document) -> Iterator[Group]:
    """The tags in the document's order, then those it doesn't declare; an operation sits under its first tag."""
    tags = {tag["name"]: tag for tag in document.raw.get("tags", [])}
    members: dict[str, list[Operation]] = {name: [] for name in tags}
    for tag, operation in _operations(document, "paths"):
        members.setdefault(tag, []).append(operation)
    for name, operations in members.items():
        if operations:
            tag = tags.get(name, {})
            title = tag.get("x-displayName", name)
            yield Group(anchor("grupo", title), title, tag.get("description", ""), tuple(operations))


def _operations(document: Document, section: str) -> Iterator[tuple[str, Operation]]:
    for path, item in document.raw.get(section, {}).items():
        resolved = document.resolve(item)
        for method in METHODS:
            if method in resolved:
                raw = {
                    **resolved[method],
                    "parameters": [*resolved.get("parameters", []), *resolved[method].get("parameters", [])],
                }
                yield (
                    next(iter(raw.get("tags", [])), UNGROUPED),
                    _operation(document, method, path, raw, event=section == "webhooks"),
                )


def _operation(document: Document, method: str, path: str, raw: dict[str, Any], *, event: bool) -> Operation:
    parameters = tuple(_parameter(document, document.resolve(each)) for each in raw["parameters"])
    body = _body(document, document.resolve(raw["requestBody"]), brief=not event) if "requestBody" in raw else None
    secured = bool(raw.get("security", document.raw.get("security"))) and not event
    request = _sample_request(method, path, parameters, body, secured=secured)
    return Operation(
        anchor=anchor("evento" if event else method, path),
        method=method.upper(),
        path=path,
        event=event,
        summary=raw.get("summary", path),
        description=_more_than(raw.get("summary", ""), raw.get("description", "")),
        deprecated=raw.get("deprecated", False),
        secured=secured,
        parameters=parameters,
        body=body,
        responses=tuple(
            _response(document, status, document.resolve(each)) for status, each in raw.get("responses", {}).items()
        ),
        samples={} if event else samples(request),
    )


def _more_than(summary: str, description: str) -> str:
    """The description, unless it only repeats the summary, as linters require."""
    return "" if description == f"{summary}." else description


def _parameter(document: Document, raw: dict[str, Any]) -> Parameter:
    schema: Schema = raw.get("schema", {})
    example = raw.get("example", next(iter(document.resolve(schema).get("examples", [])), ""))
    return Parameter(
        name=raw["name"],
        location=raw["in"],
        required=raw.get("required", False),
        description=raw.get("description", "") or document.flatten(schema).get("description", ""),
        shape=shape(document, schema),
        example=str(example),
    )


def _body(document: Document, raw: dict[str, Any], *, brief: bool = False) -> Body | None:
    """The JSON form of a body if it has one, else its first."""
    content = raw.get("content", {})
    media_type = "application/json" if "application/json" in content else next(iter(content), None)
    if media_type is None:
        return None
    media = content[media_type]
    schema: Schema = media.get("schema", {})
    examples = tuple(_examples(document, media, schema, brief=brief)) if "json" in media_type else ()
    return Body(media_type, raw.get("required", False), shape(document, schema), examples)


def _examples(document: Document, media: dict[str, Any], schema: Schema, *, brief: bool) -> Iterator[Example]:
    if "examples" in media:
        for name, each in media["examples"].items():
            resolved = document.resolve(each)
            yield Example(resolved.get("summary", name), pretty(resolved.get("value")))
    elif "example" in media:
        yield Example("", pretty(media["example"]))
    else:
        yield Example("", pretty(sample(document, schema, brief=brief)))


def _response(document: Document, status: str, raw: dict[str, Any]) -> Response:
    headers = tuple(
        (name, document.resolve(each).get("description", "")) for name, each in raw.get("headers", {}).items()
    )
    body = _body(document, raw)
    if body is not None and not status.startswith("2"):
        body = replace(body, examples=())  # All errors look alike.
    return Response(status, raw.get("description", ""), headers, body)


def _sample_request(
    method: str, path: str, parameters: tuple[Parameter, ...], body: Body | None, *, secured: bool
) -> SampleRequest:
    """The sample request: path parameters and required ones filled in, the first example as its body."""
    query = []
    headers = {"Authorization": "Bearer $CHAVE"} if secured else {}
    for each in parameters:
        if each.location == "path" and each.example:
            path = path.replace(f"{{{each.name}}}", quote(each.example))
        elif each.location == "query" and each.required:
            query.append(f"{each.name}={quote(each.example)}")
        elif each.location == "header" and (each.required or each.example):
            headers[each.name] = each.example
    target = f"{path}?{'&'.join(query)}" if query else path
    return SampleRequest(method.upper(), target, headers, _first_body(body), _form(body))


def _first_body(body: Body | None) -> Any:
    return json.loads(body.examples[0].text) if body and body.examples else MISSING


def _form(body: Body | None) -> tuple[tuple[str, str], ...]:
    """The parts of a multipart body, for curl: a file is `@arquivo`, anything else its first value."""
    if body is None or not body.media_type.startswith("multipart/"):
        return ()
    return tuple(
        (each.name, "@arquivo" if each.shape.label.endswith("binary") else _first_value(each.shape))
        for each in body.shape.fields
    )


def _first_value(part: Shape) -> str:
    return part.values[0] if part.values else "texto"


def _models(document: Document) -> Iterator[Model]:
    for name in document.raw.get("components", {}).get("schemas", {}):
        drawn = shape(document, {"$ref": f"#/components/schemas/{name}"})
        yield Model(anchor("modelo", name), name, replace(drawn, model=None))  # No link to itself.
