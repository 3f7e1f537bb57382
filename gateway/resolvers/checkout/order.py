"""An order at a payment link: from what the payer said to a charge, once.

A payer who sends the form again, however much later, gets the charge that waits for them already. It is the same order
when link, document, e-mail, coupon and amount are: a coupon that was typed in between makes a new one, because the
payer expects its price; and so does another e-mail, because somebody else may know the document. A link that has
expired or is used up takes no new order, so that it gives its own payer the charge that waits, whatever its price.

The page says which total it showed. Nobody is charged another one unseen: where the price has changed since, no charge
is issued and the page shows it.
"""

import asyncio
from datetime import timedelta
from functools import partial

from msgspec.structs import replace

from gateway.errors import Conflict, CouponExhausted, DuplicateReference, MinimumAmount
from gateway.integrations.engines.interface import Payer
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.create_charge import MAX_DESCRIPTION_LENGTH
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.issue import issue
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.reserve import OrderInProgress, OrderRepeated, find_pending_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.checkout.inputs import PayLink, PayLinkAsShown
from gateway.resolvers.checkout.links import Link, open_link, own_price
from gateway.resolvers.checkout.update_contact import update_contact
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context
from gateway.resolvers.coupons.discount import Price, discounted, promised
from gateway.resolvers.coupons.reading import coupon_of_code
from gateway.values.ids import Id
from gateway.values.money import MINIMUM_CHARGE

LOOKS = 80
"""How often a repeated order looks for the charge of the first one, which is at the engine right now."""
SECONDS_BETWEEN_LOOKS = 0.1
DROPPED = "O desconto deste link se esgotou: a cobrança foi emitida sem ele."


class PriceMoved(Exception):  # It is no error: the payer is asked again.
    """The link costs something else than what the page showed."""


async def place_order(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    """The charge of the order, new or waiting already. Raises what `issue` does, `CouponRefused`, and `PriceMoved`
    where the order says what was shown.
    """
    shown = order.shown if isinstance(order, PayLinkAsShown) else None
    price = await _price(ctx, link, order)
    plan = plan_of(ctx, link, order, price)
    if shown is not None and shown != price.final:
        waiting = await _ordered_before(ctx, link, plan, shown)
        if waiting is not None:
            return await _repeated(ctx, order, waiting)
        price = await _price_as_shown(ctx, order, price, shown)
        plan = plan_of(ctx, link, order, price)
    try:
        return await _issue_once(ctx, order, plan)
    except CouponExhausted:
        if order.coupon_code is not None or price.coupon_id is None:
            raise
    if shown is not None and shown != (await _shown_by_now(ctx, order)).final:
        raise PriceMoved
    # The payer didn't ask for the link's own coupon, and can't take it back: the charge says its price before they pay.
    ctx.reply.notices.append(DROPPED)
    return await _issue_once(ctx, order, plan_of(ctx, link, order, Price(link.amount)))


async def find_placed_order(ctx: Context, link: Link, order: PayLink) -> ChargeView | None:
    """The charge that waits for the payer at a link that takes no order any more; a page gets none of another amount
    than it has shown.
    """
    shown = order.shown if isinstance(order, PayLinkAsShown) else None
    waiting = await find_pending_charge(ctx.database, link.row["id"], _payer(order), ctx.clock.now(), amount=shown)
    return None if waiting is None else await _repeated(ctx, order, waiting)


def plan_of(ctx: Context, link: Link, order: PayLink, price: Price) -> ChargeParams:
    """What will be issued. Raises `MinimumAmount`."""
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
        # `_issue_once` leaves it out where another pending or paid charge has it.
        external_reference=row["external_reference"],
        link_reference=row["external_reference"],
        metadata=row["metadata"],
        success_url=row["success_url"],
        cancel_url=row["cancel_url"],
        order_key=f"{row['id']}:{order.customer_cpf}:{order.customer_email.lower()}:{price.coupon_id}:{price.final}",
    )


async def _price(ctx: Context, link: Link, order: PayLink) -> Price:
    """Whether a use of the coupon is left is judged when it is taken, after the same order has been looked for: the
    last use may be this payer's own.
    """
    now = ctx.clock.now()
    if order.coupon_code is None:
        return own_price(link, promised, now)
    link.refuse_coupons("coupon_code")
    coupon = await coupon_of_code(ctx, ctx.store_id, ctx.environment, order.coupon_code)
    return promised(coupon, link.amount, link.row["product_id"], now)


async def _ordered_before(ctx: Context, link: Link, plan: ChargeParams, shown: int) -> Id | None:
    """The payer's charge of the total that the page showed; or of what they are to pay, where that is less: the page
    left out a coupon whose last use that very charge holds.
    """
    find = partial(find_pending_charge, ctx.database, link.row["id"], plan.payer, ctx.clock.now())
    found = await find(amount=shown)
    return found if found is not None or plan.amount > shown else await find(amount=plan.amount)


async def _price_as_shown(ctx: Context, order: PayLink, price: Price, shown: int) -> Price:
    """The price that the page showed, where it still holds although the order's is another: the link's own
    coupon is used up, so that the page left it out; or the payer has typed a coupon since, and it takes
    something off. Raises `PriceMoved`.
    """
    by_now = await _shown_by_now(ctx, order)
    if shown != by_now.final or (order.coupon_code is not None and price.final > shown):
        raise PriceMoved
    return by_now if order.coupon_code is None else price


async def _shown_by_now(ctx: Context, order: PayLink) -> Price:
    """The price that the page shows at this moment, to whom no coupon is typed."""
    return own_price(await open_link(ctx, order.slug), discounted, ctx.clock.now())


async def _issue_once(ctx: Context, order: PayLink, plan: ChargeParams) -> ChargeView:
    for _ in range(LOOKS):
        try:
            return await issue(ctx, plan)
        except OrderRepeated as repeated:
            return await _repeated(ctx, order, repeated.charge_id)
        except OrderInProgress:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        except DuplicateReference as taken:
            if taken.of_the_moment:
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            else:
                # Another charge of the store has it. That is nothing to the payer.
                plan = replace(plan, external_reference=None)
    raise Conflict("Este pagamento já está sendo gerado. Aguarde alguns segundos e tente de novo.").for_now()


async def _repeated(ctx: Context, order: PayLink, charge_id: Id) -> ChargeView:
    """The charge that waits already. Who orders again may have corrected how they are reached."""
    charge = await update_contact(ctx, await find_charge(ctx, WhichCharge(id=charge_id)), order.sent())
    await idempotency.conclude(ctx, ctx.database, charge)
    return charge


def _payer(order: PayLink) -> Payer:
    return Payer(order.customer_name, order.customer_email, order.customer_cpf, order.customer_phone)


def _description(link: Link) -> str:
    row = link.row
    words = row["title"] or row["product_name"] or row["description"] or "Pagamento"
    return " ".join(words.split())[:MAX_DESCRIPTION_LENGTH]
