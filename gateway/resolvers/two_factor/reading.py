"""Whether the caller's account has a second factor."""

from sqlalchemy import bindparam, func, select

from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.models.sessions import two_factors
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.two_factor.views import TwoFactorView

_F, _U = two_factors, users
STANDING = Statement(
    select(_U.c.is_admin, _F.c.confirmed_at, func.cardinality(_F.c.recovery_hashes).label("left"))
    .select_from(_U.outerjoin(_F, (_F.c.user_id == _U.c.id) & _F.c.confirmed_at.is_not(None)))
    .where(_U.c.id == bindparam("user_id"))
)


@operation("two_factor.read", Permission.session)
async def read_two_factor(ctx: Context, _: Nothing) -> TwoFactorView:
    """Whether logging in asks for a code, and how many recovery codes are left."""
    return await standing(ctx)


async def standing(ctx: Context) -> TwoFactorView:
    """As `two_factor.read`."""
    row = await ctx.database.one(STANDING, user_id=ctx.actor.user_id)
    assert row is not None, "authentication has just read this account, and accounts are never deleted"
    return TwoFactorView.of(
        {
            "enabled": row["confirmed_at"] is not None,
            "enabled_at": row["confirmed_at"],
            "recovery_codes_left": row["left"] or 0,
            "required": ctx.settings.staff_requires_2fa and row["is_admin"],
        }
    )
