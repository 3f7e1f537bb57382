"""JSON Schema of inputs and views, as they travel over REST: money in reais, ids as UUIDs, names without `View`."""

from collections.abc import Callable, Iterable
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from gateway.resolvers.core.inputs import Input, WithoutControl, WithoutControlButBreaks, none_if_empty, not_null
from gateway.resolvers.core.views import Page, View
from gateway.rest_compat.openapi.examples import EXAMPLES
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths

_CONTROL = r"\x00-\x1f\x7f-\x9f"
LINE = rf"^[^{_CONTROL}]*$"
FILLED_LINE = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"

_YEAR = r"(190[1-9]|19[1-9][0-9]|[2-8][0-9]{3})"
_DAY = r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
DATE_TIME_OR_DATE = rf"^{_YEAR}-{_DAY}([T ]{_TIME})?$"
"""A date-time, or a date alone."""

PATTERN_DESCRIPTIONS = {
    DATE_TIME_OR_DATE: "ISO 8601, data e hora ou só a data",
    LINE: "sem caracteres de controle",
    FILLED_LINE: "não só espaços, sem caracteres de controle",
    LINES: "sem caracteres de controle além de quebras de linha",
}
"""Descriptions of the patterns."""

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
"""Replacements for names that collide with those of programming languages."""

_DATE_TIME: Schema = {"type": "string", "format": "date-time"}
# A string: generators make an empty class of `anyOf` two formats.
_DATE_TIME_OR_DATE: Schema = {"type": "string", "pattern": DATE_TIME_OR_DATE}


class _SchemaGenerator(GenerateJsonSchema):
    """Pydantic's generator without its English titles and docstrings, and with centavos as reais."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> Schema:
        generated = super().function_before_schema(schema)
        validator = schema["function"]["function"]
        if validator is not_null:
            return _without_null(generated)
        return _rewrite(generated, _or_empty) if validator is none_if_empty else generated

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> Schema:
        generated = super().function_after_schema(schema)
        if generated.get("type") == "string" and schema["function"]["function"] is WithoutControl.func:
            return {**generated, "pattern": FILLED_LINE if generated.get("minLength") else LINE}
        if generated.get("type") == "string" and schema["function"]["function"] is WithoutControlButBreaks.func:
            return {**generated, "pattern": LINES}
        return generated

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        generated = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        if issubclass(model, Input):
            generated["properties"] = _rewrite(generated.get("properties", {}), _with_days)
        for name, field in model.model_fields.items():
            wire_schema = _wire_schema(field.annotation)
            if wire_schema is not None and not issubclass(model, Input):
                generated["properties"][name] = _or_null(wire_schema, field.annotation) | _described(field.description)
        for name in model.only_if_set if issubclass(model, View) else ():
            generated["properties"][name] = generated["properties"][name]["anyOf"][0] | _described(
                model.model_fields[name].description
            )
            generated["required"].remove(name)
        return generated


def _rewrite(node: Any, change: Callable[[Schema], Schema]) -> Any:
    """The node with each object within it changed, the inner ones first."""
    if isinstance(node, list):
        return [_rewrite(each, change) for each in node]
    if not isinstance(node, dict):
        return node
    return change({key: _rewrite(value, change) for key, value in node.items()})


def _without_null(schema: Schema) -> Schema:
    """A field that may be left out, but not be null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    return options[0] if len(options) == 1 else schema


def _or_empty(node: Schema) -> Schema:
    """An optional text may be empty, which means null."""
    open_ended = {key: value for key, value in node.items() if key != "minLength"}
    return {**open_ended, "pattern": LINE} if node.get("pattern") == FILLED_LINE else open_ended


def _with_days(node: Schema) -> Schema:
    """A date-time of an input may be a date alone."""
    if node.items() >= _DATE_TIME.items():
        return {key: value for key, value in node.items() if key != "format"} | _DATE_TIME_OR_DATE
    return node


def _wire_schema(annotation: Any) -> Schema | None:
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
    """The component schemas: those of all models, generated together so that names are unique, and the `fixed` ones."""

    def __init__(self, models: Iterable[tuple[type[BaseModel], JsonSchemaMode]], fixed: Schema) -> None:
        self._references, whole = models_json_schema(
            list(dict.fromkeys(models)), ref_template=REFERENCE + "{model}", schema_generator=_SchemaGenerator
        )
        _require_distinct(whole.get("$defs", {}))
        self._all: Schema = fixed | {
            _public(name): _plain(_rewrite(schema, _tidy)) for name, schema in whole.get("$defs", {}).items()
        }
        for name in EXAMPLES.keys() & self._all.keys():
            self._all[name]["examples"] = [EXAMPLES[name]]
        self._used: set[str] = set()

    def of(self, model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
        """A model's schema itself."""
        reference = self._references[model, mode]["$ref"]
        found: Schema = self._all[_public(reference.rpartition("/")[2])]
        return found

    def reference(self, model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
        """A reference to a model's schema, which becomes a component."""
        return self.use({"$ref": _rewrite(self._references[model, mode], _tidy)["$ref"]})

    def add(self, name: str, schema: Schema) -> Schema:
        """A reference to a schema of this name, which becomes a component."""
        if name in EXAMPLES:
            schema = {**schema, "examples": [EXAMPLES[name]]}
        self._all[name] = schema
        return self.use({"$ref": REFERENCE + name})

    def use(self, schema: Schema) -> Schema:
        """The schema itself; those that it refers to become components."""
        for name in _referred(schema):
            if name not in self._used:
                self._used.add(name)
                self.use(self._all[name])
        return schema

    def components(self) -> Schema:
        """The referenced schemas, by name."""
        return {name: self._all[name] for name in sorted(self._used)}


def models_of(result: Any) -> list[type[BaseModel]]:
    """The models in a result type: `ChargeView`, `Page[ChargeView]`, `list[ChargeView]`."""
    if isinstance(result, type) and issubclass(result, BaseModel):
        return [result]
    return [model for part in get_args(result) for model in models_of(part)]


def result_schema(schemas: Schemas, result: Any) -> Schema:
    """The schema of `data`: an object, or a list."""
    model = models_of(result)
    if not model:
        return {"type": "object"}
    reference = schemas.reference(model[0], "serialization")
    return {"type": "array", "items": reference} if get_origin(result) in {Page, list} else reference


def _require_distinct(names: Iterable[str]) -> None:
    """Raise ValueError if an input and a view have the same public name."""
    public = [_public(name) for name in names]
    twice = sorted({name for name in public if public.count(name) > 1})
    if twice:
        raise ValueError(f"rename one of each: {', '.join(twice)}")


def _public(name: str) -> str:
    short = name.removesuffix("View")
    return _RENAMED.get(short, short)


def _tidy(schema: Schema) -> Schema:
    """Use public names and the short form of null; drop defaults of null, which only mean optional."""
    tidy: Schema = {
        key: REFERENCE + _public(value.rpartition("/")[2]) if key == "$ref" else value
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
