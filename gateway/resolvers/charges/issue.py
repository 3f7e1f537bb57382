"""Issuing a charge, in three phases, so that no engine is called inside a transaction.

1. `reserve`: commit an issuance, which says that the engine may soon hold a charge with this id.
2. `ask`: call the engine. A lost answer is looked up by our id, never asked for blindly again.
3. `_record`: in one statement, the issuance goes and the charge comes, with its event, deliveries and audit record
   (gateway.resolvers.charges.bearing).

Whatever fails leaves no pending charge, and the caller a 502 or a 500. Where nobody knows what the engine has made, the
issuance stays, without what it held, and `settle_issuance` finishes it: what was told as failed is retired at the
engine, so that it never becomes a second charge.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from gateway.errors import EngineFailed
from gateway.integrations.engines.br_code import InvalidBrCode
from gateway.integrations.engines.errors import (
    EngineError,
    EngineOutcomeUnknown,
)
from gateway.integrations.engines.interface import Engine
from gateway.models.database import Row, Transaction
from gateway.models.webhooks import EventType
from gateway.resolvers.audit.trail import record_of
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.engine_calls import (
    create_at_engine,
    engine_request,
    log_engine_failure,
    try_cancel_at_engine,
)
from gateway.resolvers.charges.insert_charge import INSERT_CHARGE, row_of, view_values
from gateway.resolvers.charges.redemptions import abandon_issuance, delete_issuance
from gateway.resolvers.charges.reserve import Reserved, reserve_issuance
from gateway.resolvers.charges.views import ChargeView, charge_view
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.batch_runner import tell_failure
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import rendered
from gateway.resolvers.engine_failures import engine_failure, record_account_refusals
from gateway.resolvers.receiving.account_for_charge import with_account
from gateway.resolvers.webhooks import outbox
from gateway.values.ids import Id, new_id

AfterInsert: TypeAlias = Callable[[Transaction, ChargeView], Awaitable[None]]


async def issue(ctx: Context, plan: ChargeParams, then: AfterInsert | None = None) -> ChargeView:
    """Issue the planned charge; `then` does what else belongs to the transaction in which it is born. Raises
    `DuplicateReference`, `CouponExhausted`, `LinkClosed` and `EngineFailed`; with an `order_key` also `OrderRepeated`
    and `OrderUnderway`; in the receiving mode `subconta` what `with_account` does.
    """
    plan = await with_account(ctx, plan)
    charge_id = new_id()
    engine = ctx.services.engines.of(plan.environment)
    reserved = await reserve_issuance(ctx, plan, charge_id, engine)
    try:
        charge = await _create(ctx, reserved, charge_id, engine, then)
    except (EngineError, InvalidBrCode) as error:
        await _abandon(ctx, charge_id, delete_issuance if _definitely_failed(error) else abandon_issuance)
        log_engine_failure(engine, error)
        await record_account_refusals(ctx, engine, plan.environment, [(plan.account, error)])
        raise engine_failure(error) from error
    except Exception:
        # The caller is told of a failure, and may order again at once, whatever has become of this order.
        await _abandon(ctx, charge_id, abandon_issuance)
        raise
    ctx.services.wake.webhooks()
    return charge


async def _create(
    ctx: Context, reserved: Reserved, charge_id: Id, engine: Engine, then: AfterInsert | None
) -> ChargeView:
    plan = reserved.plan
    made = await create_at_engine(engine, engine_request(plan, charge_id))
    try:
        return await _insert(
            ctx, row_of(plan, charge_id, engine, made, ctx.clock.now()), reserved.has_subscribers, then
        )
    except EngineFailed:
        await try_cancel_at_engine(engine, made.id, plan.account)
        raise


def _definitely_failed(error: Exception) -> bool:
    return not isinstance(error, EngineOutcomeUnknown)


async def _abandon(ctx: Context, charge_id: Id, how: Callable[[Transaction, str], Awaitable[bool]]) -> None:
    """End the order that has failed. Where not even that can be written, its issuance holds what
    it does until it is settled.
    """
    try:
        async with ctx.database.transaction() as transaction:
            await how(transaction, charge_id)
    except Exception as error:  # noqa: BLE001  # What failed first is what the caller is told.
        tell_failure("issuance_not_given_up", error, charge_id=charge_id)


async def _insert(ctx: Context, row: dict[str, Any], heard: bool, then: AfterInsert | None) -> ChargeView:
    charge = charge_view(ctx.settings, view_values(row))
    # Nobody sees an event that no endpoint hears, so nobody draws its QR image.
    told, key = rendered(charge, computed=heard), f"charge.created:{charge.id}"
    event = outbox.compose(ctx, EventType.charge_created, charge.environment, key, told)
    values = {
        **row,
        **event.values(has_subscribers=heard),
        **record_of(ctx, "charge.created", charge.id, store_id=charge.user_id),
        "audit_environment": charge.environment,
        **idempotency.concluded(ctx, charge),
    }
    if then is None:
        _ensure_inserted(await ctx.database.one(INSERT_CHARGE, **values))
        return charge
    async with ctx.database.transaction() as transaction:
        _ensure_inserted(await transaction.one(INSERT_CHARGE, **values))
        await then(transaction, charge)
    return charge


def _ensure_inserted(row: Row | None) -> None:
    assert row is not None
    if not row["is_mine"]:
        raise idempotency.SlotLost
    if row["id"] is None:
        # The issuer was so slow that its issuance has been settled as failed, or is about to be.
        raise EngineFailed
