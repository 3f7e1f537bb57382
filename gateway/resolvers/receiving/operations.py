"""`GET /receiving-account`, its check, and in test the simulated review by the bank."""

from gateway.errors import Conflict, EngineFailed, TestOnly
from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.notifications import account_review_notification
from gateway.models.base import Environment
from gateway.models.engines import NotificationOutcome
from gateway.models.receiving import AccountState
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import engine_failure, log_engine_failure
from gateway.resolvers.engine_notifications.process import process_notification
from gateway.resolvers.receiving.accounts import find_store_account, require_store_account
from gateway.resolvers.receiving.approval import refresh_approval
from gateway.resolvers.receiving.create_account import require_subaccount_mode
from gateway.resolvers.receiving.reservation import find_reservation, resolve_unknown_outcome
from gateway.resolvers.receiving.types import ReceivingAccountView, SimulateReview, account_view, single_account_view
from gateway.settings import ReceivingMode

CHECKS_PER_STORE = (30, 600)
"""Limit and seconds: each check calls the engine, whose quota all stores share."""
LIVE = "Só no ambiente de teste a análise do banco pode ser simulada."
REAL_BANK = "A conta é de um provedor de pagamentos de verdade, que a analisa por si."


@operation("receiving.read", Permission.read)
async def read_account(ctx: Context, _: Empty) -> ReceivingAccountView:
    """Read the store's receiving account, with its approval as last read."""
    if ctx.settings.receiving_mode is ReceivingMode.conta_unica:
        return single_account_view(ctx.environment)
    return account_view(ctx.environment, await find_reservation(ctx))


@operation("receiving.check", Permission.read)
async def check_account(ctx: Context, nothing: Empty) -> ReceivingAccountView:
    """Refresh the approval from the engine, and read the account. Raises `EngineFailed`."""
    if ctx.settings.receiving_mode is ReceivingMode.subconta:
        await ctx.services.limiter.hit(f"receiving:check:{ctx.store_id}:{ctx.environment}", *CHECKS_PER_STORE)
        try:
            await _refresh(ctx)
        except EngineError as error:
            log_engine_failure(ctx.services.engines.of(ctx.environment), error)
            raise engine_failure(error) from error
    return await read_account.handler(ctx, nothing)


def _require_test_account(ctx: Context) -> None:
    require_subaccount_mode(ctx)
    if ctx.environment is not Environment.test:
        raise TestOnly(LIVE)


@operation(
    "receiving.simulate_review", Permission.manage, precondition=_require_test_account, scope=KeyAccess.no_scoped_key
)
async def simulate_review(ctx: Context, review: SimulateReview) -> ReceivingAccountView:
    """Simulate the bank's decision about the store's test account. Raises `TestOnly` and `SubaccountMissing`."""
    engine = ctx.services.engines.test
    if engine.has_bank:
        raise Conflict(REAL_BANK)
    own = await require_store_account(ctx, ctx.store_id, ctx.environment)
    body = account_review_notification(own.account.id, review.geral, review.motivo)
    if await process_notification(ctx, engine, Environment.test, body) is NotificationOutcome.received:
        raise EngineFailed
    return await read_account.handler(ctx, Empty())


async def _refresh(ctx: Context) -> None:
    own = await find_store_account(ctx, ctx.store_id, ctx.environment)
    if own is not None:
        await refresh_approval(ctx, own)
        return
    row = await find_reservation(ctx)
    if row is None or row["state"] != AccountState.opening:
        return
    if row["next_attempt_at"] <= ctx.real_clock.now():
        await resolve_unknown_outcome(ctx, row)
