"""What a request gives for the variables of an operation, exactly as graphql-core coerces it, or an exception.

Which exception doesn't matter: graphql-core meets the same value again, and says what is wrong with it.
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

from gateway.schema.compiled.leaves import Irregular

Coerce = Callable[[Any], Any]
_IMMUTABLE = (str, int, float, Enum, type(None))


class _Part(NamedTuple):
    """A variable, or a field of an input object. `shown` is its name in what is made of the whole."""

    name: str
    shown: str
    coerce: Coerce
    default: Any
    required: bool


def variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What coerces all variables of an operation."""
    return _together([_declared(get_variable_signature(schema, node)) for node in operation.variable_definitions or ()])


def _declared(signature: Any) -> _Part:
    if not isinstance(signature, GraphQLVariableSignature):
        raise Irregular
    name, kind = signature.name, signature.type
    return _Part(name, name, _coercion(kind), constant_default(signature), is_non_null_type(kind))


def _together(parts: Sequence[_Part]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def coerce_all(given: Mapping[str, Any]) -> dict[str, Any]:
        coerced = {}
        for name, shown, coerce, default, required in parts:
            if name in given:
                coerced[shown] = coerce(given[name])
            elif default is not Undefined:
                coerced[shown] = default
            elif required:
                raise Irregular
        return coerced

    return coerce_all


def constant_default(declared: Any) -> Any:
    """What stands for an argument, a variable or a field that isn't given; Undefined where nothing does. What requests
    could change and thereby share is irregular.
    """
    return constant(coerce_default_value(declared))


def constant(value: Any) -> Any:
    """A value that can't change."""
    if value is Undefined or isinstance(value, _IMMUTABLE):
        return value
    raise Irregular


def _coercion(kind: GraphQLInputType, within: tuple[GraphQLInputType, ...] = ()) -> Coerce:
    """What coerces a value of an input type. `within`: the input objects around it; one within itself is irregular."""
    if is_non_null_type(kind):
        return _required(_coercion(kind.of_type, within))
    if is_list_type(kind):
        return _listed(_coercion(kind.of_type, within))
    if is_input_object_type(kind):
        return _object(kind, within)
    return _nullable(kind.coerce_input_value)  # type: ignore[union-attr]  # What is nothing of the above is a leaf.


def _required(coerce: Coerce) -> Coerce:
    def coerce_required(value: Any) -> Any:
        if value is None:
            raise Irregular
        return coerce(value)

    return coerce_required


def _nullable(coerce: Coerce) -> Coerce:
    def coerce_nullable(value: Any) -> Any:
        if value is None:
            return None
        coerced = coerce(value)
        if coerced is Undefined:
            raise Irregular
        return coerced

    return coerce_nullable


def _listed(coerce: Coerce) -> Coerce:
    def coerce_list(value: Any) -> Any:
        if type(value) is not list:
            raise Irregular  # A single item may stand for a list of it.
        return [coerce(item) for item in value]

    return _nullable(coerce_list)


def _object(kind: GraphQLInputObjectType, within: tuple[GraphQLInputType, ...]) -> Coerce:
    if kind.is_one_of or kind in within:
        raise Irregular
    coerce_fields = _together([_field(name, field, (*within, kind)) for name, field in kind.fields.items()])
    names = kind.fields.keys()

    def coerce_object(value: Any) -> Any:
        if type(value) is not dict or not value.keys() <= names:
            raise Irregular
        return kind.out_type(coerce_fields(value))

    return _nullable(coerce_object)


def _field(name: str, field: GraphQLInputField, within: tuple[GraphQLInputType, ...]) -> _Part:
    coerce, default = _coercion(field.type, within), constant_default(field)
    return _Part(name, field.out_name or name, coerce, default, is_required_input_field(field))
