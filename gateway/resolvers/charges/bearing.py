"""SQL that inserts a charge with its event, deliveries and audit record in one statement (phase 3, ADR 0005).

The same statement deletes the issuance, and stores the answer under the caller's `Idempotency-Key`, if there is one.
"""

from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, insert, or_, select

from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Statement
from gateway.resolvers import idempotency
from gateway.resolvers.audit.trail import recording
from gateway.resolvers.charges.newborn import STORED
from gateway.resolvers.webhooks import outbox

_I, _C = issuances, charges
_values = {name: bindparam(name, type_=_C.c[name].type) for name in STORED}
# A customer may be deleted while the engine is called. A deletion locks the customer and clears its charges: this lock
# lets the deletion see the charge, or finds no customer.
_customer = (
    select(customers.c.id)
    .where(customers.c.id == _values["customer_id"], customers.c.user_id == _values["user_id"])
    .with_for_update(key_share=True, read=True)
)


def _insert_charge() -> Select[Any]:
    key = idempotency.held()
    is_mine = or_(idempotency.has_no_key, exists(select(key.c.id)))
    settled = (
        delete(_I)
        # A settler that has claimed the issuance may cancel the charge at the engine.
        .where(_I.c.charge_id == _values["id"], _I.c.user_id == _values["user_id"], _I.c.attempts == 0, is_mine)
        .returning(_I.c.charge_id)
        .cte("settled")
    )
    values = _values | {"customer_id": _customer.scalar_subquery()}
    inserted = (
        insert(_C)
        .from_select(list(STORED), select(*values.values()).select_from(settled))
        .returning(_C.c.id, _C.c.user_id, _C.c.environment)
        .cte("inserted")
    )
    charge_id = select(inserted.c.id).scalar_subquery().label("id")
    return select(charge_id, is_mine.label("is_mine")).add_cte(
        outbox.emitting(inserted), recording(inserted).cte("audit"), idempotency.concluding(inserted)
    )


BEAR = Statement(_insert_charge)
"""One row: the charge's `id`, null where its issuance is gone, and whether the caller's key `is_mine` still."""
