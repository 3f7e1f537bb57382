"""Reading a store's withdrawals: one, the list, and the list as CSV."""

from sqlalchemy import bindparam, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.withdrawals.inputs import ListWithdrawals, WhichWithdrawal
from gateway.resolvers.withdrawals.views import WITHDRAWAL_COLUMNS, WithdrawalView

MISSING = "Saque não encontrado."
COLUMNS = (
    *("id", "created_at", "status", "amount", "fee_amount", "net_amount", "pix_key_type", "pix_key", "description"),
    *("external_reference", "completed_at", "end_to_end_id", "rejected_at", "reject_reason", "environment"),
)
_W = withdrawals
_scope = (equals(_W.c.user_id), equals(_W.c.environment))
FILTERS = {
    **created(_W.c.created_at),
    "external_reference": equals(_W.c.external_reference),
    "status": {status.value: _W.c.status == status.value for status in WithdrawalStatus},
}
SEARCH = search(_W.c.id, _W.c.description, _W.c.external_reference, _W.c.end_to_end_id, _W.c.pix_key, _W.c.pix_key)
BY_ID = Statement(select(*WITHDRAWAL_COLUMNS).where(*_scope, _W.c.id == bindparam("id")))
WITHDRAWALS = Listing(withdrawals, WITHDRAWAL_COLUMNS, scope=_scope, filters=FILTERS, search=SEARCH)


@operation("withdrawals.read", Permission.read)
async def read_withdrawal(ctx: Context, which: WhichWithdrawal) -> WithdrawalView:
    """Read one withdrawal."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return WithdrawalView.of(row)


@operation("withdrawals.list", Permission.read)
async def list_withdrawals(ctx: Context, asked: ListWithdrawals) -> Page[WithdrawalView]:
    """List the withdrawals of the store."""
    return await page_of(ctx, WITHDRAWALS, asked, WithdrawalView.adopt)


@operation("withdrawals.export", Permission.finance, scope=Scope.read)
async def export_withdrawals(ctx: Context, asked: ListWithdrawals) -> Export:
    """Export the withdrawals of the store."""
    await record(ctx, ctx.database, "withdrawal.exported", None)
    return export_of(ctx, WITHDRAWALS, asked, WithdrawalView, "saques", COLUMNS)
