"""Read a store's withdrawals: one, the list, the CSV export, and the balance summary."""

from gateway.models.api_keys import Scope
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.listing.definition import Filter, Listing, equals, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page
from gateway.resolvers.receiving.accounts import find_store_account
from gateway.resolvers.withdrawals.balance import is_self_payout, read_balance
from gateway.resolvers.withdrawals.types import (
    WITHDRAWAL_COLUMNS,
    ListWithdrawals,
    WhichWithdrawal,
    WithdrawalSummaryView,
    WithdrawalView,
)

MISSING = "Saque não encontrado."
_W = withdrawals
FILTERS: dict[str, Filter] = {
    "external_reference": equals(_W.c.external_reference),
    "status": one_of(_W.c.status, WithdrawalStatus),
}
SEARCH = search(_W.c.id, _W.c.description, _W.c.external_reference, _W.c.end_to_end_id, _W.c.pix_key)
ROWS = StoreRows(_W, WITHDRAWAL_COLUMNS, MISSING, lambda _, row: WithdrawalView.of(row))
WITHDRAWALS = Listing(withdrawals, WITHDRAWAL_COLUMNS, scope=ROWS.scope, filters=FILTERS, search=SEARCH)


@operation("withdrawals.read", Permission.read)
async def read_withdrawal(ctx: Context, which: WhichWithdrawal) -> WithdrawalView:
    """Read one withdrawal."""
    return await ROWS.read(ctx, which.id)


@operation("withdrawals.list", Permission.read)
async def list_withdrawals(ctx: Context, query: ListWithdrawals) -> Page[WithdrawalView]:
    """List the withdrawals of the store."""
    return await page_of(ctx, WITHDRAWALS, query, WithdrawalView.adopt)


EXPORTED = ExportTable.of(
    "saques",
    WithdrawalView,
    (
        *("id", "created_at", "status", "amount", "fee_amount", "net_amount", "pix_key_type", "pix_key", "description"),
        *("external_reference", "completed_at", "end_to_end_id", "rejected_at", "reject_reason", "environment"),
    ),
)


@operation("withdrawals.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_withdrawals(ctx: Context, query: ListWithdrawals) -> Export:
    """Export the withdrawals of the store."""
    return await export_of(ctx, WITHDRAWALS, query, EXPORTED, "withdrawal.exported")


@operation("withdrawals.summary", Permission.read)
async def summarise(ctx: Context, _: Empty) -> WithdrawalSummaryView:
    """`GET /withdrawals/summary`: sum all paid charges and withdrawals. What is available is on the account that the
    receiving mode pays from: the store's own, or the service's main account.
    """
    mode = ctx.settings.receiving_mode
    own = await find_store_account(ctx, ctx.store_id, ctx.environment) if is_self_payout(mode) else None
    balance = await read_balance(ctx.database, ctx.store_id, ctx.environment, own.id if own else None)
    return WithdrawalSummaryView.of(
        {
            "gross_amount": balance.gross,
            "fee_amount": balance.fee,
            "net_amount": balance.net,
            "withdrawn_amount": balance.withdrawn,
            "pending_amount": balance.leaving,
            "available_amount": 0 if is_self_payout(mode) and own is None else balance.on_account,
            "charges_count": balance.charges,
            "withdrawals_count": balance.withdrawals,
            "modo": mode,
            "environment": ctx.environment,
        }
    )
