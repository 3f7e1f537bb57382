"""New recovery codes, and switching the second factor off: for whoever shows the password and a code."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import bindparam, delete, update

from gateway.models.database import Statement, Transaction
from gateway.models.sessions import two_factors
from gateway.resolvers.accounts.proving import require_password_if_any
from gateway.resolvers.accounts.records import BY_ID
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.mail.facts import TwoFactorChange
from gateway.resolvers.two_factor.codes import Used, factor_in_force, guarded_code, use_code
from gateway.resolvers.two_factor.inputs import ProveTwoFactor
from gateway.resolvers.two_factor.reading import standing
from gateway.resolvers.two_factor.recovery import new_codes
from gateway.resolvers.two_factor.telling import tell_holder
from gateway.resolvers.two_factor.views import RecoveryCodesView, TwoFactorView

_F = two_factors
_mine = _F.c.user_id == bindparam("user_id")
RENEW = Statement(update(_F).where(_mine).values(recovery_hashes=bindparam("hashes", type_=_F.c.recovery_hashes.type)))
REMOVE = Statement(delete(_F).where(_mine))


@operation("two_factor.renew_recovery_codes", Permission.session)
async def renew_recovery_codes(ctx: Context, form: ProveTwoFactor) -> RecoveryCodesView:
    """Make recovery codes anew; the earlier ones open nothing any more."""
    codes, hashes = new_codes(ctx.actor.user_id)
    async with _proven(ctx, form, TwoFactorChange.renewed) as (transaction, used):
        await transaction.run(RENEW, user_id=ctx.actor.user_id, hashes=hashes)
        told = used.told() | {"recovery_codes_left": {"to": len(codes)}}
        await record(ctx, transaction, "account.recovery_codes_renewed", ctx.actor.user_id, changes=told)
    return RecoveryCodesView.of({"recovery_codes": codes})


@operation("two_factor.disable", Permission.session)
async def disable_two_factor(ctx: Context, form: ProveTwoFactor) -> TwoFactorView:
    """Ask for no second factor any more."""
    async with _proven(ctx, form, TwoFactorChange.disabled) as (transaction, used):
        await transaction.run(REMOVE, user_id=ctx.actor.user_id)
        changes = used.told() | {"two_factor": {"from": True, "to": False}}
        await record(ctx, transaction, "account.two_factor_disabled", ctx.actor.user_id, changes=changes)
    return await standing(ctx)


@asynccontextmanager
async def _proven(
    ctx: Context, form: ProveTwoFactor, change: TwoFactorChange
) -> AsyncIterator[tuple[Transaction, Used]]:
    """A transaction in which the code is used up, after the password was right, and the
    holder is told of the change.
    """
    user_id = ctx.actor.user_id
    account, factor = await ctx.database.one(BY_ID, id=user_id), await factor_in_force(ctx, user_id)
    assert account is not None
    await require_password_if_any(ctx, form.password, account["password_hash"])
    async with guarded_code(ctx, account, form.code), ctx.database.transaction() as transaction:
        used = await use_code(ctx, transaction, user_id, factor, form.code)
        await tell_holder(ctx, transaction, account, change)
        yield transaction, used
