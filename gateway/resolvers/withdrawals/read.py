"""Read a store's withdrawals: one, the list, the CSV export, and the balance summary."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
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
_scope = (equals(_W.c.user_id), equals(_W.c.environment))
FILTERS = {
    **created(_W.c.created_at),
    "external_reference": equals(_W.c.external_reference),
    "status": {status.value: _W.c.status == status.value for status in WithdrawalStatus},
}
SEARCH = search(_W.c.id, _W.c.description, _W.c.external_reference, _W.c.end_to_end_id, _W.c.pix_key)
BY_ID = Statement(select(*WITHDRAWAL_COLUMNS).where(*_scope, _W.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*WITHDRAWAL_COLUMNS).where(*_scope, _W.c.id == func.any(bindparam("ids", type_=ARRAY(_W.c.id.type))))
)
WITHDRAWALS = Listing(withdrawals, WITHDRAWAL_COLUMNS, scope=_scope, filters=FILTERS, search=SEARCH)


@operation("withdrawals.read", Permission.read)
async def read_withdrawal(ctx: Context, which: WhichWithdrawal) -> WithdrawalView:
    """Read one withdrawal."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return WithdrawalView.of(row)


async def withdrawals_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, WithdrawalView]:
    """The store's withdrawals among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    return {row["id"]: WithdrawalView.of(row) for row in rows}


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
    await record(ctx, ctx.database, "withdrawal.exported", None)
    return export_of(ctx, WITHDRAWALS, query, EXPORTED)


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
