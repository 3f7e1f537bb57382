"""Simulated payments: `POST /pix/simulate-payment` for test charges, and `gateway simulate pay` for the simulator."""

from sqlalchemy import bindparam, select

from gateway.errors import Conflict, EngineFailed, NotFound, TestOnly
from gateway.integrations.engines.errors import EngineError
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Statement
from gateway.models.engines import NotificationOutcome
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation, require_test
from gateway.resolvers.engine_failures import engine_failure
from gateway.resolvers.engine_notifications.process import process_notification
from gateway.resolvers.receiving.accounts import load_account

ENGINE_ID = Statement(
    select(charges.c.engine_id, charges.c.receiving_account_id).where(
        charges.c.id == bindparam("id"), charges.c.user_id == bindparam("user_id")
    )
)
_PAYABLE = {ChargeStatus.pending, ChargeStatus.expired}


@operation("charges.simulate_payment", Permission.operate, precondition=require_test, scope=Scope.charges)
async def simulate_payment(ctx: Context, which: WhichCharge) -> ChargeView:
    """Pay a test charge, as the payer's bank would."""
    charge = await find_charge(ctx, which)
    await pay_test_charge(ctx, charge)
    return await find_charge(ctx, WhichCharge(id=charge.id))


async def pay_test_charge(ctx: Context, charge: ChargeView) -> None:
    """Confirm a test charge at its engine. A paid charge stays as it is."""
    if charge.environment != Environment.test:
        raise TestOnly
    if charge.status == ChargeStatus.paid:
        return
    if charge.status not in _PAYABLE:
        raise Conflict("Esta cobrança não pode mais ser paga.")
    engine = ctx.services.engines.test
    stored = await ctx.database.one(ENGINE_ID, id=charge.id, user_id=charge.user_id)
    assert stored is not None, "charges are never deleted"
    account = await load_account(ctx, stored["receiving_account_id"])
    try:
        notification = await engine.confirm_test(stored["engine_id"], account)
    except EngineError as error:
        raise engine_failure(error) from error
    if (
        notification is not None
        and await process_notification(ctx, engine, Environment.test, notification) is NotificationOutcome.received
    ):
        raise EngineFailed


_C = charges
BY_TXID = Statement(
    select(_C.c.environment, _C.c.engine, _C.c.engine_id, _C.c.receiving_account_id).where(
        _C.c.txid == bindparam("txid")
    )
)


async def simulate_bank_payment(ctx: Context, txid: str) -> NotificationOutcome:
    """`gateway simulate pay`: pay a charge of either environment, and receive the engine's notification. Raises
    `NotFound`, `EngineFailed`, and `Conflict` for a real bank.
    """
    row = await ctx.database.one(BY_TXID, txid=txid)
    if row is None:
        raise NotFound(f"there is no charge with the txid {txid}")
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    if engine.has_bank or engine.name != row["engine"]:
        raise Conflict("only the simulator can simulate payments, and this charge belongs to another engine")
    account = await load_account(ctx, row["receiving_account_id"])
    try:
        notification = await engine.confirm_test(row["engine_id"], account)
    except EngineError as error:
        raise EngineFailed(f"the engine failed: {error}") from error
    assert notification is not None, "the simulator hands its notifications over, unless a script makes them late"
    return await process_notification(ctx, engine, environment, notification)
