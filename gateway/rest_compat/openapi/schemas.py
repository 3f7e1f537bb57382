"""JSON Schema of inputs and views, as they travel over REST: money in reais, ids as UUIDs, names without `View`."""

from collections.abc import Iterable
from enum import Enum
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from gateway.resolvers.core.inputs import Input, WithoutControl, WithoutControlButBreaks, none_if_empty, not_null
from gateway.resolvers.core.views import Page, View
from gateway.rest_compat.openapi.examples import EXAMPLES
from gateway.rest_compat.patterns import FILLED_LINE, LINE, LINES, MOMENT_OR_DAY
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths

Schema = dict[str, Any]
REFERENCE = "#/components/schemas/"
_AMOUNT: Schema = {"type": "number"}
_UUID: Schema = {"type": "string", "format": "uuid"}


_RENAMED = {
    "Document": "ProductionDocument",
    "Environment": "ApiEnvironment",
    "Interval": "BillingInterval",
    "Method": "PaymentMethod",
    "Scope": "ApiKeyScope",
    "Source": "AuditSource",
    "Track": "ApprovalTrack",
}
"""Names that a language or its standard library takes, and what clients are generated with instead."""

_MOMENT: Schema = {"type": "string", "format": "date-time"}
# Not `anyOf` of two formats, of which generators make an empty class: a string for who writes it.
_MOMENT_OR_DAY: Schema = {"type": "string", "pattern": MOMENT_OR_DAY}


class _AsTravels(GenerateJsonSchema):
    """Pydantic's generator without its English titles and docstrings, and with centavos as reais."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> Schema:
        shown = super().function_before_schema(schema)
        judge = schema["function"]["function"]
        if judge is not_null:
            return _without_null(shown)
        return _or_empty(shown) if judge is none_if_empty else shown

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> Schema:
        shown = super().function_after_schema(schema)
        if shown.get("type") == "string" and schema["function"]["function"] is WithoutControl.func:
            return {**shown, "pattern": FILLED_LINE if shown.get("minLength") else LINE}
        if shown.get("type") == "string" and schema["function"]["function"] is WithoutControlButBreaks.func:
            return {**shown, "pattern": LINES}
        return shown

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        shown = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        if issubclass(model, Input):
            shown["properties"] = _with_days(shown.get("properties", {}))
        for name, field in model.model_fields.items():
            travels = _travelling(field.annotation)
            if travels is not None and not issubclass(model, Input):
                shown["properties"][name] = _or_null(travels, field.annotation) | _described(field.description)
        for name in model.only_if_told if issubclass(model, View) else ():
            shown["properties"][name] = shown["properties"][name]["anyOf"][0] | _described(
                model.model_fields[name].description
            )
            shown["required"].remove(name)
        return shown


def _without_null(schema: Schema) -> Schema:
    """A field that may be left out, but not be null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    return options[0] if len(options) == 1 else schema


def _or_empty(node: Any) -> Any:
    """An optional text that may be empty, which is the same as null. Formats stay: what is sent, has them."""
    if isinstance(node, list):
        return [_or_empty(each) for each in node]
    if not isinstance(node, dict):
        return node
    open_ended = {key: _or_empty(value) for key, value in node.items() if key != "minLength"}
    return {**open_ended, "pattern": LINE} if node.get("pattern") == FILLED_LINE else open_ended


def _with_days(node: Any) -> Any:
    """A moment that is read may be a date alone."""
    if isinstance(node, list):
        return [_with_days(each) for each in node]
    if not isinstance(node, dict):
        return node
    if node.items() >= _MOMENT.items():
        return {key: value for key, value in node.items() if key != "format"} | _MOMENT_OR_DAY
    return {key: _with_days(value) for key, value in node.items()}


def _travelling(annotation: Any) -> Schema | None:
    # Of a union, its members; of a list of ids, the list.
    kinds = {annotation, *(get_args(annotation) if type(None) in get_args(annotation) else ())}
    if kinds & {Centavos, Hundredths}:
        return _AMOUNT
    return _UUID if Id in kinds else None


