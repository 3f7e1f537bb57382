"""The operation of each root field, as its resolver calls it."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import strawberry

from gateway.resolvers.core.operation import Operation


@cache
def operations_by_field(schema: strawberry.Schema) -> Mapping[str, Operation[Any, Any]]:
    """The operations by GraphQL name, sorted. Each resolver calls exactly one."""
    found = {}
    for root in (schema.query, schema.mutation, schema.subscription):
        assert root is not None
        for field in root.__strawberry_definition__.fields:  # type: ignore[attr-defined]  # Set by Strawberry.
            name = schema.config.name_converter.from_field(field)
            called = {each.name: each for each in _named_by(field.base_resolver.wrapped_func)}
            assert len(called) == 1, f"{name} calls {sorted(called) or 'no operation'}"
            found[name] = next(iter(called.values()))
    return dict(sorted(found.items()))


def _named_by(resolver: Any) -> Iterator[Operation[Any, Any]]:
    """The operations that a resolver names: in its closure, among its globals, or in a module of those."""
    names = resolver.__code__.co_names
    values = [cell.cell_contents for cell in resolver.__closure__ or ()]
    values += [resolver.__globals__[name] for name in names if name in resolver.__globals__]
    for value in values:
        members = [getattr(value, name, None) for name in names] if isinstance(value, ModuleType) else [value]
        yield from (member for member in members if isinstance(member, Operation))
