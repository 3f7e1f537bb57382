"""Completes attribute values exactly as graphql-core does, or raises `Fallback`."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLError,
    GraphQLID,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLString,
    Undefined,
)
from pydantic import BaseModel
from strawberry.execution import optimized_is_awaitable


class Fallback(Exception):
    """Leave a value, or a request, to graphql-core."""


_EXACT: dict[GraphQLLeafType, str] = {
    GraphQLString: "type({v}) is str",
    GraphQLID: "type({v}) is str",
    GraphQLBoolean: "type({v}) is bool",
    GraphQLInt: "type({v}) is int and -2147483648 <= {v} <= 2147483647",
}
"""Conditions under which a built-in scalar returns a value unchanged. The first `{v}` becomes an assignment."""


def expression(leaf: GraphQLLeafType, attribute: str, function: str, *, nullable: bool) -> str:
    """Python source that reads and completes `attribute`; `function` is the name of what `complete_leaf` returned."""
    test = _EXACT.get(leaf)
    if test is None:
        return f"{function}({attribute})"
    first, _, rest = test.partition("{v}")
    exact = f"{first}v := {attribute}{rest.replace('{v}', 'v')}"
    return f"v if {exact}{' or v is None' if nullable else ''} else {function}(v)"


def complete_leaf(leaf: GraphQLLeafType, *, nullable: bool) -> Callable[[Any], Any]:
    """A function that completes a value of a leaf type."""
    coerce = leaf.coerce_output_value if not isinstance(leaf, GraphQLEnumType) else _by_name(leaf)

    def complete(value: Any) -> Any:
        if type(value) not in _PLAIN:
            if nullable and (value is None or value is Undefined):
                return None
            _refuse_unusual(value)
        serialized = coerce(value)
        if serialized is None or serialized is Undefined:
            raise Fallback
        return serialized

    return complete


_PLAIN = frozenset({str, int, float, bool, bytes, dict, list, tuple, datetime, date})
"""Types whose values are never null, errors or awaitables."""


def _by_name(enum: GraphQLEnumType) -> Callable[[Any], Any]:
    """Names of an enum by value, cached: the type searches them each time."""
    coerce = enum.coerce_output_value
    values = [value.value for value in enum.values.values()]
    texts = [text for text in (getattr(value, "value", value) for value in values) if type(text) is str]
    known = {text: coerce(text) for text in texts if _has_name(coerce, text)}

    def name_of(value: Any) -> Any:
        return known[value] if type(value) is str and value in known else coerce(value)

    return name_of


def _has_name(coerce: Callable[[Any], Any], text: str) -> bool:
    try:
        coerce(text)
    except GraphQLError:
        return False
    return True


def complete_list(complete_item: Callable[[Any], Any], *, nullable: bool) -> Callable[[Any], Any]:
    """A function that completes a list, each item by `complete_item`."""

    def complete(values: Any) -> Any:
        if values is None and nullable:
            return None
        if type(values) is not list and type(values) is not tuple:
            raise Fallback
        return [complete_item(value) for value in values]

    return complete


def complete_object(complete_fields: Callable[[Any], dict[str, Any]], *, nullable: bool) -> Callable[[Any], Any]:
    """A function that completes an object by the plan of its selection."""

    def complete(value: Any) -> Any:
        if type(value) not in _objects:
            if nullable and (value is None or value is Undefined):
                return None
            _refuse_unusual(value)
            _learn(type(value))
        return complete_fields(value)

    return complete


_HARMLESS = {None, getattr(BaseModel, "__getattr__", None)}
"""Allowed `__getattr__`; Pydantic's finds private attributes only."""
_objects: set[type] = set()
"""Known classes whose instances are never errors or awaitables."""


def _learn(kind: type) -> None:
    getattribute: Any = kind.__getattribute__
    if getattribute is object.__getattribute__ and getattr(kind, "__getattr__", None) in _HARMLESS:
        _objects.add(kind)


def _refuse_unusual(value: Any) -> None:
    """Raise `Fallback` for null, stored errors and awaitables."""
    if value is None or value is Undefined or isinstance(value, Exception) or optimized_is_awaitable(value):
        raise Fallback
