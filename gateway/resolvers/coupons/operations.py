"""Create, change, delete, read, list, export and validate coupons."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import bindparam, select, text

from gateway.errors import CouponExhausted, CouponRefused, DuplicateCoupon, InvalidInput, MinimumAmount, NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.coupons import coupons
from gateway.models.database import Row, Statement
from gateway.models.payment_links import payment_links
from gateway.resolvers.availability import derive_switch, status_filter
from gateway.resolvers.charges.redemptions import count_expired_uses, next_release_at
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.inputs import refuse_past_end
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, translate_violations
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.discount import CouponRow, discounted_price, refuse_unusable, used_up
from gateway.resolvers.coupons.types import (
    COUPON_COLUMNS,
    CouponQuote,
    CouponView,
    CreateCoupon,
    ListCoupons,
    UpdateCoupon,
    ValidateCoupon,
    WhichCoupon,
    contradictions,
    normalized_code,
)
from gateway.resolvers.products.operations import find_active_product

MISSING = "Cupom não encontrado."
MAX_PRODUCTS_NAMED = 10
"""In an error message. A coupon may have hundreds of products."""

_C = coupons
ROWS = StoreRows(_C, COUPON_COLUMNS, MISSING, lambda _, row: CouponView.of(row), inserted=CreateCoupon.model_fields)
FOREIGN_PRODUCTS = Statement(
    text("""
select wanted.id
  from unnest(cast(:ids as uuid[])) as wanted(id)
 where not exists (
           select from products p where p.user_id = :user_id and p.environment = :environment and p.id = wanted.id)
   and wanted.id not in (
           select unnest(product_ids) from coupons
            where id = :coupon_id and user_id = :user_id and environment = :environment)
""")
)
DELETION = Deletion(
    ROWS,
    charges.c.coupon_id,
    payment_links.c.coupon_id,
    first=charges.c.coupon_id,
    busy=issuances.c.coupon_id,
    too_many="Há referências demais para excluir este cupom; em vez disso, desative-o.",
)
BY_CODE = Statement(select(*COUPON_COLUMNS).where(*ROWS.scope, _C.c.code == bindparam("code")))
COUPONS = Listing(
    coupons,
    COUPON_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": status_filter(_C, "is_active"),
        "code": equals(_C.c.code),
    },
    search=search(_C.c.code, _C.c.description, _C.c.id),
)


@operation("coupons.create", Permission.operate, idempotent=True, scope=Scope.catalogue)
async def create_coupon(ctx: Context, order: CreateCoupon) -> CouponView:
    """Create a coupon."""
    refuse_past_end("expires_at", order.expires_at, ctx.clock.now())
    values = order.model_dump() | {"product_ids": order.product_ids or []}
    await _refuse_foreign_products(ctx, values["product_ids"])
    with translate_violations(uq_coupons_code=DuplicateCoupon):
        async with ctx.database.transaction() as transaction:
            created = await ROWS.insert(ctx, transaction, values, "coupon.created")
            await idempotency.complete(ctx, transaction, created)
    return created


@operation("coupons.update", Permission.operate, scope=Scope.catalogue)
async def update_coupon(ctx: Context, order: UpdateCoupon) -> CouponView:
    """Change the sent fields of a coupon; charges already issued keep their discount."""
    now, values = ctx.clock.now(), order.sent()
    if "product_ids" in values:
        values["product_ids"] = values["product_ids"] or []
        await _refuse_foreign_products(ctx, values["product_ids"], order.id)
    with translate_violations(uq_coupons_code=DuplicateCoupon):
        derive = partial(derive_switch, "is_active", values, now)
        changed = await ROWS.update(
            ctx, order.id, values, "coupon.updated", validate=refuse_contradictions, derive=derive
        )
    return changed.as_of(now)


@operation("coupons.delete", Permission.operate, scope=Scope.catalogue)
async def delete_coupon(ctx: Context, which: WhichCoupon) -> Deleted:
    """Delete a coupon; charges keep its code and their discount, and lose the reference."""
    return await DELETION.run(ctx, which.id, "coupon.deleted")


def refuse_contradictions(coupon: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` if the stored and sent fields together contradict one another."""
    if found := [*contradictions(coupon)]:
        raise InvalidInput(*found)


