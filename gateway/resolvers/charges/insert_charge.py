"""A charge that is about to be born: its row, and what a view of it shows.

SQL that inserts a charge with its event, deliveries and audit record in one statement (phase 3).

The same statement deletes the issuance, and stores the answer under the caller's `Idempotency-Key`, if there is one.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, insert, or_, select

from gateway.integrations.engines.interface import (
    Engine,
    EngineCharge,
)
from gateway.models.charges import ChargeStatus, charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Statement
from gateway.resolvers.audit.trail import recording
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.core import idempotency
from gateway.resolvers.webhooks import outbox
from gateway.values.ids import Id, new_txid

COLUMNS = tuple(
    str(column.name) for column in charges.c if column.computed is None
)  # SQLAlchemy's own kind of string is no key of JSON.
_HIDDEN = frozenset({"engine", "engine_id", "billing_cycle", "receiving_account_id"})


def row_of(plan: ChargeParams, charge_id: Id, engine: Engine, made: EngineCharge, now: datetime) -> dict[str, Any]:
    """The row of a charge that the engine has made."""
    return {
        "id": charge_id,
        "user_id": plan.store_id,
        "environment": plan.environment,
        "txid": new_txid(charge_id),
        "status": ChargeStatus.pending.value,
        "description": plan.description,
        "amount": plan.amount,
        "original_amount": plan.original_amount,
        "discount_amount": plan.discount_amount,
        "fee_amount": plan.fee_amount,
        "customer_id": plan.customer_id,
        "customer_name": plan.payer.name,
        "customer_email": plan.payer.email,
        "customer_cpf": plan.payer.document,
        "customer_phone": plan.payer.phone,
        "product_id": plan.product_id,
        "coupon_id": plan.coupon_id,
        "coupon_code": plan.coupon_code,
        "subscription_id": plan.subscription_id,
        "billing_cycle": plan.billing_cycle,
        "payment_link_id": plan.payment_link_id,
        "external_reference": plan.external_reference,
        "link_reference": plan.link_reference,
        "metadata": plan.metadata or {},
        "success_url": plan.success_url,
        "cancel_url": plan.cancel_url,
        "expires_at": plan.expires_at,
        "due_date": plan.due_date,
        "pix_code": made.br_code,
        "engine": engine.name,
        "engine_id": made.id,
        "receiving_account_id": plan.receiving_account_id,
        "end_to_end_id": None,
        "held_at": None,
        "paid_at": None,
        "paid_late": False,
        "store_name": None,
        "store_document": None,
        "created_at": now,
        "updated_at": now,
    }


def view_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a view of the row is made of."""
    values = {name: value for name, value in row.items() if name not in _HIDDEN}
    values["net_amount"] = row["amount"] - row["fee_amount"]
    values["under_review"] = row["held_at"] is not None
    return values


_I, _C = issuances, charges
_values = {name: bindparam(name, type_=_C.c[name].type) for name in COLUMNS}
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
        .from_select(list(COLUMNS), select(*values.values()).select_from(settled))
        .returning(_C.c.id, _C.c.user_id, _C.c.environment)
        .cte("inserted")
    )
    charge_id = select(inserted.c.id).scalar_subquery().label("id")
    return select(charge_id, is_mine.label("is_mine")).add_cte(
        outbox.emitting(inserted), recording(inserted).cte("audit"), idempotency.concluding(inserted)
    )


INSERT_CHARGE = Statement(_insert_charge)
"""One row: the charge's `id`, null where its issuance is gone, and whether the caller's key `is_mine` still."""
