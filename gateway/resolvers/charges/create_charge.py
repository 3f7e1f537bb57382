"""`POST /pix`: issue a charge, in manual mode or from a product.

`POST /charges`: register a charge directly.

Product mode of `POST /pix`: the price is the product's, less what a coupon takes off (specification section 4).

One product per charge, quantity 1. Nothing of the order's own amount is believed, and the coupon is judged here again,
whatever a page has shown. Whether a use of it is left is judged when the use is taken (gateway.resolvers.charges.uses).

Manual mode: what the order says is what is charged. What belongs to product mode is left
out, and the caller is told.
"""

from gateway.errors import MinimumAmount
from gateway.models.api_keys import Scope
from gateway.resolvers.charges.charge_params import (
    ChargeParams,
    expiry_of,
    missing_payer_fields,
    payer_of,
    reject_past_due,
    require_fields,
)
from gateway.resolvers.charges.inputs import IssueCharge, RegisterCharge, expiry_of_due_date
from gateway.resolvers.charges.issue import issue
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.coupons.discount import Price, promised
from gateway.resolvers.coupons.reading import coupon_of_code
from gateway.resolvers.products.reading import find_active_product
from gateway.resolvers.products.views import ProductView
from gateway.values.money import MINIMUM_CHARGE


@operation("charges.issue", Permission.operate, issues=True, creates=True, reserves=True, scope=Scope.charges)
async def issue_charge(ctx: Context, order: IssueCharge) -> ChargeView:
    """Issue a Pix charge and get its BR Code."""
    return await issue(
        ctx, await (_manual_params(ctx, order) if order.product_id is None else _product_params(ctx, order))
    )


async def _manual_params(ctx: Context, order: IssueCharge) -> ChargeParams:
    """Manual mode: the order says everything."""
    payer = await payer_of(ctx, order)
    missing = [name for name in ("amount", "description") if getattr(order, name) is None]
    missing += missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require_fields(missing)
    assert order.amount is not None
    assert order.description is not None
    _report_ignored_fields(ctx, order)
    return ChargeParams(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=ctx.actor.store_name,
        description=order.description,
        amount=order.amount,
        original_amount=order.amount,
        expires_at=expires_at,
        payer=payer,
        customer_id=order.customer_id,
        external_reference=order.external_reference,
        metadata=order.metadata,
        success_url=order.success_url,
        cancel_url=order.cancel_url,
    )


@operation("charges.register", Permission.operate, issues=True, creates=True, reserves=True, scope=Scope.charges)
async def register_charge(ctx: Context, order: RegisterCharge) -> ChargeView:
    """Register a charge directly, with a due date and no minimum amount."""
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    reject_past_due(ctx, order.due_date, missing)
    by_default = order.due_date and expiry_of_due_date(order.due_date)
    expires_at = expiry_of(ctx, order.expires_at or by_default, missing)
    require_fields(missing)
    _report_ignored_fields(ctx, order)
    return await issue(
        ctx,
        ChargeParams(
            store_id=ctx.store_id,
            environment=ctx.environment,
            store_name=ctx.actor.store_name,
            description=order.description,
            amount=order.amount,
            original_amount=order.amount,
            expires_at=expires_at,
            due_date=order.due_date,
            payer=payer,
            customer_id=order.customer_id,
            external_reference=order.external_reference,
            metadata=order.metadata,
            success_url=order.success_url,
            cancel_url=order.cancel_url,
        ),
    )


MAX_DESCRIPTION_LENGTH = 140


async def _product_params(ctx: Context, order: IssueCharge) -> ChargeParams:
    """The plan of the order's product. `NotFound` where the store has no such active product in this environment."""
    assert order.product_id is not None
    product = await find_active_product(ctx, order.product_id)
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require_fields(missing)
    price = await _price(ctx, product, order.coupon_code)
    return ChargeParams(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=ctx.actor.store_name,
        description=order.description or product.name[:MAX_DESCRIPTION_LENGTH],
        amount=price.final,
        original_amount=price.original,
        discount_amount=price.discount,
        expires_at=expires_at,
        payer=payer,
        customer_id=order.customer_id,
        creates_customer=bool(order.novo_cliente) and order.customer_id is None,
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


def _report_ignored_fields(ctx: Context, order: IssueCharge | RegisterCharge) -> None:
    """Add a notice for each field of product mode in an order that doesn't sell a product (contract section 4)."""
    if order.product_id is not None:
        ctx.reply.notices.append(
            "O product_id foi ignorado: uma cobrança registrada diretamente vale o amount enviado."
        )
    if order.coupon_code:
        ctx.reply.notices.append("O cupom foi ignorado: cupons só valem para cobranças com product_id.")
    if order.novo_cliente:
        ctx.reply.notices.append("O pagador não foi cadastrado: novo_cliente só vale para cobranças com product_id.")
