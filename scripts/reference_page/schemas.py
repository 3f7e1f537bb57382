"""JSON Schema for readers: a tree of named shapes, and a sample value."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from gateway.rest_compat.openapi.schemas import PATTERN_DESCRIPTIONS as PATTERNS

Schema = dict[str, Any]

INLINE_DEPTH = 1
"""Below this depth, the name of a model links to the models at the end of the page."""

SAMPLES = {
    "uuid": "8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10",
    "date-time": "2026-11-21T12:00:00Z",
    "date": "2026-11-21",
    "email": "maria@example.com",
    "uri": "https://loja.example",
    "password": "uma frase longa e só sua",
}


class Field(Struct, frozen=True):
    name: str
    required: bool
    shape: "Shape"


class Shape(Struct, frozen=True):
    """The form of a value. `model` names a component schema; `variants` are the
    alternatives of a oneOf or anyOf.
    """

    label: str
    title: str = ""
    model: str | None = None
    nullable: bool = False
    description: str = ""
    notes: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    variants: tuple["Shape", ...] = field(default=())


class Document:
    """An OpenAPI document, which resolves references."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    def resolve(self, node: Schema) -> Schema:
        """The node of a `$ref`, overridden by the members next to it, which 3.1 allows."""
        while "$ref" in node:
            siblings = {key: value for key, value in node.items() if key != "$ref"}
            node = {**self._at(node["$ref"]), **siblings}
        return node

    def _at(self, reference: str) -> Schema:
        found: Any = self.raw
        for part in reference.removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        return dict(found)

    def flatten(self, schema: Schema) -> Schema:
        """The schema without references, and with its allOf merged into one object."""
        schema = self.resolve(schema)
        if "allOf" not in schema:
            return schema
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        properties: Schema = {}
        required: list[str] = []
        for part in [*map(self.flatten, schema["allOf"]), dict(merged)]:
            properties |= part.get("properties", {})
            required += part.get("required", [])
            merged = {**part, **merged}
        if properties:
            merged |= {"properties": properties, "required": required}
        return merged


def model_name(schema: Schema) -> str | None:
    """The component a bare reference names, or None."""
    reference = schema.get("$ref", "")
    return reference.rpartition("/")[2] if reference.startswith("#/components/schemas/") else None


def shape(document: Document, schema: Schema, depth: int = 0, seen: tuple[str, ...] = ()) -> Shape:
    """The tree of a schema. A recursive model, and one deeper than INLINE_DEPTH, is only a name."""
    name = model_name(schema)
    flat = document.flatten(schema)
    base = Shape(
        label=_label(document, flat),
        title=flat.get("title", "") or name or "",
        model=name,
        nullable=_is_nullable(flat),
        description=flat.get("description", ""),
        notes=tuple(_notes(flat)),
        values=_values(flat),
    )
    if name is not None and (name in seen or depth >= INLINE_DEPTH):
        return base
    return _open(document, flat, base, depth, (*seen, name) if name else seen)


def _open(document: Document, flat: Schema, base: Shape, depth: int, seen: tuple[str, ...]) -> Shape:
    """The shape with its members: alternatives, items or properties."""
    alternatives = _alternatives(flat)
    if len(alternatives) == 1:
        only = shape(document, alternatives[0], depth, seen)
        return replace(
            only,
            nullable=base.nullable or only.nullable,
            description=base.description or only.description,
            notes=only.notes + base.notes,
        )
    if alternatives:
        return replace(base, variants=tuple(shape(document, each, depth, seen) for each in alternatives))
    if "items" in flat:
        items = shape(document, flat["items"], depth, seen)
        return replace(
            base,
            model=items.model,
            values=items.values,
            fields=items.fields,
            variants=items.variants,
            notes=base.notes + items.notes,
        )
    required = flat.get("required", [])
    fields = (
        Field(name, name in required, shape(document, each, depth + 1, seen))
        for name, each in flat.get("properties", {}).items()
    )
    return replace(base, fields=tuple(fields))


