"""A payer who orders again may correct name and phone: the pending charge takes them.

The e-mail address stays: together with the document it identifies the payer. Documents are known to others, and the
store delivers to that address. The bank keeps its first data.
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
_CONTACT_COLUMNS = ("customer_name", "customer_phone")
_now = bindparam("now", type_=_C.c.updated_at.type)
_updated = (
    update(_C)
    .where(
        _C.c.user_id == bindparam("user_id", type_=_C.c.user_id.type),
        _C.c.environment == bindparam("environment", type_=_C.c.environment.type),
        _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
        _C.c.status == ChargeStatus.pending.value,
        has_not_expired(_now),
        # As compared, so that the audit record has the true old values.
        *(
            _C.c[name].is_not_distinct_from(bindparam(f"old_{name}", type_=_C.c[name].type))
            for name in _CONTACT_COLUMNS
        ),
    )
    .values({name: bindparam(f"new_{name}", type_=_C.c[name].type) for name in _CONTACT_COLUMNS} | {"updated_at": _now})
    .returning(_C.c.id)
    .cte("updated")
)
UPDATE_CONTACT = Statement(select(_updated.c.id).add_cte(recording(_updated).cte("audit")))


async def update_contact(ctx: Context, charge: ChargeView, sent: Mapping[str, Any]) -> ChargeView:
    """The store's charge with the name and phone that were `sent`, if it is pending; otherwise unchanged."""
    contact = {name: sent[name] for name in _CONTACT_COLUMNS if name in sent}
    updated = False
    while not updated and charge.status == ChargeStatus.pending and differences(_contact_of(charge), contact):
        updated = await _update(ctx, charge, contact)
        # Otherwise it was paid, or updated by another order, in the meantime.
        charge = await find_charge(ctx, WhichCharge(id=charge.id))
    return charge


async def _update(ctx: Context, charge: ChargeView, contact: dict[str, Any]) -> bool:
    before = _contact_of(charge)
    written = await ctx.database.value(
        UPDATE_CONTACT,
        user_id=ctx.store_id,
        environment=ctx.environment,
        charge_id=charge.id,
        now=ctx.clock.now(),
        **{f"old_{name}": value for name, value in before.items()},
        **{f"new_{name}": value for name, value in (before | contact).items()},
        **record_of(ctx, "charge.updated", charge.id, changes=differences(before, contact)),
    )
    return written is not None


def _contact_of(charge: ChargeView) -> dict[str, Any]:
    return {name: getattr(charge, name) for name in _CONTACT_COLUMNS}
