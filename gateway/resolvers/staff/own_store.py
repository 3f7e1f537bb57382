"""Nobody decides about a store that they hold or work in, though they are staff."""

from sqlalchemy import bindparam, select

from gateway.errors import Forbidden
from gateway.models.database import Statement
from gateway.models.members import MemberStatus, members
from gateway.resolvers.core.context import Context
from gateway.values.ids import Id

_M = members
WORKS_THERE = Statement(
    select(_M.c.id).where(
        _M.c.user_id == bindparam("user_id"),
        _M.c.store_id == bindparam("store_id"),
        _M.c.status == MemberStatus.active.value,
    )
)


async def refuse_own_store(ctx: Context, store_id: Id, refusal: str) -> None:
    """Raise `Forbidden`, in these words, for the holder of the store and its members."""
    own = store_id == ctx.actor.user_id
    if own or await ctx.database.value(WORKS_THERE, user_id=ctx.actor.user_id, store_id=store_id):
        raise Forbidden(refusal)
