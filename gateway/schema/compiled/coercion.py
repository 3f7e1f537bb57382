"""Coerces the variables of an operation exactly as graphql-core does, or raises any exception.

graphql-core then coerces the same value again, and reports the error.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from graphql import (
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLSchema,
    OperationDefinitionNode,
    Undefined,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    is_required_input_field,
)
from graphql.execution.get_variable_signature import GraphQLVariableSignature, get_variable_signature
from graphql.utilities.coerce_input_value import coerce_default_value

from gateway.schema.compiled.completion import Fallback

Coerce = Callable[[Any], Any]
_IMMUTABLE = (str, int, float, Enum, type(None))


class _Input(NamedTuple):
    """A variable, or a field of an input object; `out_name` is its name in the result."""

    name: str
    out_name: str
    coerce: Coerce
    default: Any
    required: bool


def coerce_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A function that coerces all variables of an operation."""
    return _coerce_all(
        [_variable(get_variable_signature(schema, node)) for node in operation.variable_definitions or ()]
    )


def _variable(signature: Any) -> _Input:
    if not isinstance(signature, GraphQLVariableSignature):
        raise Fallback
    name, kind = signature.name, signature.type
    return _Input(name, name, _coercion(kind), constant_default(signature), is_non_null_type(kind))


def _coerce_all(inputs: Sequence[_Input]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def coerce_all(values: Mapping[str, Any]) -> dict[str, Any]:
        coerced = {}
        for name, out_name, coerce, default, required in inputs:
            if name in values:
                coerced[out_name] = coerce(values[name])
            elif default is not Undefined:
                coerced[out_name] = default
            elif required:
                raise Fallback
        return coerced

    return coerce_all


def constant_default(declared: Any) -> Any:
    """The default of an argument, variable or field, or Undefined. A mutable default raises `Fallback`."""
    return constant(coerce_default_value(declared))


def constant(value: Any) -> Any:
    """An immutable value; others raise `Fallback`."""
    if value is Undefined or isinstance(value, _IMMUTABLE):
        return value
    raise Fallback


def _coercion(kind: GraphQLInputType, within: tuple[GraphQLInputType, ...] = ()) -> Coerce:
    """A function that coerces a value of an input type. `within`: the enclosing types; recursion raises `Fallback`."""
    if is_non_null_type(kind):
        return _required(_coercion(kind.of_type, within))
    if is_list_type(kind):
        return _listed(_coercion(kind.of_type, within))
    if is_input_object_type(kind):
        return _object(kind, within)
    return _nullable(kind.coerce_input_value)  # type: ignore[union-attr]  # It is a leaf.


def _required(coerce: Coerce) -> Coerce:
    def coerce_required(value: Any) -> Any:
        if value is None:
            raise Fallback
        return coerce(value)

    return coerce_required


def _nullable(coerce: Coerce) -> Coerce:
    def coerce_nullable(value: Any) -> Any:
        if value is None:
            return None
        coerced = coerce(value)
        if coerced is Undefined:
            raise Fallback
        return coerced

    return coerce_nullable


def _listed(coerce: Coerce) -> Coerce:
    def coerce_list(value: Any) -> Any:
        if type(value) is not list:
            raise Fallback  # graphql-core accepts a single item as a list.
        return [coerce(item) for item in value]

    return _nullable(coerce_list)


def _object(kind: GraphQLInputObjectType, within: tuple[GraphQLInputType, ...]) -> Coerce:
    if kind.is_one_of or kind in within:
        raise Fallback
    coerce_fields = _coerce_all([_field(name, field, (*within, kind)) for name, field in kind.fields.items()])
    names = kind.fields.keys()

    def coerce_object(value: Any) -> Any:
        if type(value) is not dict or not value.keys() <= names:
            raise Fallback
        return kind.out_type(coerce_fields(value))

    return _nullable(coerce_object)


def _field(name: str, field: GraphQLInputField, within: tuple[GraphQLInputType, ...]) -> _Input:
    coerce, default = _coercion(field.type, within), constant_default(field)
    return _Input(name, field.out_name or name, coerce, default, is_required_input_field(field))
