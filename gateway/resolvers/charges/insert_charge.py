"""Phase 3 of creating a charge: one statement inserts it with its event, deliveries and audit record (ADR 0005).

The same statement deletes the issuance, and stores the answer under the caller's `Idempotency-Key`, if there is one.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Select, bindparam, delete, exists, insert, or_, select

from gateway.errors import EngineFailed
from gateway.integrations.engines.interface import Engine, EngineCharge
from gateway.models.charges import ChargeStatus, charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Row, Statement, Transaction
from gateway.models.webhooks import EventType
from gateway.resolvers.audit.audit_log import insert_record_cte, record_of
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.reserve import Issuance
from gateway.resolvers.charges.views import ChargeView, charge_view
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import serialize
from gateway.resolvers.webhooks import outbox
from gateway.settings import Settings
from gateway.values.ids import Id

AfterInsert: TypeAlias = Callable[[Transaction, ChargeView], Awaitable[None]]
_NOT_NEW = {"refunded_at", "refunded_amount"}
COLUMNS = tuple(str(column.name) for column in charges.c if column.computed is None and column.name not in _NOT_NEW)
"""Plain strings, because SQLAlchemy's own string type is no JSON key."""
_COPIED = (
    *("environment", "description", "amount", "original_amount", "discount_amount", "fee_amount", "customer_id"),
    *("product_id", "coupon_id", "coupon_code", "subscription_id", "billing_cycle", "payment_link_id"),
    *("external_reference", "link_reference", "success_url", "cancel_url", "expires_at", "due_date"),
    "receiving_account_id",
)
"""The columns that have the names of `ChargeParams`."""

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
    key = idempotency.lock_key()
    is_mine = or_(idempotency.has_no_key, exists(select(key.c.id)))
    issuance = (
        delete(_I)
        # `attempts`: once the recovery has claimed the issuance, it may cancel the charge at the engine.
        .where(_I.c.charge_id == _values["id"], _I.c.user_id == _values["user_id"], _I.c.attempts == 0, is_mine)
        .returning(_I.c.charge_id)
        .cte("issuance")
    )
    values = _values | {"customer_id": _customer.scalar_subquery()}
    inserted = (
        insert(_C)
        .from_select(list(COLUMNS), select(*values.values()).select_from(issuance))
        .returning(_C.c.id, _C.c.user_id, _C.c.environment)
        .cte("inserted")
    )
    charge_id = select(inserted.c.id).scalar_subquery().label("id")
    return select(charge_id, is_mine.label("is_mine")).add_cte(
        outbox.insert_event_and_deliveries(inserted),
        insert_record_cte(inserted),
        idempotency.store_response(inserted),
    )


INSERT_CHARGE = Statement(_insert_charge)
"""One row: the charge's `id`, null if its issuance is gone, and whether the key `is_mine` still."""


async def insert_charge(
    ctx: Context,
    issuance: Issuance,
    engine: Engine,
    engine_charge: EngineCharge,
    then: AfterInsert | None = None,
) -> ChargeView:
    """Insert `engine_charge`; `then` runs in the same transaction. Raises `EngineFailed` if the issuance is gone, and
    `LeaseLost` if the idempotency key is.
    """
    charge_id = issuance.charge_id
    row = charge_row(issuance.params, charge_id, issuance.txid, engine, engine_charge, ctx.clock.now())
    charge = new_charge_view(ctx.settings, row)
    # Without a subscribed endpoint, the event's QR image is skipped.
    data = serialize(charge, computed=issuance.has_subscribers)
    event = outbox.compose(
        ctx,
        EventType.charge_created,
        charge.environment,
        f"charge.created:{charge_id}",
        data,
        has_subscribers=issuance.has_subscribers,
    )
    values = {
        **row,
        **event.values(),
        **record_of(ctx, "charge.created", charge_id, store_id=charge.user_id, environment=charge.environment),
        **idempotency.response_values(ctx, charge),
    }
    if then is None:
        _ensure_inserted(await ctx.database.single(INSERT_CHARGE, **values))
        return charge
    async with ctx.database.transaction() as transaction:
        _ensure_inserted(await transaction.single(INSERT_CHARGE, **values))
        await then(transaction, charge)
    return charge


def _ensure_inserted(row: Row) -> None:
    if not row["is_mine"]:
        raise idempotency.LeaseLost
    if row["id"] is None:
        raise EngineFailed


def charge_row(
    params: ChargeParams, charge_id: Id, txid: str, engine: Engine, engine_charge: EngineCharge, now: datetime
) -> dict[str, Any]:
    """The row of a charge that the engine has made."""
    return {
        "id": charge_id,
        "user_id": params.store_id,
        "txid": txid,
        "status": ChargeStatus.pending.value,
        **{name: getattr(params, name) for name in _COPIED},
        "customer_name": params.payer.name,
        "customer_email": params.payer.email,
        "customer_cpf": params.payer.document,
        "customer_phone": params.payer.phone,
        "metadata": params.metadata or {},
        "pix_code": engine_charge.br_code,
        "engine": engine.name,
        "engine_id": engine_charge.id,
        **dict.fromkeys(("end_to_end_id", "held_at", "paid_at", "store_name", "store_document")),
        "paid_late": False,
        "created_at": now,
        "updated_at": now,
    }


def new_charge_view(settings: Settings, row: Mapping[str, Any]) -> ChargeView:
    """The view of a row that is about to be inserted."""
    net_amount = row["amount"] - row["fee_amount"]
    return charge_view(settings, {**row, "net_amount": net_amount, "under_review": False, "refunded_amount": 0})
