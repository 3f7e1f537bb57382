"""Pay a payment link (`POST /checkout/link/{slug}/pay`): an order gets one charge, however often it is sent.

The same link, document, email, coupon and amount are the same order: it gets its pending charge again. Another coupon
or another email makes a new order, because the payer expects another price, or may be another person. A link that is
expired or used up takes no new order, but still returns the payer's pending charge, at any price.

The checkout page sends the total that it showed. If the price has changed since, the order creates no charge.
"""

import asyncio
from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from gateway.errors import (
    Conflict,
    CouponExhausted,
    DuplicateReference,
    EngineFailed,
    MinimumAmount,
    PaymentLinkInactive,
)
from gateway.integrations.engines.interface import Payer
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.create_charge import MAX_DESCRIPTION_LENGTH, issue
from gateway.resolvers.charges.reserve import OrderInProgress, OrderRepeated, find_pending_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.checkout.links import Link, at_checkout, find_link, open_link, own_price
from gateway.resolvers.checkout.public_charge import find_public_charge
from gateway.resolvers.checkout.rate_limits import PAYMENTS, count_use
from gateway.resolvers.checkout.types import PayLink, PayLinkAsShown, PublicChargeView
from gateway.resolvers.checkout.update_contact import update_contact
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.coupons.discount import Price, discounted_price, discounted_price_before_use
from gateway.resolvers.coupons.operations import find_coupon_by_code
from gateway.values.ids import Id
from gateway.values.money import MINIMUM_CHARGE

POLL_ATTEMPTS = 80
"""How often a repeated order polls for the charge of the first one, during its engine call."""
POLL_SECONDS = 0.1
COUPON_DROPPED = "O desconto deste link se esgotou: a cobrança foi emitida sem ele."


class PriceChanged(Exception):  # Not an error: the page asks the payer again.
    """The price of the link is not the total that the page showed."""


@operation("checkout.pay", Permission.public, idempotent=True)
async def pay_link(ctx: Context, order: PayLink) -> PublicChargeView:
    """Get a charge of a payment link, in the link's environment, for any caller."""
    # Every attempt counts, so that coupon codes can't be guessed.
    await count_use(ctx, PAYMENTS)
    link = await find_link(ctx, order.slug)
    try:
        charge = await _order_once(at_checkout(ctx, link), link, order)
    except EngineFailed as error:
        # The payer must not see errors of the store's account.
        raise EngineFailed(error.to_payer) from error
    return await find_public_charge(ctx, charge.txid)


