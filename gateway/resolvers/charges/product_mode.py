"""Product mode of `POST /pix`: the price is the product's, less what a coupon takes off (specification section 4).

One product per charge, quantity 1. Nothing of the order's own amount is believed, and the coupon is judged here again,
whatever a page has shown. Whether a use of it is left is judged when the use is taken (gateway.resolvers.charges.uses).
"""

from gateway.errors import MinimumAmount
from gateway.money import MINIMUM_CHARGE
from gateway.resolvers.charges.expiry import expiry_of
from gateway.resolvers.charges.inputs import IssueCharge
from gateway.resolvers.charges.payer import missing_payer_fields, payer_of, require
from gateway.resolvers.charges.plan import Plan
from gateway.resolvers.context import Context
from gateway.resolvers.coupons.discount import Price, promised
from gateway.resolvers.coupons.reading import coupon_of_code
from gateway.resolvers.products.reading import find_active_product
from gateway.resolvers.products.views import ProductView

LONGEST_DESCRIPTION = 140


async def plan_from_product(ctx: Context, order: IssueCharge) -> Plan:
    """The plan of the order's product. `NotFound` where the store has no such active product in this environment."""
    assert order.product_id is not None
    product = await find_active_product(ctx, order.product_id)
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require(missing)
    price = await _price(ctx, product, order.coupon_code)
    return Plan(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=ctx.actor.store_name,
        description=order.description or product.name[:LONGEST_DESCRIPTION],
        amount=price.final,
        original_amount=price.original,
        discount_amount=price.discount,
        expires_at=expires_at,
        payer=payer,
        customer_id=order.customer_id,
        registers_payer=bool(order.novo_cliente) and order.customer_id is None,
        product_id=product.id,
        coupon_id=price.coupon_id,
        coupon_code=price.coupon_code,
        external_reference=order.external_reference,
        metadata=order.metadata,
        success_url=order.success_url,
        cancel_url=order.cancel_url,
    )


async def _price(ctx: Context, product: ProductView, code: str | None) -> Price:
    if code is not None:
        coupon = await coupon_of_code(ctx, ctx.store_id, ctx.environment, code)
        return promised(coupon, product.price, product.id, ctx.clock.now())
    if product.price < MINIMUM_CHARGE:
        raise MinimumAmount("product_id")
    return Price(product.price)
