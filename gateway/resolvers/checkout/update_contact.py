"""What a payer corrected by ordering again: the charge that waits for them takes name and phone of the later order, and
keeps what that leaves out.

The address stays: together with the document it says that it is the same payer. Documents are known to others, and what
a shop delivers by mail goes there. The bank keeps what it was told.
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
_corrected = (
    update(_C)
    .where(
        _C.c.user_id == bindparam("user_id", type_=_C.c.user_id.type),
        _C.c.environment == bindparam("environment", type_=_C.c.environment.type),
        _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
        _C.c.status == ChargeStatus.pending.value,
        has_not_expired(_now),
        # As it was when it was compared, so that the trail tells what truly was.
        *(_C.c[name].is_not_distinct_from(bindparam(f"old_{name}", type_=_C.c[name].type)) for name in _CONTACT),
    )
    .values({name: bindparam(f"new_{name}", type_=_C.c[name].type) for name in _CONTACT} | {"updated_at": _now})
    .returning(_C.c.id)
    .cte("corrected")
)
UPDATE_CONTACT = Statement(select(_corrected.c.id).add_cte(recording(_corrected).cte("audit")))


async def update_contact(ctx: Context, charge: ChargeView, sent: Mapping[str, Any]) -> ChargeView:
    """The store's charge with the name and phone that were `sent`, as long as it is pending; else as it stands."""
    told = {name: sent[name] for name in _CONTACT if name in sent}
    corrected = False
    while not corrected and charge.status == ChargeStatus.pending and differences(_contact_of(charge), told):
        corrected = await _update(ctx, charge, told)
        # Where it wasn't, somebody else was quicker: it was paid, or corrected by another order.
        charge = await find_charge(ctx, WhichCharge(id=charge.id))
    return charge


async def _update(ctx: Context, charge: ChargeView, told: dict[str, Any]) -> bool:
    was = _contact_of(charge)
    written = await ctx.database.value(
        UPDATE_CONTACT,
        user_id=ctx.store_id,
        environment=ctx.environment,
        charge_id=charge.id,
        now=ctx.clock.now(),
        **{f"old_{name}": value for name, value in was.items()},
        **{f"new_{name}": value for name, value in (was | told).items()},
        **record_of(ctx, "charge.updated", charge.id, changes=differences(was, told)),
    )
    return written is not None


def _contact_of(charge: ChargeView) -> dict[str, Any]:
    return {name: getattr(charge, name) for name in _CONTACT}
