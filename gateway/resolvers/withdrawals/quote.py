"""`GET /withdrawals/quote`: what a withdrawal would cost, before it is requested."""

from gateway.errors import SubaccountMissing
from gateway.integrations.engines.errors import EngineError
from gateway.models.api_keys import Scope
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import engine_failure
from gateway.resolvers.receiving.accounts import Approval, find_store_account
from gateway.resolvers.receiving.types import approval_block
from gateway.resolvers.withdrawals.request import NO_ACCOUNT, require_withdrawals
from gateway.resolvers.withdrawals.types import QuoteWithdrawal, WithdrawalQuoteView


@operation("withdrawals.quote", Permission.finance, precondition=require_withdrawals, scope=Scope.withdrawals)
async def quote_withdrawal(ctx: Context, order: QuoteWithdrawal) -> WithdrawalQuoteView:
    """Ask the engine for its fee. Raises `SubaccountMissing` and `EngineFailed`."""
    own = await find_store_account(ctx, ctx.store_id, ctx.environment)
    if own is None:
        raise SubaccountMissing(NO_ACCOUNT, aprovacao=approval_block(Approval()))
    engine = ctx.services.engines.of(ctx.environment)
    try:
        fee = min(await engine.transfer_fee(own.account), order.amount)
    except EngineError as error:
        log_engine_failure(engine, error)
        raise engine_failure(error) from error
    return WithdrawalQuoteView.of({"amount": order.amount, "fee_amount": fee, "net_amount": order.amount - fee})
