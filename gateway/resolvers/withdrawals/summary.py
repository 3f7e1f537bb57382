"""`GET /withdrawals/summary`: what a store has received, and what of it has left (specification
section 4, contract section 6).
"""

from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.receiving.accounts import account_of
from gateway.resolvers.withdrawals.balance import pays_by_itself, read_balance
from gateway.resolvers.withdrawals.views import WithdrawalSummaryView


@operation("withdrawals.summary", Permission.read)
async def summarise(ctx: Context, _: Nothing) -> WithdrawalSummaryView:
    """Sum up all paid charges and withdrawals. What is available lies where the receiving mode pays out from: the
    store's own account, or the service's main one.
    """
    mode = ctx.settings.receiving_mode
    own = await account_of(ctx, ctx.store_id, ctx.environment) if pays_by_itself(mode) else None
    balance = await read_balance(ctx.database, ctx.store_id, ctx.environment, own.id if own else None)
    return WithdrawalSummaryView.of(
        {
            "gross_amount": balance.gross,
            "fee_amount": balance.fee,
            "net_amount": balance.net,
            "withdrawn_amount": balance.withdrawn,
            "pending_amount": balance.leaving,
            "available_amount": 0 if pays_by_itself(mode) and own is None else balance.on_account,
            "charges_count": balance.charges,
            "withdrawals_count": balance.withdrawals,
            "modo": mode,
            "environment": ctx.environment,
        }
    )
