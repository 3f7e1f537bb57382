"""`GET /checkout/{txid}`: what a payer may see of a charge. The most polled route of all: one statement."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case, func, select

from gateway.errors import NotFound
from gateway.models.accounts import users
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement
from gateway.models.payment_links import payment_links
from gateway.resolvers.charges.views import effective_status
from gateway.resolvers.checkout.inputs import MISSING_CHARGE, WhichPublicCharge
from gateway.resolvers.checkout.limits import CHARGE_READS, count
from gateway.resolvers.checkout.links import masked
from gateway.resolvers.checkout.views import PublicChargeView
from gateway.resolvers.clocks.own import holder_now
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation

MOST_SECONDS = 2**31 - 1
"""The largest `Int` of GraphQL, 68 years; a charge may wait longer."""
_C, _U, _L = charges, users, payment_links
_AS_STORED = (
    "txid",
    "environment",
    "description",
    "amount",
    "original_amount",
    "discount_amount",
    "coupon_code",
    "product_id",
    "customer_name",
    "customer_cpf",
    "success_url",
    "cancel_url",
    "expires_at",
    "held_at",
    "pix_code",
    "end_to_end_id",
    "paid_at",
    "paid_late",
    "created_at",
)
_now = holder_now(_C.c.environment)
_seen = select(
    *(_C.c[name] for name in _AS_STORED),
    effective_status(_now).label("status"),
    _now.label("store_now"),
    _L.c.slug.label("link_slug"),
    # Frozen when it was paid, a document that was missing too; until then they are the store's of today.
    func.coalesce(_C.c.store_name, _U.c.company, _U.c.name).label("store_name"),
    case((_C.c.paid_at.is_not(None), _C.c.store_document), else_=_U.c.cnpj).label("store_document"),
).select_from(_C.join(_U, _U.c.id == _C.c.user_id).outerjoin(_L, _L.c.id == _C.c.payment_link_id))
BY_TXID = Statement(_seen.where(_C.c.txid == bindparam("txid")))


@operation("checkout.read_charge", Permission.public)
async def read_public_charge(ctx: Context, which: WhichPublicCharge) -> PublicChargeView:
    """See a charge, as its payer does: to pay it, to watch it, and its receipt."""
    await count(ctx, CHARGE_READS)
    return await find_public_charge(ctx, which.txid)


async def find_public_charge(ctx: Context, txid: str) -> PublicChargeView:
    """The charge, or `NotFound`."""
    row = await ctx.database.one(BY_TXID, txid=txid, now=ctx.real_clock.now())
    if row is None:
        raise NotFound(MISSING_CHARGE)
    return _public(ctx, row)


def _public(ctx: Context, row: Row) -> PublicChargeView:
    values: dict[str, Any] = dict(row)
    page = f"{ctx.settings.public_checkout_url}/pay/c/{values['txid']}"
    values["checkout_url"] = page
    values["receipt_url"] = None if values["paid_at"] is None else page
    values["customer_cpf"] = masked(values["customer_cpf"])
    values["store_document"] = masked(values["store_document"])
    values["under_review"] = values.pop("held_at") is not None
    values["seconds_left"] = _seconds_left(row, values.pop("store_now"))
    if not _waits(row):
        values["pix_code"] = None
    return PublicChargeView.of(values)


def _waits(row: Mapping[str, Any]) -> bool:
    """Whether it is there to be paid. What the bank is looking into was paid."""
    return bool(row["status"] == ChargeStatus.pending and row["held_at"] is None)


def _seconds_left(row: Mapping[str, Any], now: datetime) -> int:
    if not _waits(row):
        return 0
    return min(MOST_SECONDS, max(0, int((row["expires_at"] - now).total_seconds())))
