"""The caller in the store of `x-store`, and the operations that the caller may run there now."""

from gateway.errors import ForeignStore
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import REGISTRY, operation
from gateway.resolvers.members.operations import STORE
from gateway.resolvers.members.types import StoreView, ViewerView


@operation("members.viewer", Permission.read, scope=KeyAccess.any_key)
async def read_viewer(ctx: Context, _: Empty) -> ViewerView:
    """Read the caller's store, role and environment, and the names of the operations that accept the caller now.

    Each operation decides by its own rules. Raises `ForeignStore` if the membership has just ended.
    """
    store = await ctx.database.one(STORE, user_id=ctx.actor.user_id, store_id=ctx.store_id)
    if store is None:
        raise ForeignStore
    return ViewerView.of(
        {
            "store": StoreView.of(store),
            "role": ctx.actor.role,
            "environment": ctx.environment,
            "is_staff": ctx.actor.is_staff,
            "lacks_second_factor": ctx.actor.lacks_second_factor,
            "operations": sorted(name for name, each in REGISTRY.items() if each.permits(ctx)),
        }
    )
