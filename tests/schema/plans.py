"""Plans of the product's executor."""

from gateway.schema.compiled import CompiledExecutor
from gateway.schema.compiled.plan_cache import Plans


def plans_of(comment: str) -> list[Plans | None]:
    """The plans of each document with this comment in its text; None for those executed once."""
    entries = [entry for entry, _ in CompiledExecutor.plan_cache.cache._entries.values()]
    return [plans for operation, _, plans in entries if operation.loc and comment in operation.loc.source.body]
