"""Creating, changing and deleting products."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import bindparam, insert

from gateway.errors import DuplicateSku
from gateway.models.api_keys import Scope
from gateway.models.database import Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
from gateway.resolvers.products.inputs import CreateProduct, UpdateProduct, WhichProduct
from gateway.resolvers.products.sold_by import notice_links
from gateway.resolvers.products.views import PRODUCT_COLUMNS, ProductView
from gateway.values.ids import new_id

MISSING = "Produto não encontrado."
_P = products
_GIVEN = tuple(CreateProduct.model_fields)
_now = bindparam("now", type_=_P.c.created_at.type)
CREATE = Statement(
    insert(_P)
    .values(
        {name: bindparam(name, type_=_P.c[name].type) for name in ("id", "user_id", "environment", *_GIVEN)}
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


@operation("products.create", Permission.operate, creates=True, scope=Scope.catalogue)
async def create_product(ctx: Context, order: CreateProduct) -> ProductView:
    """Create a product."""
    given = order.model_dump() | {"metadata": order.metadata or {}}
    with _unique_sku():
        async with ctx.database.transaction() as transaction:
            row = await transaction.one(
                CREATE, id=new_id(), user_id=ctx.store_id, environment=ctx.environment, **given, now=ctx.clock.now()
            )
            assert row is not None
            created = ProductView.of(row)
            await record(ctx, transaction, "product.created", created.id)
            await idempotency.conclude(ctx, transaction, created)
    return created


@operation("products.update", Permission.operate, scope=Scope.catalogue)
async def update_product(ctx: Context, order: UpdateProduct) -> ProductView:
    """Change the sent fields of a product; charges already issued keep the price they were issued at."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    if "metadata" in given:
        given["metadata"] = given["metadata"] or {}
    with _unique_sku():
        changed = await CHANGE.run(ctx, order.id, given, "product.updated", MISSING)
    if not given.keys().isdisjoint({"price", "active"}):
        await notice_links(ctx, changed)
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
