"""What doesn't fit the schema once a request's values are known: its variables, above all. Told in
Portuguese, and by name only.

graphql-core decides whether they fit. Its own words show what was sent, the whole object of which one field is wrong,
and a password may be in it.
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

MOST_TOLD = 50
LONGEST_NAME = 100
UNFIT = "As variáveis não cabem na operação."
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
_Faults = Iterator[tuple[_Path, str]]


class Misfit(GraphQLError):
    """A value that the schema doesn't take; the message is for the caller."""


def validate_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode, given: Mapping[str, Any]
) -> list[GraphQLError]:
    """What is wrong with variables that graphql-core refuses."""
    found = [
        Misfit(
            f"Variável ${'.'.join(part[:LONGEST_NAME] for part in path)}: {reason}.",
            node,
            extensions={"campos": [{"campo": _as_rest_says(path), "mensagem": reason}]},
        )
        for node, path, reason in islice(_of_variables(schema, operation, given), MOST_TOLD)
    ]
    return [*found] or [Misfit(UNFIT)]


def mask_argument_error(error: GraphQLError) -> GraphQLError:
    """An error of the execution; one of an argument for which its variables turn out not
    to fit is told in our words.
    """
    if isinstance(error, Misfit) or not isinstance(error.original_error, (GraphQLError, type(None))):
        return error
    names = [node.name.value for node in error.nodes or () if isinstance(node, VariableNode)]
    message = f"Variável ${names[0]}: {NULL} onde é usada." if names else UNFIT
    return Misfit(message, error.nodes, path=error.path)


def _as_rest_says(path: _Path) -> str:
    """A field of a variable by the name that REST and the operation's own refusals have for it; a variable
    that is no object, by its own.
    """
    return ".".join(re.sub("(?<=.)([A-Z])", r"_\1", part[:LONGEST_NAME]).lower() for part in path[1:] or path)


def _of_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode, given: Mapping[str, Any]
) -> Iterator[tuple[Any, _Path, str]]:
    for node in operation.variable_definitions or ():
        signature = get_variable_signature(schema, node)
        if isinstance(signature, GraphQLError):
            continue
        name, kind = signature.name, signature.type
        if name in given:
            yield from ((node, path, reason) for path, reason in _of_value(given[name], kind, (name,)))
        elif node.default_value is None and is_non_null_type(kind):
            yield node, (name,), MISSING


def _of_value(value: Any, kind: GraphQLInputType, path: _Path) -> _Faults:
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
            yield from _of_value(item, kind.of_type, path if index is None else (*path, str(index)))
    elif is_input_object_type(kind):
        yield from _of_object(value, kind, path)
    elif not _fits(value, kind):
        yield path, _words(kind)


def _of_object(value: Any, kind: GraphQLInputObjectType, path: _Path) -> _Faults:
    if not isinstance(value, dict):
        yield path, "deve ser um objeto"
        return
    for name, field in kind.fields.items():
        if name in value:
            yield from _of_value(value[name], field.type, (*path, name))
        elif is_required_input_field(field):
            yield (*path, name), MISSING
    for name in value:
        if name not in kind.fields:
            yield (*path, name), f"não existe em {kind.name}"


def _fits(value: Any, kind: Any) -> bool:
    try:
        return kind.coerce_input_value(value) is not Undefined
    except Exception:  # noqa: BLE001  # Whatever a scalar says of it, and it says the value, too.
        return False


def _words(kind: Any) -> str:
    if is_enum_type(kind):
        return f"use um destes valores: {', '.join(kind.values)}"
    return _LEAVES.get(kind.name, "valor inválido")