async def _refuse_foreign_products(ctx: Context, ids: list[str], coupon_id: str | None = None) -> None:
    """Raise `NotFound` for products of another store. A deleted product stays in a coupon's list as history, so it may
    be sent back.
    """
    if not ids:
        return
    rows = await ctx.database.all(FOREIGN_PRODUCTS, **ctx.scope, ids=ids, coupon_id=coupon_id)
    missing = {row["id"] for row in rows}
    foreign = [product_id for product_id in ids if product_id in missing]
    if foreign:
        names = ", ".join(foreign[:MAX_PRODUCTS_NAMED])
        raise NotFound(
            f"Produto não encontrado: {names}." if len(foreign) == 1 else f"Produtos não encontrados: {names}."
        )


@operation("coupons.read", Permission.read)
async def read_coupon(ctx: Context, which: WhichCoupon) -> CouponView:
    """Read one coupon."""
    return (await ROWS.read(ctx, which.id)).as_of(ctx.clock.now())


@operation("coupons.list", Permission.read)
async def list_coupons(ctx: Context, params: ListCoupons) -> Page[CouponView]:
    """List the coupons of the store."""
    return await page_of(ctx, COUPONS, params, _view_at(ctx.clock.now()))


EXPORTED = ExportTable.of("cupons", CouponView)


@operation("coupons.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_coupons(ctx: Context, params: ListCoupons) -> Export:
    """Export the coupons of the store."""
    return await export_of(ctx, COUPONS, params, EXPORTED, "coupon.exported", show=_view_at(ctx.clock.now()))


@operation("coupons.validate", Permission.read)
async def validate_coupon(ctx: Context, params: ValidateCoupon) -> CouponQuote:
    """See what a coupon does to an amount or to a product's price, without using it."""
    coupon = await find_coupon_by_code(ctx, params.code)
    return await quote(ctx, coupon, await _amount(ctx, params), params.product_id)


async def find_coupon_by_code(ctx: Context, code: str) -> Row:
    """The store's coupon with this code, in any letter case. Raises `NotFound`."""
    return ROWS.require(await ctx.database.one(BY_CODE, **ctx.scope, code=normalized_code(code)))


async def coupons_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, CouponView]:
    """The store's coupons among these ids."""
    now = ctx.clock.now()
    return {coupon_id: coupon.as_of(now) for coupon_id, coupon in (await ROWS.read_all(ctx, ids)).items()}


def _view_at(now: datetime) -> Callable[[Mapping[str, Any]], CouponView]:
    return lambda row: CouponView.of(row).as_of(now)


async def quote(ctx: Context, coupon: CouponRow, amount: int | None, product_id: str | None) -> CouponQuote:
    """The discount on the amount, in centavos. Without an amount, only check whether the coupon can be used. Raises
    `CouponRefused` and `MinimumAmount`, about the field `code`.
    """
    now = ctx.clock.now()
    if used_up(coupon):
        expired = await count_expired_uses(ctx.database, now, coupon_id=coupon["id"])
        coupon = {**coupon, "uses_count": coupon["uses_count"] - expired}
    try:
        amounts = _amounts(coupon, amount, product_id, now)
    except CouponExhausted as refusal:
        raise refusal.hold(await next_release_at(ctx.database, now, coupon_id=coupon["id"])).about("code") from None
    except (CouponRefused, MinimumAmount) as refusal:
        raise refusal.about("code") from None
    return CouponQuote.of(
        {
            "valid": True,
            "code": coupon["code"],
            "discount_type": coupon["discount_type"],
            "discount_value": coupon["discount_value"],
            **amounts,
        }
    )


def _amounts(coupon: CouponRow, amount: int | None, product_id: str | None, now: datetime) -> dict[str, int | None]:
    if amount is None:
        refuse_unusable(coupon, now)
        if used_up(coupon):
            raise CouponExhausted
        return dict.fromkeys(("original_amount", "discount_amount", "final_amount"))
    price = discounted_price(coupon, amount, product_id, now)
    return {"original_amount": price.original, "discount_amount": price.discount, "final_amount": price.final}


async def _amount(ctx: Context, params: ValidateCoupon) -> int | None:
    """The amount that was sent, else the product's price, in centavos; None without either."""
    price = None if params.product_id is None else (await find_active_product(ctx, params.product_id)).price
    return params.amount if params.amount is not None else price
