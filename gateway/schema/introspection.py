"""Executes introspection with a cache: each part of the schema is completed once for each selection.

graphql-core completes a type wherever it is referenced, so a short document can select millions of values. Here the
parts and the values of a response are limited.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from graphql import (
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_wrapping_type,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetailsList
from graphql.execution.values import get_argument_values

from gateway.errors import InvalidInput

MAX_VALUES: Final = 100_000
"""Values of one response; five times those of GraphiQL's query."""
MAX_PARTS: Final = 10_000
"""Types, fields and arguments of the schema, each once for each selection."""


def _too_much() -> InvalidInput:
    return InvalidInput(message="A introspecção pede demais: peça menos campos, ou menos vezes.")


class _Completed(NamedTuple):
    value: Any
    size: int


class _Field(NamedTuple):
    name: str
    show: Callable[[Any], _Completed]


class Introspection:
    """For one request."""

    def __init__(self, executor: "Executor[Any]") -> None:
        self._executor = executor
        self._fields: dict[tuple[GraphQLObjectType, int], list[_Field]] = {}
        self._completed: dict[tuple[Any, ...], _Completed] = {}
        self._size = 0

    def show(self, kind: GraphQLObjectType, details: FieldDetailsList, info: GraphQLResolveInfo[Any], part: Any) -> Any:
        """The response value of a part of the schema that a root field selects."""
        completed = self._object(kind, details, info, part)
        self._size += completed.size
        if self._size > MAX_VALUES:
            raise _too_much()
        return completed.value

    def _object(self, kind: GraphQLObjectType, details: FieldDetailsList, info: Any, part: Any) -> _Completed:
        # The executor caches collected fields, so the same selection is the same list.
        key = (id(details), *_identity(part))
        known = self._completed.get(key)
        if known is not None:
            return known
        if len(self._completed) >= MAX_PARTS:
            raise _too_much()
        value, size = {}, 1
        for name, show in self._fields_of(kind, details, info):
            value[name], inner = show(part)
            size += inner
            if size > MAX_VALUES:
                raise _too_much()
        completed = self._completed[key] = _Completed(value, size)
        return completed

    def _fields_of(self, kind: GraphQLObjectType, details: FieldDetailsList, info: Any) -> list[_Field]:
        known = self._fields.get((kind, id(details)))
        if known is None:
            collected = self._executor.collect_subfields(kind, details).grouped_field_set
            known = [_Field(name, self._field(kind, inner, info)) for name, inner in collected.items()]
            self._fields[kind, id(details)] = known
        return known

    def _field(self, kind: GraphQLObjectType, details: FieldDetailsList, info: Any) -> Callable[[Any], _Completed]:
        node, executor = details[0].node, self._executor
        if node.name.value == "__typename":
            return lambda _part: _Completed(kind.name, 1)
        field = kind.fields[node.name.value]
        resolve, complete = field.resolve or executor.field_resolver, self._completion(field.type, details, info)
        arguments = get_argument_values(field, node, executor.variable_values, details[0].fragment_variable_values)
        return lambda part: complete(resolve(part, info, **arguments))

    def _completion(self, kind: GraphQLOutputType, details: FieldDetailsList, info: Any) -> Callable[[Any], _Completed]:
        if is_non_null_type(kind):
            return self._completion(kind.of_type, details, info)
        if is_list_type(kind):
            item = self._completion(kind.of_type, details, info)
            return lambda parts: _NULL if parts is None else _list(parts, item)
        if is_leaf_type(kind):
            leaf = kind.coerce_output_value
            return lambda value: _NULL if value is None else _Completed(leaf(value), 1)
        return lambda part: _NULL if part is None else self._object(kind, details, info, part)  # type: ignore[arg-type]  # Introspection has no abstract types.


_NULL = _Completed(None, 1)


def _list(parts: Any, show: Callable[[Any], _Completed]) -> _Completed:
    values, size = [], 1
    for part in parts:
        value, inner = show(part)
        values.append(value)
        size += inner
        if size > MAX_VALUES:
            raise _too_much()
    return _Completed(values, size)


def _identity(part: Any) -> tuple[Any, ...]:
    """Identifies a part. Fields, arguments and enum values are new pairs of a name and an object each time."""
    if is_wrapping_type(part):
        return (str(part),)
    return (part[0], id(part[1])) if isinstance(part, tuple) else (id(part),)
