"""What the caller can do with a charge now, so that a panel offers nothing that is refused.

Cancel is no action: no engine executes it, so the operation always refuses.
"""

from enum import StrEnum
from typing import Any

from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.resolvers.charges.expire import expire_pending_charge
from gateway.resolvers.charges.payment_emails import send_charge, sends_receipts_in
from gateway.resolvers.charges.simulate_payment import simulate_payment
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.refunds.create import MAX_AGE, create_refund
from gateway.values.engine_capabilities import Capability


class ChargeAction(StrEnum):
    """One thing to do with a charge. `send` and `receipt` are both the operation that emails the charge."""

    simulate = "simulate"
    expire = "expire"
    send = "send"
    receipt = "receipt"
    refund = "refund"


_OPERATIONS: dict[ChargeAction, Operation[Any, Any]] = {
    ChargeAction.simulate: simulate_payment,
    ChargeAction.expire: expire_pending_charge,
    ChargeAction.send: send_charge,
    ChargeAction.receipt: send_charge,
    ChargeAction.refund: create_refund,
}


def actions_of(ctx: Context, charge: ChargeView) -> list[ChargeAction]:
    """The actions that the state of the charge and the caller's permissions allow. Limits of emails do not count."""
    return [action for action in _possible(ctx, charge) if _OPERATIONS[action].refusal(ctx) is None]


def _possible(ctx: Context, charge: ChargeView) -> list[ChargeAction]:
    waits = charge.status == ChargeStatus.pending and not charge.under_review
    possible = {
        ChargeAction.simulate: _can_be_simulated(ctx, charge),
        ChargeAction.expire: waits,
        ChargeAction.send: waits and sends_receipts_in(ctx, charge.environment),
        ChargeAction.receipt: charge.status == ChargeStatus.paid and sends_receipts_in(ctx, charge.environment),
        ChargeAction.refund: _can_be_refunded(ctx, charge),
    }
    return [action for action, is_possible in possible.items() if is_possible]


def _can_be_refunded(ctx: Context, charge: ChargeView) -> bool:
    """Whether the engine may return more of the payment. Refunds in flight do not count."""
    if charge.status != ChargeStatus.paid or charge.paid_at is None:
        return False
    in_time = ctx.clock.now() - charge.paid_at <= MAX_AGE
    return in_time and Capability.refunds in ctx.services.engines.of(charge.environment).capabilities


def _can_be_simulated(ctx: Context, charge: ChargeView) -> bool:
    """Whether the test engine pays the charge. A bank cancels expired charges, so only the simulator pays them."""
    engine = ctx.services.engines.test
    if charge.environment != Environment.test or not engine.pays_test_charges:
        return False
    return charge.status == ChargeStatus.pending or (charge.status == ChargeStatus.expired and not engine.has_bank)
