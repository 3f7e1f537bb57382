"""What a link will charge: the product and the coupon behind it, which must be the store's own and leave enough."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, bindparam, literal_column, select
from sqlalchemy.sql.elements import ColumnElement

from gateway.errors import MinimumAmount, NotFound
from gateway.models.coupons import coupons
from gateway.models.database import Executor, Statement
from gateway.models.products import products
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.commands import MISSING as MISSING_COUPON
from gateway.resolvers.coupons.discount import LEAVES_TOO_LITTLE, left_by
from gateway.resolvers.products.commands import MISSING as MISSING_PRODUCT
from gateway.values.money import MINIMUM_CHARGE

_P, _K = products, coupons
_always = select(literal_column("1").label("one")).subquery("always")


def _own(table: Any, name: str) -> ColumnElement[bool]:
    return and_(
        table.c.user_id == bindparam("user_id"),
        table.c.environment == bindparam("environment"),
        table.c.id == bindparam(name, type_=table.c.id.type),
    )


BEHIND = Statement(
    select(
        _P.c.id.label("product_id"),
        _P.c.price,
        _K.c.id.label("coupon_id"),
        *(_K.c[name] for name in ("discount_type", "discount_value", "min_amount", "product_ids")),
    ).select_from(_always.outerjoin(_P, _own(_P, "product_id")).outerjoin(_K, _own(_K, "coupon_id")))
)


async def refuse_too_little(ctx: Context, executor: Executor, link: Mapping[str, Any], told: str) -> None:
    """Refuse a link that sells what isn't the store's own, or whose price with its own coupon is below the minimum of a
    charge, whether the coupon may be used now or not (specification section 8). `told` is the field to blame for
    what the coupon leaves. Raises `NotFound` and `MinimumAmount`.
    """
    if link["product_id"] is None and link["coupon_id"] is None:
        return
    behind = await executor.one(
        BEHIND,
        user_id=ctx.store_id,
        environment=ctx.environment,
        product_id=link["product_id"],
        coupon_id=link["coupon_id"],
    )
    assert behind is not None, "a row is there, whatever is joined to it"
    if link["product_id"] != behind["product_id"]:
        raise NotFound(MISSING_PRODUCT)
    if link["coupon_id"] != behind["coupon_id"]:
        raise NotFound(MISSING_COUPON)
    # Without a product the amount has been judged as every amount is.
    price = link["amount"] if behind["product_id"] is None else behind["price"]
    if price < MINIMUM_CHARGE:
        raise MinimumAmount("product_id")
    if behind["coupon_id"] is not None and left_by(behind, price, behind["product_id"]) < MINIMUM_CHARGE:
        raise MinimumAmount(told, message=LEAVES_TOO_LITTLE)
