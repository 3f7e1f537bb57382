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

ModelT = TypeVar("ModelT", bound=BaseModel)


def output(model: type[ModelT], name: str, **relations: Any) -> type[ModelT]:
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


def input(model: type[ModelT], name: str) -> type[ModelT]:  # noqa: A001  # It reads as `drafts.input`.
    """The GraphQL input type of an operation's input."""
    strawberry.pydantic.input(model, name=name, description=_first_sentence(model))
    definition = model.__strawberry_definition__  # type: ignore[attr-defined]  # Strawberry has just put it there.
    for field in definition.fields:
        if field.default is None:
            # A default of null would be filled in by GraphQL, and absent would look like null.
            field.default = field.default_value = dataclasses.MISSING
    definition.from_input = _draft
    return model


def enum(values: type[Enum], description: str, *, by_value: bool = False, **meanings: str) -> None:
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
