"""Reading coupons: one, the list, those that other rows refer to, and what one would do."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import CouponExhausted, CouponRefused, MinimumAmount, NotFound
from gateway.models.api_keys import Scope
from gateway.models.coupons import coupons
from gateway.models.database import Row, Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.availability import status_filter
from gateway.resolvers.charges.redemptions import count_expired_uses, next_release_at
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.coupons.commands import MISSING
from gateway.resolvers.coupons.discount import CouponRow, discounted, refuse_unusable, used_up
from gateway.resolvers.coupons.inputs import ListCoupons, ValidateCoupon, WhichCoupon, normalised_code
from gateway.resolvers.coupons.views import COUPON_COLUMNS, CouponQuote, CouponView
from gateway.resolvers.products.reading import find_active_product

_C = coupons
_scope = (equals(_C.c.user_id), equals(_C.c.environment))
BY_ID = Statement(select(*COUPON_COLUMNS).where(*_scope, _C.c.id == bindparam("id")))
BY_CODE = Statement(select(*COUPON_COLUMNS).where(*_scope, _C.c.code == bindparam("code")))
BY_IDS = Statement(
    select(*COUPON_COLUMNS).where(*_scope, _C.c.id == func.any(bindparam("ids", type_=ARRAY(_C.c.id.type))))
)
COUPONS = Listing(
    coupons,
    COUPON_COLUMNS,
    scope=_scope,
    filters={
        **created(_C.c.created_at),
        "status": status_filter(_C, "is_active"),
        "code": equals(_C.c.code),
    },
    search=search(_C.c.code, _C.c.description, _C.c.id),
)


@operation("coupons.read", Permission.read)
async def read_coupon(ctx: Context, which: WhichCoupon) -> CouponView:
    """Read one coupon."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return CouponView.of(row).as_of(ctx.clock.now())


@operation("coupons.list", Permission.read)
async def list_coupons(ctx: Context, asked: ListCoupons) -> Page[CouponView]:
    """List the coupons of the store."""
    return await page_of(ctx, COUPONS, asked, _shown_at(ctx.clock.now()))


@operation("coupons.export", Permission.finance, scope=Scope.read)
async def export_coupons(ctx: Context, asked: ListCoupons) -> Export:
    """Export the coupons of the store."""
    await record(ctx, ctx.database, "coupon.exported", None)
    return export_of(ctx, COUPONS, asked, CouponView, "cupons", show=_shown_at(ctx.clock.now()))


@operation("coupons.validate", Permission.read)
async def validate_coupon(ctx: Context, asked: ValidateCoupon) -> CouponQuote:
    """See what a coupon does to an amount or to a product's price, without using it."""
    coupon = await coupon_of_code(ctx, ctx.store_id, ctx.environment, asked.code)
    return await quote(ctx, coupon, await _amount(ctx, asked), asked.product_id)


async def coupon_of_code(ctx: Context, store_id: str, environment: str, code: str) -> Row:
    """The store's coupon with this code, in whatever letter case, or `NotFound`."""
    row = await ctx.database.one(BY_CODE, user_id=store_id, environment=environment, code=normalised_code(code))
    if row is None:
        raise NotFound(MISSING)
    return row


async def coupons_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, CouponView]:
    """The store's coupons among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    show = _shown_at(ctx.clock.now())
    return {row["id"]: show(row) for row in rows}


def _shown_at(now: datetime) -> Callable[[Mapping[str, Any]], CouponView]:
    return lambda row: CouponView.of(row).as_of(now)


async def quote(ctx: Context, coupon: CouponRow, amount: int | None, product_id: str | None) -> CouponQuote:
    """What the coupon does to the amount, in centavos; without one, whether it can be used at all. Raises
    `CouponRefused` and `MinimumAmount`, about `code`.
    """
    now = ctx.clock.now()
    if used_up(coupon):
        lapsed = await count_expired_uses(ctx.database, now, coupon_id=coupon["id"])
        coupon = {**coupon, "uses_count": coupon["uses_count"] - lapsed}
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
    price = discounted(coupon, amount, product_id, now)
    return {"original_amount": price.original, "discount_amount": price.discount, "final_amount": price.final}


async def _amount(ctx: Context, asked: ValidateCoupon) -> int | None:
    """The amount that was asked about, else the product's price, in centavos; None where neither was told."""
    price = None if asked.product_id is None else (await find_active_product(ctx, asked.product_id)).price
    return asked.amount if asked.amount is not None else price
