"""`GET /admin/lojistas`: the merchants in the order in which staff works, and one of them with all that a decision
needs.
"""

from sqlalchemy import bindparam, select

from gateway.errors import NotFound
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Statement
from gateway.models.production import production_documents, production_moves
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.production.views import DOCUMENT_COLUMNS, DocumentView
from gateway.resolvers.staff.inputs import ListMerchants, WhichMerchant
from gateway.resolvers.staff.queue import QueueOrder
from gateway.resolvers.staff.views import (
    DETAIL_COLUMNS,
    MERCHANT_COLUMNS,
    MOVE_COLUMNS,
    MerchantDetailView,
    MerchantView,
    ProductionMoveView,
)
from gateway.values.ids import Id

MISSING = "Lojista não encontrado."
_U, _D, _M = users, production_documents, production_moves
MERCHANTS = Listing(
    users,
    MERCHANT_COLUMNS,
    scope=(),  # Staff sees every store.
    filters={
        **created(_U.c.created_at),
        "status": {status.value: _U.c.production_status == status.value for status in ProductionStatus},
    },
    search=search(_U.c.name, _U.c.email, _U.c.company, _U.c.id, _U.c.cnpj),
    orders=(QueueOrder(),),
)
ONE = Statement(select(*DETAIL_COLUMNS).where(_U.c.id == bindparam("id")))
DOCUMENTS = Statement(select(*DOCUMENT_COLUMNS).where(_D.c.user_id == bindparam("id")).order_by(_D.c.type))
HISTORY = Statement(select(*MOVE_COLUMNS).where(_M.c.user_id == bindparam("id")).order_by(_M.c.created_at, _M.c.id))


@operation("staff.list_merchants", Permission.staff)
async def list_merchants(ctx: Context, asked: ListMerchants) -> Page[MerchantView]:
    """List the merchants, those first who have waited longest for a decision."""
    return await page_of(ctx, MERCHANTS, asked, MerchantView.adopt)


@operation("staff.export_merchants", Permission.staff)
async def export_merchants(ctx: Context, asked: ListMerchants) -> Export:
    """Export the merchants."""
    await record(ctx, ctx.database, "merchant.exported", None)
    return export_of(ctx, MERCHANTS, asked, MerchantView, "lojistas")


@operation("staff.read_merchant", Permission.staff)
async def read_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Read one merchant with documents and history."""
    return await merchant_detail(ctx, which.id)


async def merchant_detail(ctx: Context, merchant_id: Id) -> MerchantDetailView:
    """One merchant, or `NotFound`."""
    row = await ctx.database.one(ONE, id=merchant_id)
    if row is None:
        raise NotFound(MISSING)
    documents = [DocumentView.of(each) for each in await ctx.database.all(DOCUMENTS, id=merchant_id)]
    history = [ProductionMoveView.of(each) for each in await ctx.database.all(HISTORY, id=merchant_id)]
    return MerchantDetailView.of(dict(row) | {"documents": documents, "history": history})
