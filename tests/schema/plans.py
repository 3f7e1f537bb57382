"""Plans of the product's executor."""

from gateway.schema.compiled import CompiledExecutor
from gateway.schema.compiled.plan_cache import Plans


def plans_of(mark: str) -> list[Plans | None]:
    """Of each document with this mark in its text its plans, or None if it was executed once."""
    entries = [entry for entry, _ in CompiledExecutor.plan_cache.cache._entries.values()]
    return [plans for operation, _, plans in entries if operation.loc and mark in operation.loc.source.body]
