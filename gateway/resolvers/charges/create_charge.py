"""`POST /pix` and `POST /charges`: create a charge, in three phases, so that no engine call is inside a transaction.

1. Reserve: commit an issuance (`reserve`). From then on the engine may hold a charge with this id.
2. Create the charge at the engine (`engine_calls`). A lost response is looked up by our id before any retry.
3. Insert the charge, with its event, deliveries and audit record, and delete the issuance (`insert_charge`).

A failure leaves no pending charge, and returns a 502 or a 500. If the outcome at the engine is unknown, the issuance
stays and releases what it held. `recover_issuances` then cancels the charge at the engine (ADR 0005).
"""

from collections.abc import Awaitable, Callable
from typing import Any

from gateway.errors import EngineFailed, MinimumAmount
from gateway.integrations.engines.br_code import InvalidBrCode
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown
from gateway.models.api_keys import Scope
from gateway.models.database import Transaction
from gateway.resolvers.charges.charge_params import (
    ChargeParams,
    expiry_of,
    missing_payer_fields,
    payer_of,
    reject_past_due,
    require_fields,
)
from gateway.resolvers.charges.engine_calls import create_at_engine, try_cancel_at_engine
from gateway.resolvers.charges.inputs import IssueCharge, RegisterCharge, expiry_of_due_date
from gateway.resolvers.charges.insert_charge import AfterInsert, insert_charge
from gateway.resolvers.charges.redemptions import abandon_issuance, delete_issuance
from gateway.resolvers.charges.reserve import reserve_issuance
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.coupons.discount import Price, discounted_price_before_use
from gateway.resolvers.coupons.operations import find_coupon_by_code
from gateway.resolvers.engine_failures import engine_failure, log_engine_failure, log_failure, record_account_refusals
from gateway.resolvers.products.operations import find_active_product
from gateway.resolvers.products.types import ProductView
from gateway.resolvers.receiving.account_for_charge import with_account
from gateway.settings import ReceivingMode
from gateway.values.ids import Id, new_id
from gateway.values.money import MINIMUM_CHARGE

MAX_DESCRIPTION_LENGTH = 140
PRODUCT_IGNORED = "O product_id foi ignorado: uma cobrança registrada diretamente vale o amount enviado."
COUPON_IGNORED = "O cupom foi ignorado: cupons só valem para cobranças com product_id."
CUSTOMER_IGNORED = "O pagador não foi cadastrado: novo_cliente só vale para cobranças com product_id."


@operation(
    "charges.issue",
    Permission.operate,
    needs_live_approval=True,
    idempotent=True,
    reserves_key=True,
    scope=Scope.charges,
)
async def issue_charge(ctx: Context, order: IssueCharge) -> ChargeView:
    """Issue a Pix charge and get its BR Code."""
    if order.product_id is None:
        return await issue(ctx, await _manual_params(ctx, order))
    return await issue(ctx, await _product_params(ctx, order, order.product_id))


@operation(
    "charges.register",
    Permission.operate,
    needs_live_approval=True,
    idempotent=True,
    reserves_key=True,
    scope=Scope.charges,
)
async def register_charge(ctx: Context, order: RegisterCharge) -> ChargeView:
    """Register a charge directly, with a due date and no minimum amount."""
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    reject_past_due(ctx, order.due_date, missing)
    default = order.due_date and expiry_of_due_date(order.due_date)
    expires_at = expiry_of(ctx, order.expires_at or default, missing)
    require_fields(missing)
    _report_ignored_fields(ctx, order)
    params = _params(
        ctx,
        order,
        payer=payer,
        description=order.description,
        amount=order.amount,
        expires_at=expires_at,
        due_date=order.due_date,
    )
    return await issue(ctx, params)


