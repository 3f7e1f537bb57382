"""The paid charges of customers, products, coupons, links or subscriptions: of a whole list in one statement."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import ARRAY, BigInteger, Column, Select, Uuid, bindparam, cast, func, select, true

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.store_rows import of_store

_C = charges
_ID = Uuid(as_uuid=False)


class PaidTotals(Struct, frozen=True):
    """The paid charges of one object; refunded ones don't count. Amounts are centavos."""

    count: int
    amount: int
    discount: int
    last_paid_at: datetime | None


def _totals(reference: Column[str]) -> Select[tuple[str, int, int, int, datetime]]:
    ids = func.unnest(bindparam("ids", type_=ARRAY(_ID)))
    parents = ids.table_valued(Column("id", _ID), name="parent").render_derived()
    paid = (
        select(
            func.count().label("count"),
            func.coalesce(cast(func.sum(_C.c.amount), BigInteger), 0).label("amount"),
            func.coalesce(cast(func.sum(_C.c.discount_amount), BigInteger), 0).label("discount"),
            func.max(_C.c.paid_at).label("last_paid_at"),
        )
        .where(*of_store(_C), reference == parents.c.id, _C.c.status == ChargeStatus.paid.value)
        .correlate(parents)
        .lateral("paid")
    )
    return select(parents.c.id, paid).select_from(parents.join(paid, true()))


TOTALS = {
    name: Statement(_totals(_C.c[name]))
    for name in ("customer_id", "product_id", "coupon_id", "payment_link_id", "subscription_id")
}


async def paid_totals_per(ctx: Context, reference: str, ids: Sequence[str]) -> Mapping[str, PaidTotals]:
    """The totals of each of these ids in the column `reference`."""
    rows = await ctx.database.all(TOTALS[reference], **ctx.scope, ids=list(ids))
    return {row["id"]: PaidTotals(*list(row)[1:]) for row in rows}
