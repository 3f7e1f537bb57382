"""Read a charge as its payer does (`GET /checkout/{txid}`), simulate its payment in test, and read status changes.

Checkout pages poll this, so that each read is one statement.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, Text, any_, bindparam, case, func, select

from gateway.errors import NotFound
from gateway.models.accounts import users
from gateway.models.charges import ChargeStatus, charges
from gateway.models.clocks import test_clocks
from gateway.models.database import Row, Statement
from gateway.models.payment_links import payment_links
from gateway.resolvers.charges.simulate_payment import pay_test_charge
from gateway.resolvers.charges.views import charge_columns, charge_view, effective_status
from gateway.resolvers.checkout.links import masked_document, with_checkout_source
from gateway.resolvers.checkout.rate_limits import CHARGE_READS, SIMULATIONS, count_use
from gateway.resolvers.checkout.types import MISSING_CHARGE, PublicChargeView, WhichPublicCharge
from gateway.resolvers.clocks.store_clock import clock_of, owner_now, store_now
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context, Services
from gateway.resolvers.core.operation import operation

MAX_SECONDS = 2**31 - 1
"""The largest `Int` of GraphQL, 68 years."""
_C, _U, _L = charges, users, payment_links
_STORED = (
    *("txid", "environment", "description", "amount", "original_amount", "discount_amount", "coupon_code"),
    *("product_id", "customer_name", "customer_cpf", "success_url", "cancel_url", "expires_at", "held_at"),
    *("pix_code", "end_to_end_id", "paid_at", "paid_late", "refunded_amount", "created_at"),
)
_now = owner_now(_C.c.environment)
BY_TXID = Statement(
    select(
        *(_C.c[name] for name in _STORED),
        effective_status(_now).label("status"),
        _now.label("store_now"),
        _L.c.slug.label("link_slug"),
        # Stored with the payment; until then, the store's current name and document.
        func.coalesce(_C.c.store_name, _U.c.company, _U.c.name).label("store_name"),
        case((_C.c.paid_at.is_not(None), _C.c.store_document), else_=_U.c.cnpj).label("store_document"),
    )
    .select_from(_C.join(_U, _U.c.id == _C.c.user_id).outerjoin(_L, _L.c.id == _C.c.payment_link_id))
    .where(_C.c.txid == bindparam("txid"))
)
STORE_VIEW_BY_TXID = Statement(select(*charge_columns()).where(_C.c.txid == bindparam("txid")))
UNDER_REVIEW = "under_review"
"""The status that the pages show if the bank reviews the payment."""
_page_status = case((_C.c.held_at.is_not(None), UNDER_REVIEW), else_=effective_status(store_now()))
STATUS_CHANGES = Statement(
    select(_C.c.txid, _page_status.label("status"))
    .outerjoin_from(_C, test_clocks, clock_of(_C.c.user_id, _C.c.environment))
    .where(
        _C.c.txid == any_(bindparam("txids", type_=ARRAY(Text))),
        _page_status != ChargeStatus.pending.value,
    )
)


@operation("checkout.read_charge", Permission.public)
async def read_public_charge(ctx: Context, which: WhichPublicCharge) -> PublicChargeView:
    """See a charge, as its payer does: to pay it, to watch it, and its receipt."""
    await count_use(ctx, CHARGE_READS)
    return await find_public_charge(ctx, which.txid)


async def find_public_charge(ctx: Context, txid: str) -> PublicChargeView:
    """The public view of a charge. Raises `NotFound`."""
    row = await ctx.database.one(BY_TXID, txid=txid, now=ctx.real_clock.now())
    if row is None:
        raise NotFound(MISSING_CHARGE)
    return _public(ctx, row)


def _public(ctx: Context, row: Row) -> PublicChargeView:
    values: dict[str, Any] = dict(row)
    page = f"{ctx.settings.public_checkout_url}/pay/c/{values['txid']}"
    values["checkout_url"] = page
    values["receipt_url"] = None if values["paid_at"] is None else page
    values["customer_cpf"] = masked_document(values["customer_cpf"])
    values["store_document"] = masked_document(values["store_document"])
    values["under_review"] = values.pop("held_at") is not None
    values["seconds_left"] = _seconds_left(row, values.pop("store_now"))
    if not _is_payable(row):
        values["pix_code"] = None
    return PublicChargeView.of(values)


def _is_payable(row: Mapping[str, Any]) -> bool:
    """Whether it can be paid. A charge under review was paid."""
    return bool(row["status"] == ChargeStatus.pending and row["held_at"] is None)


def _seconds_left(row: Mapping[str, Any], now: datetime) -> int:
    if not _is_payable(row):
        return 0
    return min(MAX_SECONDS, max(0, int((row["expires_at"] - now).total_seconds())))


@operation("checkout.simulate_payment", Permission.public)
async def simulate_public_payment(ctx: Context, which: WhichPublicCharge) -> PublicChargeView:
    """Pay a test charge, as the payer's bank would. A live one is refused."""
    await count_use(ctx, SIMULATIONS)
    row = await ctx.database.one(STORE_VIEW_BY_TXID, txid=which.txid, now=ctx.clock.now())
    if row is None:
        raise NotFound(MISSING_CHARGE)
    await pay_test_charge(with_checkout_source(ctx), charge_view(ctx.settings, row))
    return await find_public_charge(ctx, which.txid)


async def status_changes(services: Services, txids: Collection[str]) -> dict[str, str]:
    """The charges that are no longer pending, with their status or `under_review`. The caller has read each before."""
    rows = await services.database.all(STATUS_CHANGES, txids=list(txids), now=services.clock.now())
    return {row["txid"]: row["status"] for row in rows}
