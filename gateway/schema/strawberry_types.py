"""GraphQL types from the operations' own classes.

`output` and `input` give a Pydantic class of `gateway.resolvers` its GraphQL face. An input reaches its operation as a
draft, a mapping of what was sent and nothing more: absent is not null, and judging is the operation's.
"""

import dataclasses
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import strawberry
from pydantic import BaseModel
from strawberry.schema.name_converter import NameConverter


from datetime import datetime
from functools import cache
from typing import Any

import strawberry
from graphql import FloatValueNode, IntValueNode, ValueNode, value_from_ast_untyped
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.name_converter import NameConverter
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY

from gateway.http.request_body import exactly, whole
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths, reais_from_centavos


ModelT = TypeVar("ModelT", bound=BaseModel)


def define_output(model: type[ModelT], name: str, **relations: Any) -> type[ModelT]:
    """The GraphQL object type of a view; descriptions come from its fields, and from the first paragraph of its
    docstring, which is Portuguese for that reason; what developers need to know follows below it.

    `relations` are fields with resolvers (`strawberry.field`) that lead to other views: the view, which REST shows as
    it is, knows nothing of them.
    """
    strawberry.pydantic.type(model, name=name, description=_first_sentence(model))
    for python_name, field in relations.items():
        field.python_name, field.origin = python_name, model
        model.__strawberry_definition__.fields.append(field)  # type: ignore[attr-defined]  # Strawberry has just put it there.
    return model


def define_input(model: type[ModelT], name: str) -> type[ModelT]:
    """The GraphQL input type of an operation's input."""
    strawberry.pydantic.input(model, name=name, description=_first_sentence(model))
    definition = model.__strawberry_definition__  # type: ignore[attr-defined]  # Strawberry has just put it there.
    for field in definition.fields:
        if field.default is None:
            # A default of null would be filled in by GraphQL, and absent would look like null.
            field.default = field.default_value = dataclasses.MISSING
    definition.from_input = _draft
    return model


def define_enum(values: type[Enum], description: str, *, by_value: bool = False, **meanings: str) -> None:
    """The GraphQL enum; its values are those of REST. `by_value`: although its members have other names here.
    `meanings` are what its values mean; the orders of lists speak for themselves.
    """
    strawberry.enum(values, description=description)
    for value in values.__strawberry_definition__.values:  # type: ignore[attr-defined]  # Strawberry has just put it there.
        if by_value:
            value.name = value.value
        value.description = meanings.get(value.name)


def _draft(model: type[BaseModel], value: Mapping[str, Any], context: Any) -> dict[str, Any]:
    names = _names(model, context.config.name_converter)
    return {names[graphql]: _plain(sent) for graphql, sent in value.items()}


@cache
def _names(model: type[BaseModel], converter: NameConverter) -> dict[str, str]:
    """The names of a model's fields by those that GraphQL knows them by."""
    definition = model.__strawberry_definition__  # type: ignore[attr-defined]  # set by `input`.
    return {converter.from_field(field): field.python_name for field in definition.fields}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _first_sentence(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n")[0]


def _unjudged(value: Any) -> Any:
    return value


def _literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    return value_from_ast_untyped(node, variables)


def _amount(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    """A number to its last digit, as the decoder of bodies reads one: a double may be another amount."""
    match node:
        case FloatValueNode():
            return exactly(node.value)
        case IntValueNode():
            return whole(node.value)
    return _literal(node, variables)


REAIS = strawberry.scalar(
    name="Reais",
    description="Valor em reais: um número JSON com no máximo duas casas decimais. Ex.: 129.9.",
    serialize=reais_from_centavos,
    parse_value=_unjudged,
    parse_literal=_amount,
)
DISCOUNT = strawberry.scalar(
    name="DiscountValue",
    description="Por cento ou reais, conforme `discountType`: um número JSON com no máximo duas casas decimais.",
    serialize=reais_from_centavos,
    parse_value=_unjudged,
    parse_literal=_amount,
)
MOMENT = strawberry.scalar(
    name="DateTime",
    description="Data e hora ISO 8601; sem fuso horário, vale UTC. Uma data sem hora, que só se envia, é um dia de São Paulo: como "
    "fim o dia inteiro, como início o seu primeiro instante.",
    specified_by_url="https://scalars.graphql.org/andimarek/date-time",
    serialize=_unjudged,  # The encoder of the answer writes datetimes, ten times faster than `isoformat`.
    parse_value=_unjudged,
    parse_literal=_literal,
)
_JSON = DEFAULT_SCALAR_REGISTRY[JSON]
_ID = DEFAULT_SCALAR_REGISTRY[strawberry.ID]


class Names(NameConverter):
    """camelCase, made once for each name of the schema: Strawberry asks anew for each argument and
    input field of each request.
    """

    def __init__(self) -> None:
        super().__init__()
        self.apply_naming_config = cache(super().apply_naming_config)  # type: ignore[method-assign]  # The same, remembered.


CONFIG = StrawberryConfig(
    name_converter=Names(),
    scalar_map={
        Centavos: REAIS,
        Hundredths: DISCOUNT,
        datetime: MOMENT,
        Id: _ID,
        dict[str, str]: _JSON,
        dict[str, int]: _JSON,
        dict[str, Any]: _JSON,
    },
)
