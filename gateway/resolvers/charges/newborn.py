"""A charge that is about to be born: its row, and what a view of it shows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.engines.port import Engine, EngineCharge
from gateway.ids import Id, new_txid
from gateway.models.charges import ChargeStatus, charges
from gateway.resolvers.charges.plan import Plan

STORED = tuple(
    str(column.name) for column in charges.c if column.computed is None
)  # SQLAlchemy's own kind of string is no key of JSON.
_HIDDEN = frozenset({"engine", "engine_id", "billing_cycle", "receiving_account_id"})


def stored(plan: Plan, charge_id: Id, engine: Engine, made: EngineCharge, now: datetime) -> dict[str, Any]:
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


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a view of the row is made of."""
    values = {name: value for name, value in row.items() if name not in _HIDDEN}
    values["net_amount"] = row["amount"] - row["fee_amount"]
    values["under_review"] = row["held_at"] is not None
    return values
