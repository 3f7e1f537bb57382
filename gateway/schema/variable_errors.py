"""Errors of variables that don't fit the schema, in Portuguese and without values.

graphql-core validates. Its own messages contain the values, and a password may be among them.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from graphql import (
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLSchema,
    OperationDefinitionNode,
    Undefined,
    VariableNode,
    is_enum_type,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    is_required_input_field,
)
from graphql.execution.get_variable_signature import get_variable_signature

MAX_REPORTED = 50
MAX_NAME_CHARACTERS = 100
INVALID = "As variáveis não cabem na operação."
MISSING = "campo obrigatório"
NULL = "não pode ser nulo"
_LEAVES: Final = {
    "String": "deve ser um texto",
    "ID": "deve ser um texto",
    "Boolean": "deve ser true ou false",
    "Float": "deve ser um número",
    "Int": "deve ser um número inteiro, de até 32 bits",
}
_Path = tuple[str, ...]
_Errors = Iterator[tuple[_Path, str]]


class VariableError(GraphQLError):
    """A value that doesn't fit the schema. The message is for the caller."""


def validate_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode, values: Mapping[str, Any]
) -> list[GraphQLError]:
    """The errors of variables that graphql-core refuses."""
    found = [
        VariableError(
            f"Variável ${'.'.join(_shortened(path))}: {reason}.",
            node,
            extensions={"campos": [{"campo": _rest_name(path), "mensagem": reason, "caminho": _shortened(path)}]},
        )
        for node, path, reason in islice(_variable_errors(schema, operation, values), MAX_REPORTED)
    ]
    return [*found] or [VariableError(INVALID)]


def mask_argument_error(error: GraphQLError) -> GraphQLError:
    """The error, or a masked one if graphql-core reports a variable that doesn't fit its argument."""
    if isinstance(error, VariableError) or not isinstance(error.original_error, (GraphQLError, type(None))):
        return error
    names = [node.name.value for node in error.nodes or () if isinstance(node, VariableNode)]
    message = f"Variável ${names[0]}: {NULL} onde é usada." if names else INVALID
    return VariableError(message, error.nodes, path=error.path)


def _shortened(path: _Path) -> list[str]:
    return [part[:MAX_NAME_CHARACTERS] for part in path]


def _rest_name(path: _Path) -> str:
    """The field's name in REST; for a variable that is no object, its own name."""
    return ".".join(re.sub("(?<=.)([A-Z])", r"_\1", part).lower() for part in _shortened(path[1:] or path))


def _variable_errors(
    schema: GraphQLSchema, operation: OperationDefinitionNode, values: Mapping[str, Any]
) -> Iterator[tuple[Any, _Path, str]]:
    for node in operation.variable_definitions or ():
        signature = get_variable_signature(schema, node)
        if isinstance(signature, GraphQLError):
            continue
        name, kind = signature.name, signature.type
        if name in values:
            yield from ((node, path, reason) for path, reason in _value_errors(values[name], kind, (name,)))
        elif node.default_value is None and is_non_null_type(kind):
            yield node, (name,), MISSING


def _value_errors(value: Any, kind: GraphQLInputType, path: _Path) -> _Errors:
    if is_non_null_type(kind):
        if value is None:
            yield path, NULL
            return
        kind = kind.of_type
    if value is None:
        return
    if is_list_type(kind):
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, item in items:
            yield from _value_errors(item, kind.of_type, path if index is None else (*path, str(index)))
    elif is_input_object_type(kind):
        yield from _object_errors(value, kind, path)
    elif not _fits(value, kind):
        yield path, _expectation(kind)


def _object_errors(value: Any, kind: GraphQLInputObjectType, path: _Path) -> _Errors:
    if not isinstance(value, dict):
        yield path, "deve ser um objeto"
        return
    for name, field in kind.fields.items():
        if name in value:
            yield from _value_errors(value[name], field.type, (*path, name))
        elif is_required_input_field(field):
            yield (*path, name), MISSING
    for name in value:
        if name not in kind.fields:
            yield (*path, name), f"não existe em {kind.name}"


def _fits(value: Any, kind: Any) -> bool:
    try:
        return kind.coerce_input_value(value) is not Undefined
    except Exception:  # noqa: BLE001  # A scalar's message may contain the value.
        return False


def _expectation(kind: Any) -> str:
    if is_enum_type(kind):
        return f"use um destes valores: {', '.join(kind.values)}"
    return _LEAVES.get(kind.name, "valor inválido")