async def _order_once(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    """An `Idempotency-Key` is unique in the link's store. It stores the store's view, which the payer never sees: a
    replay returns the current public view, even if the link is closed.
    """
    if ctx.idempotency_key is None:
        return await _order(ctx, link, order)
    return await idempotency.run_once(
        ctx, pay_link.name, ChargeView, order, lambda slotted: _order(slotted, link, order)
    )


async def _order(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    try:
        link.require_open()
        return await place_order(ctx, link, order)
    except PaymentLinkInactive:
        placed = await find_placed_order(ctx, link, order)
        if placed is None:
            raise
        return placed


async def place_order(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    """The charge of the order, new or pending. Raises what `issue` does, `CouponRefused`, and `PriceChanged` if the
    order has a shown total.
    """
    shown = order.shown if isinstance(order, PayLinkAsShown) else None
    price = await _price(ctx, link, order)
    params = charge_params(ctx, link, order, price)
    if shown is not None and shown != price.final:
        pending = await _find_earlier_charge(ctx, link, params, shown)
        if pending is not None:
            return await _repeat_order(ctx, order, pending)
        price = await _price_as_shown(ctx, order, price, shown)
        params = charge_params(ctx, link, order, price)
    try:
        return await _issue_once(ctx, order, params)
    except CouponExhausted:
        if order.coupon_code is not None or price.coupon_id is None:
            raise
    if shown is not None and shown != (await _current_price(ctx, order)).final:
        raise PriceChanged
    # The payer didn't enter the link's own coupon, and sees the price before paying.
    ctx.reply.notices.append(COUPON_DROPPED)
    return await _issue_once(ctx, order, charge_params(ctx, link, order, Price(link.amount)))


async def find_placed_order(ctx: Context, link: Link, order: PayLink) -> ChargeView | None:
    """The payer's pending charge at a closed link. A page gets only a charge of the total it showed."""
    shown = order.shown if isinstance(order, PayLinkAsShown) else None
    pending = await find_pending_charge(ctx.database, link.row["id"], _payer(order), ctx.clock.now(), amount=shown)
    return None if pending is None else await _repeat_order(ctx, order, pending)


def charge_params(ctx: Context, link: Link, order: PayLink, price: Price) -> ChargeParams:
    """The charge to issue. Raises `MinimumAmount`."""
    if price.final < MINIMUM_CHARGE:
        raise MinimumAmount(None)
    row = link.row
    return ChargeParams(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=link.store_name,
        description=_description(link),
        amount=price.final,
        original_amount=price.original,
        discount_amount=price.discount,
        expires_at=ctx.clock.now() + timedelta(minutes=row["charge_expires_in_minutes"]),
        payer=_payer(order),
        product_id=row["product_id"],
        coupon_id=price.coupon_id,
        coupon_code=price.coupon_code,
        payment_link_id=row["id"],
        # `_issue_once` drops it if another pending or paid charge has it.
        external_reference=row["external_reference"],
        link_reference=row["external_reference"],
        metadata=row["metadata"],
        success_url=row["success_url"],
        cancel_url=row["cancel_url"],
        order_key=f"{row['id']}:{order.customer_cpf}:{order.customer_email.lower()}:{price.coupon_id}:{price.final}",
    )


async def _price(ctx: Context, link: Link, order: PayLink) -> Price:
    """The price of the order. Issuing checks the uses of the coupon, after it has looked for the same order: the last
    use may be this payer's own.
    """
    if order.coupon_code is None:
        return own_price(link, discounted_price_before_use)
    link.refuse_coupons("coupon_code")
    coupon = await find_coupon_by_code(ctx, order.coupon_code)
    return discounted_price_before_use(coupon, link.amount, link.row["product_id"], ctx.clock.now())


async def _find_earlier_charge(ctx: Context, link: Link, params: ChargeParams, shown: int) -> Id | None:
    """The payer's pending charge of the shown total; or of the current price if that is less: that charge has the last
    use of a coupon, so the page left the coupon out.
    """
    find = partial(find_pending_charge, ctx.database, link.row["id"], params.payer, ctx.clock.now())
    found = await find(amount=shown)
    return found if found is not None or params.amount > shown else await find(amount=params.amount)


async def _price_as_shown(ctx: Context, order: PayLink, price: Price, shown: int) -> Price:
    """The price to charge if it differs from the shown total. Two differences are allowed: the link's own coupon is
    used up, so the page left it out; or the payer has entered a coupon that lowers the price. Raises `PriceChanged`.
    """
    current = await _current_price(ctx, order)
    if shown != current.final or (order.coupon_code is not None and price.final > shown):
        raise PriceChanged
    return current if order.coupon_code is None else price


async def _current_price(ctx: Context, order: PayLink) -> Price:
    """The price that the page shows now, without an entered coupon."""
    return own_price(await open_link(ctx, order.slug), discounted_price)


async def _issue_once(ctx: Context, order: PayLink, params: ChargeParams) -> ChargeView:
    for _ in range(POLL_ATTEMPTS):
        try:
            return await issue(ctx, params)
        except OrderRepeated as repeated:
            return await _repeat_order(ctx, order, repeated.charge_id)
        except OrderInProgress:
            await asyncio.sleep(POLL_SECONDS)
        except DuplicateReference as taken:
            if taken.transient:
                await asyncio.sleep(POLL_SECONDS)
            else:
                # Another charge of the store has the reference. The payer's order goes on without it.
                params = replace(params, external_reference=None)
    raise Conflict("Este pagamento já está sendo gerado. Aguarde alguns segundos e tente de novo.").retryable()


async def _repeat_order(ctx: Context, order: PayLink, charge_id: Id) -> ChargeView:
    """The pending charge of the same order, with the name and phone of this one."""
    charge = await update_contact(ctx, charge_id, order.sent())
    await idempotency.complete(ctx, ctx.database, charge)
    return charge


def _payer(order: PayLink) -> Payer:
    return Payer(order.customer_name, order.customer_email, order.customer_cpf, order.customer_phone)


def _description(link: Link) -> str:
    row = link.row
    text = row["title"] or row["product_name"] or row["description"] or "Pagamento"
    return " ".join(text.split())[:MAX_DESCRIPTION_LENGTH]
