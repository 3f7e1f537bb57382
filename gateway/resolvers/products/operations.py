"""Create, change, delete, read, list and export products; warn about the payment links that sell one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import ARRAY, bindparam, func, insert, select

from gateway.errors import DuplicateSku, NotFound
from gateway.models.api_keys import Scope
from gateway.models.coupons import coupons
from gateway.models.database import Row, Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.listing.cursors import by_name
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
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
from gateway.values.ids import new_id
from gateway.values.money import MINIMUM_CHARGE

MISSING = "Produto não encontrado."
MAX_LINKS_NAMED = 10
_P, _L, _K = products, payment_links, coupons
_INSERTED = tuple(CreateProduct.model_fields)
_now = bindparam("now", type_=_P.c.created_at.type)
CREATE = Statement(
    insert(_P)
    .values(
        {name: bindparam(name, type_=_P.c[name].type) for name in ("id", "user_id", "environment", *_INSERTED)}
        | {"created_at": _now, "updated_at": _now}
    )
    .returning(*PRODUCT_COLUMNS)
)
CHANGE = Change(_P, PRODUCT_COLUMNS, lambda _settings, row: ProductView.of(row))
DELETION = Deletion(
    _P,
    payment_links.c.product_id,
    too_many="Há referências demais para excluir este produto; em vez disso, desative-o.",
)
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
ACTIVE_LINKS = Statement(
    select(
        _L.c.slug,
        _K.c.id.label("coupon_id"),
        *(_K.c[name] for name in ("discount_type", "discount_value", "min_amount", "product_ids")),
    )
    .select_from(_L.outerjoin(_K, _K.c.id == _L.c.coupon_id))
    .where(
        _L.c.user_id == bindparam("user_id"),
        _L.c.environment == bindparam("environment"),
        _L.c.product_id == bindparam("product_id"),
        _L.c.active,
    )
    .order_by(_L.c.created_at, _L.c.id)
)


@operation("products.create", Permission.operate, creates=True, scope=Scope.catalogue)
async def create_product(ctx: Context, order: CreateProduct) -> ProductView:
    """Create a product."""
    values = order.model_dump() | {"metadata": order.metadata or {}}
    with _unique_sku():
        async with ctx.database.transaction() as transaction:
            row = await transaction.one(
                CREATE, id=new_id(), user_id=ctx.store_id, environment=ctx.environment, **values, now=ctx.clock.now()
            )
            assert row is not None
            created = ProductView.of(row)
            await record(ctx, transaction, "product.created", created.id)
            await idempotency.conclude(ctx, transaction, created)
    return created


@operation("products.update", Permission.operate, scope=Scope.catalogue)
async def update_product(ctx: Context, order: UpdateProduct) -> ProductView:
    """Change the sent fields of a product; charges already issued keep the price they were issued at."""
    values = {name: value for name, value in order.sent().items() if name != "id"}
    if "metadata" in values:
        values["metadata"] = values["metadata"] or {}
    with _unique_sku():
        changed = await CHANGE.run(ctx, order.id, values, "product.updated", MISSING)
    if not values.keys().isdisjoint({"price", "active"}):
        await warn_about_links(ctx, changed)
    return changed


@operation("products.delete", Permission.operate, scope=Scope.catalogue)
async def delete_product(ctx: Context, which: WhichProduct) -> Deleted:
    """Delete a product; links go on with their own amount, and charges keep its id as history."""
    return await DELETION.run(ctx, which.id, "product.deleted", MISSING)


@contextmanager
def _unique_sku() -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        if violates(error, "uq_products_sku"):
            raise DuplicateSku from None
        raise


@operation("products.read", Permission.read)
async def read_product(ctx: Context, which: WhichProduct) -> ProductView:
    """Read one product."""
    return await find_product(ctx, which.id)


@operation("products.list", Permission.read)
async def list_products(ctx: Context, params: ListProducts) -> Page[ProductView]:
    """List the products of the store."""
    return await page_of(ctx, PRODUCTS, params, ProductView.of)


@operation("products.export", Permission.finance, scope=Scope.read)
async def export_products(ctx: Context, params: ListProducts) -> Export:
    """Export the products of the store."""
    await record(ctx, ctx.database, "product.exported", None)
    return export_of(ctx, PRODUCTS, params, ProductView, "produtos")


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


async def warn_about_links(ctx: Context, product: ProductView) -> None:
    """Add an `aviso` about the active links that can't be paid any more, or whose own coupon is not applied."""
    links = await ctx.database.all(
        ACTIVE_LINKS, user_id=ctx.store_id, environment=ctx.environment, product_id=product.id
    )
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
