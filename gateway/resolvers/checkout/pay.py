"""`POST /checkout/link/{slug}/pay`: a payer, without any credential, gets a charge."""

from gateway.errors import EngineFailed, LinkClosed
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.checkout.inputs import PayLink
from gateway.resolvers.checkout.limits import PAYMENTS, count
from gateway.resolvers.checkout.links import Link, at_checkout, find_link
from gateway.resolvers.checkout.order import find_placed_order, place_order
from gateway.resolvers.checkout.read_charge import find_public_charge
from gateway.resolvers.checkout.views import PublicChargeView
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation


@operation("checkout.pay", Permission.public, creates=True)
async def pay_link(ctx: Context, order: PayLink) -> PublicChargeView:
    """Get a charge of a payment link, in the link's environment whoever calls."""
    # Every attempt counts, also one with a wrong coupon: nobody shall guess codes here.
    await count(ctx, PAYMENTS)
    link = await find_link(ctx, order.slug)
    try:
        charge = await _charge(at_checkout(ctx, link), link, order)
    except EngineFailed as error:
        # The store's account at the engine is no business of the payer's.
        raise EngineFailed(error.to_payer) from error
    return await find_public_charge(ctx, charge.txid)


async def _charge(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    """An `Idempotency-Key` counts within the link's store. Its answer is the store's own view, which the payer never
    sees: a replay shows the charge as it is by then, whether or not the link may still be paid.
    """
    if ctx.idempotency_key is None:
        return await _order(ctx, link, order)
    return await idempotency.once(ctx, pay_link.name, ChargeView, order, lambda slotted: _order(slotted, link, order))


async def _order(ctx: Context, link: Link, order: PayLink) -> ChargeView:
    try:
        link.require_open()
        return await place_order(ctx, link, order)
    except LinkClosed:
        placed = await find_placed_order(ctx, link, order)
        if placed is None:
            raise
        return placed
