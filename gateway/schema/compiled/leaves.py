"""One attribute on its way into the answer, exactly as graphql-core completes it, or `Irregular`."""

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


class Irregular(Exception):
    """A value that a plan leaves to graphql-core. No fault, therefore no `Error` in its name."""


_EXACT: dict[GraphQLLeafType, str] = {
    GraphQLString: "type({v}) is str",
    GraphQLID: "type({v}) is str",
    GraphQLBoolean: "type({v}) is bool",
    GraphQLInt: "type({v}) is int and -2147483648 <= {v} <= 2147483647",
}
"""Tests under which a built-in scalar shows a value as it is. `{v}` may be an assignment only where it first stands."""


def expression(leaf: GraphQLLeafType, attribute: str, function: str, *, nullable: bool) -> str:
    """Python source that reads `attribute` and shows it; `function` names what `completion` returned."""
    test = _EXACT.get(leaf)
    if test is None:
        return f"{function}({attribute})"
    first, _, rest = test.partition("{v}")
    exact = f"{first}v := {attribute}{rest.replace('{v}', 'v')}"
    return f"v if {exact}{' or v is None' if nullable else ''} else {function}(v)"


def completion(leaf: GraphQLLeafType, *, nullable: bool) -> Callable[[Any], Any]:
    """What shows any value of a leaf type."""
    coerce = leaf.coerce_output_value if not isinstance(leaf, GraphQLEnumType) else _by_name(leaf)

    def complete(value: Any) -> Any:
        if type(value) not in _PLAIN:
            if nullable and (value is None or value is Undefined):
                return None
            _judge(value)
        shown = coerce(value)
        if shown is None or shown is Undefined:
            raise Irregular
        return shown

    return complete


_PLAIN = frozenset({str, int, float, bool, bytes, dict, list, tuple, datetime, date})
"""Types of values that are never null, errors or awaitables."""


def _by_name(enum: GraphQLEnumType) -> Callable[[Any], Any]:
    """An enum's names by its values: asking the type walks them all each time."""
    coerce = enum.coerce_output_value
    values = [value.value for value in enum.values.values()]
    texts = [text for text in (getattr(value, "value", value) for value in values) if type(text) is str]
    known = {text: coerce(text) for text in texts if _is_told(coerce, text)}

    def name_of(value: Any) -> Any:
        return known[value] if type(value) is str and value in known else coerce(value)

    return name_of


def _is_told(coerce: Callable[[Any], Any], text: str) -> bool:
    try:
        coerce(text)
    except GraphQLError:
        return False
    return True


def listed(complete: Callable[[Any], Any], *, nullable: bool) -> Callable[[Any], Any]:
    """What shows a list, each item by `complete`."""

    def complete_list(values: Any) -> Any:
        if values is None and nullable:
            return None
        if type(values) is not list and type(values) is not tuple:
            raise Irregular
        return [complete(value) for value in values]

    return complete_list


def guarded(complete: Callable[[Any], dict[str, Any]], *, nullable: bool) -> Callable[[Any], Any]:
    """What shows an object, by the plan of its selection."""

    def complete_object(value: Any) -> Any:
        if type(value) not in _objects:
            if nullable and (value is None or value is Undefined):
                return None
            _judge(value)
            _learn(type(value))
        return complete(value)

    return complete_object


_HARMLESS = {None, getattr(BaseModel, "__getattr__", None)}
"""What a class may have for attributes that it lacks: Pydantic's finds private ones only."""
_objects: set[type] = set()
"""Classes met so far whose instances are never errors or awaitables."""


def _learn(kind: type) -> None:
    asks = getattr(kind, "__getattr__", None)
    reads: Any = kind.__getattribute__
    if reads is object.__getattribute__ and asks in _HARMLESS:
        _objects.add(kind)


def _judge(value: Any) -> None:
    """Refuse null, stored errors and awaitables."""
    if value is None or value is Undefined or isinstance(value, Exception) or optimized_is_awaitable(value):
        raise Irregular
