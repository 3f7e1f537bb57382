"""Create, change, delete, read, list and export products; warn about the payment links that sell one."""

from collections.abc import Sequence

from sqlalchemy import bindparam, func, text

from gateway.errors import DuplicateSku, NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Row, Statement
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.listing.cursors import by_name
from gateway.resolvers.core.listing.definition import Listing
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, translate_violations
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.discount import remaining_amount
from gateway.resolvers.products.types import (
    PRODUCT_COLUMNS,
    CreateProduct,
    ListProducts,
    ProductView,
    UpdateProduct,
    WhichProduct,
)
from gateway.values.money import MINIMUM_CHARGE

MISSING = "Produto não encontrado."
MAX_LINKS_NAMED = 10
_P = products
ROWS = StoreRows(_P, PRODUCT_COLUMNS, MISSING, lambda _, row: ProductView.of(row), inserted=CreateProduct.model_fields)
DELETION = Deletion(
    ROWS,
    payment_links.c.product_id,
    too_many="Há referências demais para excluir este produto; em vez disso, desative-o.",
)
PRODUCTS = Listing(
    products,
    PRODUCT_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": {"active": _P.c.active, "inactive": ~_P.c.active},
        "sku": func.lower(_P.c.sku) == func.lower(bindparam("sku", type_=_P.c.sku.type)),
    },
    orders=by_name(_P.c.name),
    search=TextSearch(_P.c.search, indexed=True),
)
ACTIVE_LINKS = Statement(
    text("""
select l.slug, c.id as coupon_id, c.discount_type, c.discount_value, c.min_amount, c.product_ids
  from payment_links l left join coupons c on c.id = l.coupon_id
 where l.user_id = :user_id and l.environment = :environment and l.product_id = :product_id and l.active
 order by l.created_at, l.id
""")
)


@operation("products.create", Permission.operate, idempotent=True, scope=Scope.catalogue)
async def create_product(ctx: Context, order: CreateProduct) -> ProductView:
    """Create a product."""
    values = order.model_dump() | {"metadata": order.metadata or {}}
    with translate_violations(uq_products_sku=DuplicateSku):
        async with ctx.database.transaction() as transaction:
            created = await ROWS.insert(ctx, transaction, values, "product.created")
            await idempotency.complete(ctx, transaction, created)
    return created


@operation("products.update", Permission.operate, scope=Scope.catalogue)
async def update_product(ctx: Context, order: UpdateProduct) -> ProductView:
    """Change the sent fields of a product; charges already issued keep the price they were issued at."""
    values = order.sent()
    if "metadata" in values:
        values["metadata"] = values["metadata"] or {}
    with translate_violations(uq_products_sku=DuplicateSku):
        changed = await ROWS.update(ctx, order.id, values, "product.updated")
    if not values.keys().isdisjoint({"price", "active"}):
        await warn_about_links(ctx, changed)
    return changed


@operation("products.delete", Permission.operate, scope=Scope.catalogue)
async def delete_product(ctx: Context, which: WhichProduct) -> Deleted:
    """Delete a product; links go on with their own amount, and charges keep its id as history."""
    return await DELETION.run(ctx, which.id, "product.deleted")


@operation("products.read", Permission.read)
async def read_product(ctx: Context, which: WhichProduct) -> ProductView:
    """Read one product."""
    return await ROWS.read(ctx, which.id)


@operation("products.list", Permission.read)
async def list_products(ctx: Context, params: ListProducts) -> Page[ProductView]:
    """List the products of the store."""
    return await page_of(ctx, PRODUCTS, params, ProductView.of)


EXPORTED = ExportTable.of("produtos", ProductView)


@operation("products.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_products(ctx: Context, params: ListProducts) -> Export:
    """Export the products of the store."""
    return await export_of(ctx, PRODUCTS, params, EXPORTED, "product.exported")


async def find_active_product(ctx: Context, product_id: str) -> ProductView:
    """The store's product, or `NotFound`, also where it isn't sold now (specification section 4)."""
    product = await ROWS.read(ctx, product_id)
    if not product.active:
        raise NotFound(MISSING)
    return product


async def warn_about_links(ctx: Context, product: ProductView) -> None:
    """Add an `aviso` about the active links that can't be paid any more, or whose own coupon is not applied."""
    links = await ctx.database.all(ACTIVE_LINKS, **ctx.scope, product_id=product.id)
    if not product.active:
        _warn(ctx, links, "Este produto está desativado")
        return
    if product.price < MINIMUM_CHARGE:
        _warn(ctx, links, "O preço é menor que R$ 5,00, o mínimo de uma cobrança Pix")
        return
    without_discount = [
        link
        for link in links
        if link["coupon_id"] and remaining_amount(link, product.price, product.id) < MINIMUM_CHARGE
    ]
    if without_discount:
        ctx.reply.notices.append(
            f"Com o cupom do próprio link o total ficaria abaixo de R$ 5,00: {_named(without_discount)} sem o desconto."
        )


def _warn(ctx: Context, links: Sequence[Row], reason: str) -> None:
    if links:
        ctx.reply.notices.append(f"{reason}: {_named(links, sells=False)}.")


def _named(links: Sequence[Row], *, sells: bool = True) -> str:
    slugs = ", ".join(link["slug"] for link in links[:MAX_LINKS_NAMED])
    more = len(links) - MAX_LINKS_NAMED
    names = f"{slugs} e mais {more}" if more > 0 else slugs
    if len(links) == 1:
        return f"o link de pagamento {names} " + ("vende" if sells else "não pode ser pago")
    return f"os links de pagamento {names} " + ("vendem" if sells else "não podem ser pagos")
