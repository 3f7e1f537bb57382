"""Read a store's refunds: one, the list, the CSV export, and those of charges."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.refunds import RefundStatus, refunds
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page
from gateway.resolvers.refunds.types import REFUND_COLUMNS, ListRefunds, RefundView, WhichRefund

EXPORTED = ExportTable.of(
    "devolucoes",
    RefundView,
    (
        *("id", "created_at", "status", "amount", "charge_id", "reason", "external_reference"),
        *("completed_at", "return_id", "end_to_end_id", "rejected_at", "reject_reason"),
    ),
)
_R = refunds
ROWS = StoreRows(_R, REFUND_COLUMNS, "Devolução não encontrada.", lambda _, row: RefundView.of(row))
OF_CHARGES = Statement(
    select(*REFUND_COLUMNS)
    .where(*ROWS.scope, _R.c.charge_id == func.any(bindparam("ids", type_=ARRAY(_R.c.id.type))))
    .order_by(_R.c.created_at, _R.c.id)
)
REFUNDS = Listing(
    refunds,
    REFUND_COLUMNS,
    scope=ROWS.scope,
    filters={
        "charge_id": equals(_R.c.charge_id, "charge_id"),
        "external_reference": equals(_R.c.external_reference),
        "status": one_of(_R.c.status, RefundStatus),
    },
    search=search(*(_R.c.id, _R.c.charge_id, _R.c.reason, _R.c.external_reference, _R.c.return_id, _R.c.end_to_end_id)),
)


@operation("refunds.read", Permission.read)
async def read_refund(ctx: Context, which: WhichRefund) -> RefundView:
    """Read one refund."""
    return await ROWS.read(ctx, which.id)


async def refunds_by_charge(ctx: Context, charge_ids: Sequence[str]) -> dict[str, list[RefundView]]:
    """The refunds of each of the store's charges, oldest first."""
    rows = await ctx.database.all(OF_CHARGES, **ctx.scope, ids=list(charge_ids))
    found = defaultdict[str, list[RefundView]](list)
    for row in rows:
        found[row["charge_id"]].append(RefundView.of(row))
    return found


@operation("refunds.list", Permission.read)
async def list_refunds(ctx: Context, query: ListRefunds) -> Page[RefundView]:
    """List the refunds of the store."""
    return await page_of(ctx, REFUNDS, query, RefundView.adopt)


@operation("refunds.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_refunds(ctx: Context, query: ListRefunds) -> Export:
    """Export the refunds of the store."""
    return await export_of(ctx, REFUNDS, query, EXPORTED, "refund.exported")
