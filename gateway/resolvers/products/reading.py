"""Reading products: one, the list, and those that other rows refer to."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.products import products
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.cursors import by_name
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.products.commands import MISSING
from gateway.resolvers.products.inputs import ListProducts, WhichProduct
from gateway.resolvers.products.views import PRODUCT_COLUMNS, ProductView

_P = products
_scope = (equals(_P.c.user_id), equals(_P.c.environment))
BY_ID = Statement(select(*PRODUCT_COLUMNS).where(*_scope, _P.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*PRODUCT_COLUMNS).where(*_scope, _P.c.id == func.any(bindparam("ids", type_=ARRAY(_P.c.id.type))))
)
PRODUCTS = Listing(
    products,
    PRODUCT_COLUMNS,
    scope=_scope,
    filters={
        **created(_P.c.created_at),
        "status": {"active": _P.c.active, "inactive": ~_P.c.active},
        "sku": func.lower(_P.c.sku) == func.lower(bindparam("sku", type_=_P.c.sku.type)),
    },
    orders=by_name(_P.c.name),
    search=TextSearch(_P.c.search, indexed=True),
)


@operation("products.read", Permission.read)
async def read_product(ctx: Context, which: WhichProduct) -> ProductView:
    """Read one product."""
    return await find_product(ctx, which.id)


@operation("products.list", Permission.read)
async def list_products(ctx: Context, asked: ListProducts) -> Page[ProductView]:
    """List the products of the store."""
    return await page_of(ctx, PRODUCTS, asked, ProductView.of)


@operation("products.export", Permission.finance, scope=Scope.read)
async def export_products(ctx: Context, asked: ListProducts) -> Export:
    """Export the products of the store."""
    await record(ctx, ctx.database, "product.exported", None)
    return export_of(ctx, PRODUCTS, asked, ProductView, "produtos")


async def find_product(ctx: Context, product_id: str) -> ProductView:
    """The store's product, or `NotFound`."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=product_id)
    if row is None:
        raise NotFound(MISSING)
    return ProductView.of(row)


async def find_active_product(ctx: Context, product_id: str) -> ProductView:
    """The store's product, or `NotFound`, also where it isn't sold now (specification section 4)."""
    product = await find_product(ctx, product_id)
    if not product.active:
        raise NotFound(MISSING)
    return product


async def products_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, ProductView]:
    """The store's products among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    return {row["id"]: ProductView.of(row) for row in rows}
