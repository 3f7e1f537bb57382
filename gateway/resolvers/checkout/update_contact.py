"""A repeated order updates the payer's name and phone on the pending charge. Fields that it leaves out stay.

The e-mail address stays: with the document it identifies the payer, and the shop may deliver to it. Others may know the
document. The bank keeps the data of the first order.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Statement
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.status import has_not_expired
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.context import Context

_C = charges
_CONTACT = ("customer_name", "customer_phone")
_now = bindparam("now", type_=_C.c.updated_at.type)
_updated = (
    update(_C)
    .where(
        _C.c.user_id == bindparam("user_id", type_=_C.c.user_id.type),
        _C.c.environment == bindparam("environment", type_=_C.c.environment.type),
        _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
        _C.c.status == ChargeStatus.pending.value,
        has_not_expired(_now),
        # Unchanged since it was read, so that the audit trail has the true old values.
        *(_C.c[name].is_not_distinct_from(bindparam(f"old_{name}", type_=_C.c[name].type)) for name in _CONTACT),
    )
    .values({name: bindparam(f"new_{name}", type_=_C.c[name].type) for name in _CONTACT} | {"updated_at": _now})
    .returning(_C.c.id)
    .cte("updated")
)
UPDATE_CONTACT = Statement(select(_updated.c.id).add_cte(recording(_updated).cte("audit")))


async def update_contact(ctx: Context, charge: ChargeView, sent: Mapping[str, Any]) -> ChargeView:
    """The store's charge, with the `sent` name and phone if it is pending."""
    new = {name: sent[name] for name in _CONTACT if name in sent}
    updated = False
    while not updated and charge.status == ChargeStatus.pending and differences(_contact_of(charge), new):
        updated = await _update(ctx, charge, new)
        # If not, another transaction was faster: a payment or another order.
        charge = await find_charge(ctx, WhichCharge(id=charge.id))
    return charge


async def _update(ctx: Context, charge: ChargeView, new: dict[str, Any]) -> bool:
    old = _contact_of(charge)
    written = await ctx.database.value(
        UPDATE_CONTACT,
        user_id=ctx.store_id,
        environment=ctx.environment,
        charge_id=charge.id,
        now=ctx.clock.now(),
        **{f"old_{name}": value for name, value in old.items()},
        **{f"new_{name}": value for name, value in (old | new).items()},
        **record_of(ctx, "charge.updated", charge.id, changes=differences(old, new)),
    )
    return written is not None


def _contact_of(charge: ChargeView) -> dict[str, Any]:
    return {name: getattr(charge, name) for name in _CONTACT}