def _options(flat: Schema) -> list[Schema]:
    return flat.get("oneOf") or flat.get("anyOf") or []


def _alternatives(flat: Schema) -> list[Schema]:
    return [each for each in _options(flat) if each.get("type") != "null"]


def _is_nullable(flat: Schema) -> bool:
    kinds = flat.get("type", [])
    return (isinstance(kinds, list) and "null" in kinds) or any(each.get("type") == "null" for each in _options(flat))


def _label(document: Document, flat: Schema) -> str:
    if "items" in flat:
        return f"lista de {model_name(flat['items']) or _label(document, document.flatten(flat['items']))}"
    kinds = flat.get("type", "object" if "properties" in flat else "")
    kind = " ou ".join(each for each in kinds if each != "null") if isinstance(kinds, list) else kinds
    if not kind and _values(flat):
        kind = "string"
    return " · ".join(part for part in (kind, flat.get("format", "")) if part)


def _values(flat: Schema) -> tuple[str, ...]:
    values = [flat["const"]] if "const" in flat else flat.get("enum", [])
    return tuple(str(value) for value in values if value is not None)


def _notes(flat: Schema) -> Iterator[str]:
    """The limits of a schema as text."""
    words = {
        "minimum": "mínimo {}",
        "exclusiveMinimum": "maior que {}",
        "maximum": "máximo {}",
        "exclusiveMaximum": "menor que {}",
        "minLength": "tamanho mín. {}",
        "maxLength": "tamanho máx. {}",
        "minItems": "mín. {} itens",
        "maxItems": "máx. {} itens",
        "maxProperties": "máx. {} chaves",
        "pattern": "{}",
    }
    yield from (text.format(_in_words(flat[key])) for key, text in words.items() if key in flat)
    if flat.get("default") is not None:
        yield f"padrão {_plain(flat['default'])}"
    if flat.get("readOnly"):
        yield "só na resposta"
    if flat.get("writeOnly"):
        yield "só na requisição"


def _in_words(limit: Any) -> Any:
    return PATTERNS.get(limit, limit)


def _plain(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def sample(document: Document, schema: Schema, *, brief: bool = False, seen: tuple[str, ...] = ()) -> Any:
    """A valid value, from the schema's examples if it has any. `brief`: only required and exemplified members."""
    name = model_name(schema)
    seen = (*seen, name) if name else seen
    flat = document.flatten(schema)
    if (example := _example(flat)) is not None:
        return example
    if _is_nullable(flat):
        return None
    if alternatives := _alternatives(flat):
        return sample(document, alternatives[0], brief=brief, seen=seen)
    if "items" in flat:
        return [] if model_name(flat["items"]) in seen else [sample(document, flat["items"], brief=brief, seen=seen)]
    if "properties" in flat:
        return {
            key: sample(document, each, brief=brief, seen=seen)
            for key, each in _chosen(document, flat, brief=brief)
            if model_name(each) not in seen
        }
    return _scalar(flat)


def _example(flat: Schema) -> Any:
    candidates = [
        flat.get("example"),
        *flat.get("examples", [])[:1],
        flat.get("const"),
        *flat.get("enum", [])[:1],
        flat.get("default"),
    ]
    return next((each for each in candidates if each is not None), None)


def _chosen(document: Document, flat: Schema, *, brief: bool) -> list[tuple[str, Schema]]:
    properties = list(flat["properties"].items())
    required = flat.get("required", [])
    chosen = [(key, each) for key, each in properties if key in required or document.flatten(each).get("examples")]
    return chosen if brief and chosen else properties


def _scalar(flat: Schema) -> Any:
    kinds = flat.get("type", "object")
    kind = next((each for each in kinds if each != "null"), "null") if isinstance(kinds, list) else kinds
    if kind == "string":
        return SAMPLES.get(flat.get("format", ""), "texto")
    return {"integer": flat.get("minimum", 1), "number": flat.get("minimum", 9.9), "boolean": True, "null": None}.get(
        kind, {}
    )
