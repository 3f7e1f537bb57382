"""`POST /pix/{id}/expire`: the store ends a pending charge before its time.

The charge is an expired one from then on, in everything: its uses come free, its engine is asked to let it go, it is
looked at again, and a payment that was under way is late money and counts.
"""

from typing import Any

from sqlalchemy import bindparam, select, update

from gateway.errors import ChargeEnded
from gateway.models.api_keys import Scope
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.charges.conditions import may_end
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.looking_again import AFTER_EXPIRY, looking_again
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.retiring import retire_expired
from gateway.resolvers.charges.uses import give_back_uses
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.context import Context
from gateway.resolvers.operation import operation

_C = charges
_now = bindparam("now", type_=_C.c.expires_at.type)
_expired = (
    update(_C)
    .where(
        _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
        _C.c.user_id == bindparam("user_id", type_=_C.c.user_id.type),
        _C.c.environment == bindparam("environment", type_=_C.c.environment.type),
        may_end,
        _C.c.expires_at > _now,
    )
    # `expires_at` moves too: whether a payment is late is told by it.
    .values(status=ChargeStatus.expired.value, expires_at=_now, updated_at=_now)
    .returning(
        *(_C.c.id, _C.c.environment, _C.c.coupon_id, _C.c.payment_link_id),
        *(_C.c.engine, _C.c.engine_id, _C.c.receiving_account_id),
    )
    .cte("expired")
)
_audit = recording(_expired).cte("audit")
EXPIRE_NOW = Statement(select(_expired).add_cte(_audit, looking_again(_expired, "look_at").cte("look")))


@operation("charges.expire", Permission.operate, scope=Scope.charges)
async def expire_pending_charge(ctx: Context, which: WhichCharge) -> ChargeView:
    """End a pending charge now. One that has expired stays as it is; one that the bank holds back stays pending."""
    charge = await find_charge(ctx, which)
    if charge.status == ChargeStatus.pending:
        expired = await _expire(ctx, charge)
        if expired is not None:
            await retire_expired(ctx, [expired])
        # Where nothing was written, a payment or another call was quicker.
        charge = await find_charge(ctx, WhichCharge(id=charge.id))
    if charge.status != ChargeStatus.expired:
        raise ChargeEnded(ENDED[ChargeStatus(charge.status)])
    return charge


ENDED = {
    ChargeStatus.pending: "O pagamento desta cobrança está em análise no banco.",
    ChargeStatus.paid: "Esta cobrança já foi paga.",
    ChargeStatus.canceled: "Esta cobrança foi cancelada.",
    ChargeStatus.refunded: "Esta cobrança foi paga e devolvida.",
    ChargeStatus.expired: "Esta cobrança expirou.",
}
"""Why nothing can be done with a charge that has ended, or is pending while the bank holds its payment back."""


async def _expire(ctx: Context, charge: ChargeView) -> Row | None:
    now = ctx.clock.now()
    changes: dict[str, Any] = {
        "status": {"from": ChargeStatus.pending.value, "to": ChargeStatus.expired.value},
        "expires_at": {"from": charge.expires_at.isoformat(), "to": now.isoformat()},
    }
    async with ctx.database.transaction() as transaction:
        expired = await transaction.one(
            EXPIRE_NOW,
            charge_id=charge.id,
            user_id=ctx.store_id,
            environment=ctx.environment,
            now=now,
            look_at=ctx.real_clock.now() + AFTER_EXPIRY,
            **record_of(ctx, "charge.expired", charge.id, changes=changes),
        )
        if expired is not None:
            await give_back_uses(transaction, [expired])
    return expired