def _or_null(schema: Schema, annotation: Any) -> Schema:
    return {**schema, "type": [schema["type"], "null"]} if type(None) in get_args(annotation) else dict(schema)


def _described(text: str | None) -> Schema:
    return {"description": text} if text else {}


def _plain(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in {"title", "description"}}


class Schemas:
    """The component schemas of the document: all models in one go, so that names clash
    nowhere, and the `fixed` ones.
    """

    def __init__(self, models: Iterable[tuple[type[BaseModel], JsonSchemaMode]], fixed: Schema) -> None:
        self._references, whole = models_json_schema(
            list(dict.fromkeys(models)), ref_template=REFERENCE + "{model}", schema_generator=_AsTravels
        )
        _require_distinct(whole.get("$defs", {}))
        self._all: Schema = fixed | {
            _public(name): _plain(_tidy(schema)) for name, schema in whole.get("$defs", {}).items()
        }
        for name in EXAMPLES.keys() & self._all.keys():
            self._all[name]["examples"] = [EXAMPLES[name]]
        self._used: set[str] = set()

    def of(self, model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
        """A model's schema itself, to be taken apart."""
        reference = self._references[model, mode]["$ref"]
        found: Schema = self._all[_public(reference.rpartition("/")[2])]
        return found

    def reference(self, model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
        """A reference to a model's schema, which thereby becomes a component."""
        return self.keep({"$ref": _tidy(self._references[model, mode])["$ref"]})

    def add(self, name: str, schema: Schema) -> Schema:
        """A reference to a schema of this name, which thereby becomes a component."""
        if name in EXAMPLES:
            schema = {**schema, "examples": [EXAMPLES[name]]}
        self._all[name] = schema
        return self.keep({"$ref": REFERENCE + name})

    def keep(self, schema: Schema) -> Schema:
        """The schema itself; whatever it refers to becomes a component."""
        for name in _referred(schema):
            if name not in self._used:
                self._used.add(name)
                self.keep(self._all[name])
        return schema

    def components(self) -> Schema:
        """What has been referred to, by name."""
        return {name: self._all[name] for name in sorted(self._used)}


def models_of(result: Any) -> list[type[BaseModel]]:
    """The models in a result type: `ChargeView`, `Page[ChargeView]`, `list[ChargeView]`."""
    if isinstance(result, type) and issubclass(result, BaseModel):
        return [result]
    return [model for part in get_args(result) for model in models_of(part)]


def result_schema(schemas: Schemas, result: Any) -> Schema:
    """What `data` is: an object, or a list of them."""
    model = models_of(result)
    if not model:
        return {"type": "object"}
    reference = schemas.reference(model[0], "serialization")
    return {"type": "array", "items": reference} if get_origin(result) in {Page, list} else reference


def values_of(enum: type[Enum]) -> list[Any]:
    """The values of an enum, in their order."""
    return [member.value for member in enum]


def _require_distinct(names: Iterable[str]) -> None:
    """An input and a view of one public name would both be shown as the latter. Raises ValueError."""
    public = [_public(name) for name in names]
    twice = sorted({name for name in public if public.count(name) > 1})
    if twice:
        raise ValueError(f"rename one of each: {', '.join(twice)}")


def _public(name: str) -> str:
    short = name.removesuffix("View")
    return _RENAMED.get(short, short)


def _tidy(schema: Any) -> Any:
    """Public names, and null said as briefly as 3.1 can; a default of null only says that absent is allowed."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidy: Schema = {
        key: REFERENCE + _public(value.rpartition("/")[2]) if key == "$ref" else _tidy(value)
        for key, value in schema.items()
        if not (key == "default" and value is None) and key != "readOnly"
    }
    options = tidy.get("anyOf", [])
    if len(options) == 2 and options[1] == {"type": "null"} and isinstance(options[0].get("type"), str):
        only = tidy.pop("anyOf")[0]
        return {**only, **tidy, "type": [only["type"], "null"]}
    return tidy


def _referred(schema: Any) -> Iterable[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _referred(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _referred(item)
