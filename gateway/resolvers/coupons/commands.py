"""Creating, changing and deleting coupons."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ARRAY, bindparam, func, insert, literal_column, select

from gateway.errors import DuplicateCoupon, InvalidInput, NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.coupons import coupons
from gateway.models.database import Row, Statement, UniqueViolation, violates
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.audit.trail import record
from gateway.resolvers.availability import stored_switch
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.inputs import refuse_changed_past_end, refuse_past_end
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
from gateway.resolvers.coupons.inputs import CreateCoupon, UpdateCoupon, WhichCoupon, contradictions
from gateway.resolvers.coupons.views import COUPON_COLUMNS, CouponView
from gateway.values.ids import new_id

MISSING = "Cupom não encontrado."
MOST_NAMED = 10
"""How many products a refusal names: a coupon may have hundreds."""

_C, _P = coupons, products
_GIVEN = tuple(CreateCoupon.model_fields)
_now = bindparam("now", type_=_C.c.created_at.type)
CREATE = Statement(
    insert(_C)
    .values(
        {name: bindparam(name, type_=_C.c[name].type) for name in ("id", "user_id", "environment", *_GIVEN)}
        | {"created_at": _now, "updated_at": _now}
    )
    .returning(*COUPON_COLUMNS)
)
_asked = func.unnest(bindparam("ids", type_=ARRAY(_P.c.id.type))).table_valued("id").render_derived(name="asked")
FOREIGN_PRODUCTS = Statement(
    select(_asked.c.id).where(
        ~select(literal_column("1"))
        .select_from(_P)
        .where(
            _P.c.user_id == bindparam("user_id"),
            _P.c.environment == bindparam("environment"),
            _P.c.id == _asked.c.id,
        )
        .exists(),
        _asked.c.id.not_in(
            select(func.unnest(_C.c.product_ids)).where(
                _C.c.id == bindparam("coupon_id"),
                _C.c.user_id == bindparam("user_id"),
                _C.c.environment == bindparam("environment"),
            )
        ),
    )
)
CHANGE = Change(_C, COUPON_COLUMNS, lambda _settings, row: CouponView.of(row))
DELETION = Deletion(
    _C,
    charges.c.coupon_id,
    payment_links.c.coupon_id,
    first=charges.c.coupon_id,
    busy=issuances.c.coupon_id,
    too_many="Há referências demais para excluir este cupom; em vez disso, desative-o.",
)


@operation("coupons.create", Permission.operate, creates=True, scope=Scope.catalogue)
async def create_coupon(ctx: Context, order: CreateCoupon) -> CouponView:
    """Create a coupon."""
    refuse_past_end("expires_at", order.expires_at, ctx.clock.now())
    given = order.model_dump() | {"product_ids": order.product_ids or []}
    await _refuse_foreign_products(ctx, given["product_ids"])
    with _unique_code():
        async with ctx.database.transaction() as transaction:
            row = await transaction.one(
                CREATE, id=new_id(), user_id=ctx.store_id, environment=ctx.environment, **given, now=ctx.clock.now()
            )
            assert row is not None
            created = CouponView.of(row)
            await record(ctx, transaction, "coupon.created", created.id)
            await idempotency.conclude(ctx, transaction, created)
    return created


@operation("coupons.update", Permission.operate, scope=Scope.catalogue)
async def update_coupon(ctx: Context, order: UpdateCoupon) -> CouponView:
    """Change the sent fields of a coupon; charges already issued keep their discount."""
    now, given = ctx.clock.now(), {name: value for name, value in order.sent().items() if name != "id"}
    if "product_ids" in given:
        given["product_ids"] = given["product_ids"] or []
        await _refuse_foreign_products(ctx, given["product_ids"], order.id)
    with _unique_code():
        changed = await CHANGE.run(
            ctx, order.id, given, "coupon.updated", MISSING, judge=judge, entail=partial(_entailed, given, now)
        )
    return changed.as_of(now)


@operation("coupons.delete", Permission.operate, scope=Scope.catalogue)
async def delete_coupon(ctx: Context, which: WhichCoupon) -> Deleted:
    """Delete a coupon; charges keep its code and their discount, and lose the reference."""
    return await DELETION.run(ctx, which.id, "coupon.deleted", MISSING)


def _entailed(given: Mapping[str, Any], now: datetime, before: Row) -> dict[str, Any]:
    refuse_changed_past_end("expires_at", given.get("expires_at"), now, before["expires_at"])
    return stored_switch(before, given, "is_active", now)


def judge(coupon: Mapping[str, Any]) -> None:
    """Refuse a coupon whose fields contradict one another, those that were sent and those that were there."""
    if found := [*contradictions(coupon)]:
        raise InvalidInput(*found)


async def _refuse_foreign_products(ctx: Context, ids: list[str], coupon_id: str | None = None) -> None:
    """Every product of a coupon is the store's own. One that is deleted later stays in the list, as history,
    and may be sent back with it. Raises `NotFound`, as for any id that is another's.
    """
    if not ids:
        return
    scope = {"user_id": ctx.store_id, "environment": ctx.environment}
    rows = await ctx.database.all(FOREIGN_PRODUCTS, **scope, ids=ids, coupon_id=coupon_id)
    missing = {row["id"] for row in rows}
    foreign = [product_id for product_id in ids if product_id in missing]
    if foreign:
        told = ", ".join(foreign[:MOST_NAMED])
        raise NotFound(
            f"Produto não encontrado: {told}." if len(foreign) == 1 else f"Produtos não encontrados: {told}."
        )


@contextmanager
def _unique_code() -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        if violates(error, "uq_coupons_code"):
            raise DuplicateCoupon from None
        raise
