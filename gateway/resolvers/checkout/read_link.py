"""`GET /checkout/link/{slug}` and its coupon route."""

from gateway.errors import LinkBelowMinimum
from gateway.resolvers.checkout.inputs import LinkCoupon, WhichLink
from gateway.resolvers.checkout.limits import LINK_READS, count
from gateway.resolvers.checkout.links import at_checkout, open_link, own_price, public_link
from gateway.resolvers.checkout.views import PublicLinkView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.coupons.discount import discounted
from gateway.resolvers.coupons.reading import coupon_of_code, quote
from gateway.resolvers.coupons.views import CouponQuote
from gateway.values.money import MINIMUM_CHARGE


@operation("checkout.read_link", Permission.public)
async def read_link(ctx: Context, which: WhichLink) -> PublicLinkView:
    """See a payment link, as its payer does. Raises what `open_link` does, and `LinkBelowMinimum`."""
    await count(ctx, LINK_READS)
    link = await open_link(ctx, which.slug)
    price = own_price(link, discounted, link.clock.now())
    if price.final < MINIMUM_CHARGE:
        raise LinkBelowMinimum
    return public_link(link, price)


@operation("checkout.validate_coupon", Permission.public)
async def validate_link_coupon(ctx: Context, asked: LinkCoupon) -> CouponQuote:
    """See what a coupon does to the price of a payment link, without using it."""
    await count(ctx, LINK_READS)
    link = await open_link(ctx, asked.slug)
    link.refuse_coupons("code")
    ctx = at_checkout(ctx, link)
    coupon = await coupon_of_code(ctx, ctx.store_id, ctx.environment, asked.code)
    return await quote(ctx, coupon, link.amount, link.row["product_id"])