async def issue(ctx: Context, params: ChargeParams, then: AfterInsert | None = None) -> ChargeView:
    """Create the charge. `then` runs in the transaction of its insertion. Raises `DuplicateReference`,
    `CouponExhausted`, `PaymentLinkInactive` and `EngineFailed`; with an `order_key` also `OrderRepeated` and
    `OrderInProgress`; in the mode `subconta` also what `with_account` raises.
    """
    if ctx.settings.receiving_mode is ReceivingMode.subconta:
        params = await with_account(ctx, params)
    charge_id = new_id()
    engine = ctx.services.engines.of(params.environment)
    issuance = await reserve_issuance(ctx, params, charge_id, engine)
    try:
        engine_charge = await create_at_engine(engine, issuance.params.engine_request(charge_id, issuance.txid))
        try:
            charge = await insert_charge(ctx, issuance, engine, engine_charge, then)
        except EngineFailed:
            await try_cancel_at_engine(engine, engine_charge.id, params.account)
            raise
    except (EngineError, InvalidBrCode) as error:
        await _end_issuance(
            ctx, charge_id, abandon_issuance if isinstance(error, EngineOutcomeUnknown) else delete_issuance
        )
        log_engine_failure(engine, error)
        await record_account_refusals(ctx, engine, params.environment, [(params.account, error)])
        raise engine_failure(error) from error
    except Exception:
        # The caller gets an error and may order again at once, whether or not the engine created a charge.
        await _end_issuance(ctx, charge_id, abandon_issuance)
        raise
    ctx.services.notifier.webhooks()
    return charge


async def _end_issuance(ctx: Context, charge_id: Id, end: Callable[[Transaction, str], Awaitable[bool]]) -> None:
    """Write that the order failed. If that fails too, the issuance holds its reservations until it is recovered."""
    try:
        async with ctx.database.transaction() as transaction:
            await end(transaction, charge_id)
    except Exception as error:  # noqa: BLE001  # The caller gets the first error.
        log_failure("issuance_not_closed", error, charge_id=charge_id)


async def _manual_params(ctx: Context, order: IssueCharge) -> ChargeParams:
    """Manual mode: amount and description come from the order."""
    payer = await payer_of(ctx, order)
    missing = [name for name in ("amount", "description") if getattr(order, name) is None]
    missing += missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require_fields(missing)
    assert order.amount is not None
    assert order.description is not None
    _report_ignored_fields(ctx, order)
    return _params(ctx, order, payer=payer, description=order.description, amount=order.amount, expires_at=expires_at)


async def _product_params(ctx: Context, order: IssueCharge, product_id: Id) -> ChargeParams:
    """Product mode: the price is the product's, less the coupon's discount (specification section 4). One product for
    each charge, quantity 1. Raises `NotFound` for a product that is not active in this environment.

    The order's own amount is ignored. Whether a use of the coupon is left is checked when the use is taken.
    """
    product = await find_active_product(ctx, product_id)
    payer = await payer_of(ctx, order)
    missing = missing_payer_fields(payer)
    expires_at = expiry_of(ctx, order.expires_at, missing)
    require_fields(missing)
    price = await _product_price(ctx, product, order.coupon_code)
    return _params(
        ctx,
        order,
        payer=payer,
        description=order.description or product.name[:MAX_DESCRIPTION_LENGTH],
        amount=price.final,
        original_amount=price.original,
        discount_amount=price.discount,
        coupon_id=price.coupon_id,
        coupon_code=price.coupon_code,
        expires_at=expires_at,
        product_id=product.id,
        creates_customer=bool(order.novo_cliente) and order.customer_id is None,
    )


async def _product_price(ctx: Context, product: ProductView, code: str | None) -> Price:
    if code is not None:
        coupon = await find_coupon_by_code(ctx, code)
        return discounted_price_before_use(coupon, product.price, product.id, ctx.clock.now())
    if product.price < MINIMUM_CHARGE:
        raise MinimumAmount("product_id")
    return Price(product.price)


def _params(ctx: Context, order: IssueCharge | RegisterCharge, *, amount: int, **more: Any) -> ChargeParams:
    """The parameters that both modes take from the caller and the order, and `more` of them."""
    return ChargeParams(
        store_id=ctx.store_id,
        environment=ctx.environment,
        store_name=ctx.actor.store_name,
        amount=amount,
        original_amount=more.pop("original_amount", amount),
        customer_id=order.customer_id,
        external_reference=order.external_reference,
        metadata=order.metadata,
        success_url=order.success_url,
        cancel_url=order.cancel_url,
        **more,
    )


def _report_ignored_fields(ctx: Context, order: IssueCharge | RegisterCharge) -> None:
    """Add a notice for each field of product mode in an order without a product (contract section 4)."""
    ignored = {
        PRODUCT_IGNORED: order.product_id is not None,
        COUPON_IGNORED: order.coupon_code is not None,
        CUSTOMER_IGNORED: order.novo_cliente,
    }
    ctx.reply.notices += [notice for notice, is_sent in ignored.items() if is_sent]
