"""Asking for the password once more, of somebody who is logged in."""

from gateway.errors import InvalidInput, RateLimited, WrongCredentials
from gateway.resolvers.accounts.hashing import verify_password
from gateway.resolvers.accounts.sessions import guarded_guess, password_limits
from gateway.resolvers.audit.refusals import counted, note
from gateway.resolvers.audit.trail import record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import missing_fields


async def require_password(ctx: Context, password: str, password_hash: str | None) -> None:
    """Raise `WrongCredentials` for another password than the caller's, on record, and `RateLimited` after too many."""
    try:
        await _verify(ctx, password, password_hash)
    except (WrongCredentials, RateLimited):
        count = await counted(ctx, "account.password_refused", ctx.actor.user_id)
        told = record_of(ctx, "account.password_refused", ctx.actor.user_id, changes={"attempts": count})
        await note(ctx, count, told)
        raise


async def _verify(ctx: Context, password: str, password_hash: str | None) -> None:
    async with guarded_guess(ctx, password_limits(ctx.actor.user_id)):
        if not await verify_password(ctx, password, password_hash):
            raise WrongCredentials("A senha atual não confere.")


async def require_password_if_any(ctx: Context, password: str | None, password_hash: str | None) -> None:
    """As `require_password`, of an account that may have none because it only ever comes with Google."""
    if password_hash is None:
        return
    if password is None:
        raise InvalidInput(*missing_fields(["password"]))
    await require_password(ctx, password, password_hash)
