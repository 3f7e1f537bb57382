"""What a request gives for the variables of an operation, exactly as graphql-core coerces it, or an exception.

Which exception doesn't matter: graphql-core meets the same value again, and says what is wrong with it.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from graphql import (
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


def variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What coerces all variables of an operation."""
    declared = [_declared(get_variable_signature(schema, node)) for node in operation.variable_definitions or ()]

    def coerce_all(given: Mapping[str, Any]) -> dict[str, Any]:
        coerced = {}
        for name, coerce, default, required in declared:
            if name in given:
                coerced[name] = coerce(given[name])
            elif default is not Undefined:
                coerced[name] = default
            elif required:
                raise Irregular
        return coerced

    return coerce_all


def _declared(signature: Any) -> tuple[str, Coerce, Any, bool]:
    if not isinstance(signature, GraphQLVariableSignature):
        raise Irregular
    return signature.name, _coercion(signature.type), constant_default(signature), is_non_null_type(signature.type)


def constant_default(declared: Any) -> Any:
    """What stands for an argument, a variable or a field that isn't given; Undefined where nothing does. What requests could change and
    thereby share is irregular.
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
    fields = [
        (
            name,
            field.out_name or name,
            _coercion(field.type, (*within, kind)),
            constant_default(field),
            is_required_input_field(field),
        )
        for name, field in kind.fields.items()
    ]
    names = kind.fields.keys()

    def coerce_object(value: Any) -> Any:
        if type(value) is not dict or not value.keys() <= names:
            raise Irregular
        coerced = {}
        for name, shown, coerce, default, required in fields:
            if name in value:
                coerced[shown] = coerce(value[name])
            elif default is not Undefined:
                coerced[shown] = default
            elif required:
                raise Irregular
        return kind.out_type(coerced)

    return _nullable(coerce_object)
