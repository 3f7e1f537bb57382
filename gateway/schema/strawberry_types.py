"""GraphQL types of the operations' Pydantic classes, and the scalars.

An input reaches its operation as a mapping of the fields that were sent: absent is not null. The operation validates,
input scalars don't, so that REST and GraphQL refuse with the same messages.
"""

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import strawberry
from graphql import FloatValueNode, IntValueNode, ValueNode, value_from_ast_untyped
from pydantic import BaseModel
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.name_converter import NameConverter
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY
from strawberry.types.scalar import identity

from gateway.http.request_body import parse_decimal, parse_int
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths, reais_from_centavos

ModelT = TypeVar("ModelT", bound=BaseModel)


def define_output(model: type[BaseModel], name: str, **relations: Any) -> None:
    """Define the object type of a view. Its description is the first paragraph of the view's docstring, which is
    Portuguese for that reason. `relations` are further fields with resolvers (`strawberry.field`), for GraphQL only.
    """
    strawberry.pydantic.type(model, name=name, description=_first_sentence(model))
    for field in model.__strawberry_definition__.fields:  # type: ignore[attr-defined]  # Set by Strawberry.
        known = model.model_fields.get(field.python_name)
        field.graphql_name = known.alias if known else None
    for python_name, field in relations.items():
        field.python_name, field.origin = python_name, model
        model.__strawberry_definition__.fields.append(field)  # type: ignore[attr-defined]  # Set by Strawberry.


def define_input(model: type[ModelT], name: str) -> type[ModelT]:
    """Define the input type of an operation's input."""
    strawberry.pydantic.input(model, name=name, description=_first_sentence(model))
    definition = model.__strawberry_definition__  # type: ignore[attr-defined]  # Set by Strawberry.
    for field in definition.fields:
        if field.default is None:
            # GraphQL would fill in a default of null for an absent field.
            field.default = field.default_value = dataclasses.MISSING
    definition.from_input = _raw_input
    return model


def define_outputs(*views: type[BaseModel]) -> None:
    """Define the object types of views without relations, named as their classes without `View`."""
    for view in views:
        define_output(view, view.__name__.removesuffix("View"))


def define_inputs(*inputs: type[BaseModel]) -> None:
    """Define the input types of inputs, named as their classes; with `Input` behind, except for filters."""
    for each in inputs:
        name = each.__name__
        define_input(each, name if name.endswith("Filter") else f"{name}Input")


def define_enum(values: type[Enum], description: str, /, *, by_value: bool = False, **meanings: str) -> None:
    """Define an enum; its values are those of REST, also where its members have other names (`by_value`). `meanings`
    describe the values.
    """
    strawberry.enum(values, description=description)
    for value in values.__strawberry_definition__.values:  # type: ignore[attr-defined]  # Set by Strawberry.
        if by_value:
            value.name = value.value
        value.description = meanings.get(value.name)


def _raw_input(model: type[BaseModel], value: Mapping[str, Any], context: Any) -> dict[str, Any]:
    names = _names(model, context.config.name_converter)
    return {names[graphql]: _plain(sent) for graphql, sent in value.items()}


@cache
def _names(model: type[BaseModel], converter: NameConverter) -> dict[str, str]:
    """Python names of a model's fields by their GraphQL names."""
    definition = model.__strawberry_definition__  # type: ignore[attr-defined]  # Set by `define_input`.
    return {converter.from_field(field): field.python_name for field in definition.fields}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _first_sentence(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n")[0]


def _amount(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    """An exact number, as the decoder of bodies reads it; a double may be another amount."""
    match node:
        case FloatValueNode():
            return parse_decimal(node.value)
        case IntValueNode():
            return parse_int(node.value)
    return value_from_ast_untyped(node, variables)


REAIS = strawberry.scalar(
    name="Reais",
    description="Valor em reais: um número JSON com no máximo duas casas decimais. Ex.: 129.9.",
    serialize=reais_from_centavos,
    parse_value=identity,
    parse_literal=_amount,
)
DISCOUNT = strawberry.scalar(
    name="DiscountValue",
    description="Por cento ou reais, conforme `discountType`: um número JSON com no máximo duas casas decimais.",
    serialize=reais_from_centavos,
    parse_value=identity,
    parse_literal=_amount,
)
# orjson encodes datetimes, faster than `isoformat`.
DATE_TIME = strawberry.scalar(
    name="DateTime",
    description="Data e hora ISO 8601; sem fuso horário, vale UTC. Uma data sem hora, que só se envia, é um dia de São Paulo: como "
    "fim o dia inteiro, como início o seu primeiro instante.",
    specified_by_url="https://scalars.graphql.org/andimarek/date-time",
)
DATE = strawberry.scalar(name="Date", description="Um dia, como 2026-12-25.")
_JSON = DEFAULT_SCALAR_REGISTRY[JSON]
_ID = DEFAULT_SCALAR_REGISTRY[strawberry.ID]


class CachedNames(NameConverter):
    """Cached camelCase names. Strawberry converts each name again in each request."""

    def __init__(self) -> None:
        super().__init__()
        self.apply_naming_config = cache(super().apply_naming_config)  # type: ignore[method-assign]  # Same signature.


CONFIG = StrawberryConfig(
    name_converter=CachedNames(),
    scalar_map={
        Centavos: REAIS,
        Hundredths: DISCOUNT,
        date: DATE,
        datetime: DATE_TIME,
        Id: _ID,
        dict[str, str]: _JSON,
        dict[str, int]: _JSON,
        dict[str, Any]: _JSON,
    },
)
