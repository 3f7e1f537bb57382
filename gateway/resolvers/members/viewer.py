"""The caller in the store of `x-store`, and the operations that the caller may run there now."""

from gateway.errors import Forbidden, ForeignStore
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import REGISTRY, operation
from gateway.resolvers.members.operations import STORE
from gateway.resolvers.members.types import RefusedOperation, StoreView, ViewerView


@operation("members.viewer", Permission.read, scope=KeyAccess.any_key)
async def read_viewer(ctx: Context, _: Empty) -> ViewerView:
    """Read the caller's store, role and environment, the names of the operations that accept the caller now, and those
    that only the store or the environment refuses.

    Each operation decides by its own rules. Raises `ForeignStore` if the membership has just ended.
    """
    store = await ctx.database.one(STORE, user_id=ctx.actor.user_id, store_id=ctx.store_id)
    if store is None:
        raise ForeignStore
    refusals = {name: each.refusal(ctx) for name, each in sorted(REGISTRY.items())}
    return ViewerView.of(
        {
            "store": StoreView.of(store),
            "role": ctx.actor.role,
            "environment": ctx.environment,
            "is_staff": ctx.actor.is_staff,
            "lacks_second_factor": ctx.actor.lacks_second_factor,
            "operations": [name for name, refusal in refusals.items() if refusal is None],
            "refused": [
                RefusedOperation(operation=name, codigo=refusal.codigo)
                for name, refusal in refusals.items()
                if refusal is not None and not isinstance(refusal, Forbidden)
            ],
        }
    )
