"""`caminho` of an invalid field: where it is in the arguments of its GraphQL field, as `["input", "customerName"]`."""

from collections.abc import Mapping
from typing import Any

from graphql import FieldNode, GraphQLArgument, GraphQLError, GraphQLSchema, get_named_type, is_input_object_type
from strawberry.utils.str_converters import to_camel_case

_OBJECTS = ("input", "filter")
_RENAMED = {"sort": "order"}


def with_paths(schema: GraphQLSchema, error: GraphQLError, extensions: dict[str, Any]) -> dict[str, Any]:
    """The extensions of a field's error, with `caminho` of each invalid field that is an argument."""
    fields = extensions.get("campos")
    if not fields or not error.nodes or "caminho" in fields[0]:  # Those of variables have their paths.
        return extensions
    node = error.nodes[0]
    arguments = _arguments(schema, node.name.value) if isinstance(node, FieldNode) else {}
    found = [(each, _path(each["campo"], arguments)) for each in fields]
    return extensions | {"campos": [each | {"caminho": path} if path else each for each, path in found]}


def _arguments(schema: GraphQLSchema, name: str) -> Mapping[str, GraphQLArgument]:
    """The arguments of the root field of that name. A relation has those of the root list of the same name."""
    for root in (schema.query_type, schema.mutation_type):
        if root is not None and name in root.fields:
            arguments: Mapping[str, GraphQLArgument] = root.fields[name].args
            return arguments
    return {}


def _path(field: str, arguments: Mapping[str, GraphQLArgument]) -> list[str] | None:
    first, *rest = field.split(".")
    name = to_camel_case(_RENAMED.get(first, first))
    if name in arguments:
        return [name, *rest]
    for argument in _OBJECTS:
        kind = get_named_type(arguments[argument].type) if argument in arguments else None
        if is_input_object_type(kind) and name in kind.fields:
            return [argument, name, *rest]
    return None
