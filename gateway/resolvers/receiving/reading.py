"""`GET /receiving-account` and its check: in which account the store receives, and how far its approval is."""

from gateway.integrations.engines.port import EngineError
from gateway.models.receiving import AccountState
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import failed
from gateway.resolvers.receiving.accounts import account_of
from gateway.resolvers.receiving.approval import refresh
from gateway.resolvers.receiving.claims import settle_claim, standing_of
from gateway.resolvers.receiving.views import ReceivingAccountView, account_view, single_account_view
from gateway.settings import ReceivingMode

CHECKS_PER_STORE = (30, 600)
"""How many, in how many seconds: each asks the engine, whose quota all stores share."""


@operation("receiving.read", Permission.read)
async def read_account(ctx: Context, _: Nothing) -> ReceivingAccountView:
    """Read in which account the store receives, and how far its approval was when it was last looked at."""
    if ctx.settings.receiving_mode is ReceivingMode.conta_unica:
        return single_account_view(ctx.environment)
    return account_view(ctx.environment, await standing_of(ctx))


@operation("receiving.check", Permission.read)
async def check_account(ctx: Context, nothing: Nothing) -> ReceivingAccountView:
    """Ask the engine how far the approval is, and read the account. Raises `EngineFailed`."""
    if ctx.settings.receiving_mode is ReceivingMode.subconta:
        await ctx.services.limiter.hit(f"receiving:check:{ctx.store_id}:{ctx.environment}", *CHECKS_PER_STORE)
        try:
            await _look(ctx)
        except EngineError as error:
            log_engine_failure(ctx.services.engines.of(ctx.environment), error)
            raise failed(error) from error
    return await read_account.verb(ctx, nothing)


async def _look(ctx: Context) -> None:
    own = await account_of(ctx, ctx.store_id, ctx.environment)
    if own is not None:
        await refresh(ctx, own)
        return
    standing = await standing_of(ctx)
    if standing is None or standing["state"] != AccountState.opening:
        return
    if standing["look_after"] <= ctx.real_clock.now():
        await settle_claim(ctx, standing)
