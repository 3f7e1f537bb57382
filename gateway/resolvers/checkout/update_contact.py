"""A repeated order updates the payer's name and phone on the pending charge. Fields that it leaves out stay.

The email address stays: with the document it identifies the payer, and the shop may deliver to it. Others may know the
document. The bank keeps the data of the first order.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import Field

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.checkout.types import MISSING_CHARGE
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class Contact(View):
    """The payer's contact on a charge."""

    customer_name: str | None = Field(description="Nome do pagador.")
    customer_phone: str | None = Field(description="Telefone do pagador.")


_C = charges
_CONTACT = tuple(Contact.model_fields)
ROWS = StoreRows(
    _C,
    [_C.c.status, _C.c.expires_at, _C.c.held_at, *(_C.c[name] for name in _CONTACT)],
    MISSING_CHARGE,
    lambda _, row: Contact.of({name: row[name] for name in _CONTACT}),
)


async def update_contact(ctx: Context, charge_id: Id, sent: Mapping[str, Any]) -> ChargeView:
    """The store's charge, with the `sent` name and phone if it is pending."""
    contact = {name: sent[name] for name in _CONTACT if name in sent}
    derive = partial(_if_pending, ctx, contact)
    await ROWS.update(ctx, charge_id, {}, "charge.updated", derive=derive)
    return await find_charge(ctx, WhichCharge(id=charge_id))


def _if_pending(ctx: Context, contact: dict[str, Any], row: Row) -> dict[str, Any]:
    expired = row["held_at"] is None and row["expires_at"] <= ctx.clock.now()
    return contact if row["status"] == ChargeStatus.pending and not expired else {}
