"""pending → paid, once: one conditional update wins, and its statement writes all that follows from it.

A hundred simultaneous notices of one payment run this statement a hundred times; the ninety-nine that find the charge
paid write nothing at all: no event, no delivery, no mail and no audit record.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Text, bindparam, cast, select, update

from gateway.models.accounts import users
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement
from gateway.models.webhooks import EventType
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.charges.payment_emails import OWNER_COLUMNS, payment_emails
from gateway.resolvers.charges.redemptions import HOLDING_STATUSES, restore_uses
from gateway.resolvers.charges.schedule_reconciliation import CHECK_PAID_AFTER, has_open_discrepancy, schedule_check
from gateway.resolvers.charges.status import ALLOWED
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_view
from gateway.resolvers.clocks.own import clock_columns
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.mail.outbox import letters_of, queueing
from gateway.resolvers.webhooks import outbox
from gateway.telemetry import CHARGES_PAID

_C = charges
_PAYMENT_COLUMNS = ("paid_at", "end_to_end_id", "paid_late", "store_name", "store_document", "updated_at")
# The store beside the id, so that a database that is spread over machines knows where to look (docs/scaling.md).
_one = (
    _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
    _C.c.user_id == bindparam("holder_id", type_=_C.c.user_id.type),
)
_paid = (
    update(_C)
    .where(*_one, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.paid)))
    .values(
        {"status": ChargeStatus.paid.value, "held_at": None}
        | {name: bindparam(name, type_=_C.c[name].type) for name in _PAYMENT_COLUMNS}
    )
    .returning(_C.c.id, _C.c.user_id, _C.c.environment)
    .cte("paid")
)
_delivery = outbox.emitting(_paid)
_mail = queueing(_paid).cte("mail")
_audit = recording(_paid).cte("audit")
_has_no_end_to_end_id = cast(bindparam("end_to_end_id", type_=Text()), Text).is_(None)
_check = schedule_check(_paid, "proof_at", _has_no_end_to_end_id).cte("look")
MARK_PAID = Statement(select(_paid.c.id).add_cte(_delivery, _mail, _audit, _check))
LOCK = Statement(select(_C.c.status).where(*_one).with_for_update())

_STORED_COLUMNS = [
    *(_C.c.engine, _C.c.engine_id, _C.c.receiving_account_id),
    *(_C.c.status.label("stored_status"), has_open_discrepancy(_C.c.id).label("differs")),
]
_clock = clock_columns(_C.c.environment)


def payable_columns() -> list[ColumnElement[Any]]:
    """What `settle` and its neighbours need of a charge and of its store's holder (`users`), the clock of the store
    among it; binds `now`.
    """
    return [*charge_columns(), *_STORED_COLUMNS, *OWNER_COLUMNS, *_clock]


_payable = select(*payable_columns()).join_from(_C, users, users.c.id == _C.c.user_id)
BY_ID = Statement(_payable.where(_C.c.id == bindparam("id"), _C.c.environment == bindparam("environment")))
BY_ENGINE_ID = Statement(
    _payable.where(
        _C.c.engine_id == bindparam("engine_id"),
        _C.c.engine == bindparam("engine"),
        _C.c.environment == bindparam("environment"),
    )
)
_SHOWN = {column.name for column in charge_columns()}


class Payment(Struct, frozen=True):
    """A verified payment of a charge."""

    paid_at: datetime
    end_to_end_id: str | None


async def mark_paid(ctx: Context, row: Row, payment: Payment) -> bool:
    """Make the charge of a row of `payable_columns` paid. False where somebody already had."""
    proof = payment_values(ctx, row, payment)
    charge = _view_as_paid(ctx, row, proof)
    event = outbox.compose(ctx, EventType.charge_paid, row["environment"], f"charge.paid:{row['id']}", charge)
    changes = {"status": {"from": row["stored_status"], "to": "paid"}}
    values = {
        "charge_id": row["id"],
        "holder_id": row["user_id"],
        **proof,
        **event.values(),
        **letters_of(ctx, payment_emails(ctx, charge, row)),
        **record_of(ctx, "charge.paid", row["id"], changes=changes, store_id=row["user_id"]),
        "audit_environment": row["environment"],
        "proof_at": ctx.real_clock.now() + CHECK_PAID_AFTER,
    }
    if not await _update(ctx, row, values):
        return False
    CHARGES_PAID.labels(row["environment"]).inc()
    ctx.services.wake.webhooks()
    return True


async def _update(ctx: Context, row: Row, values: dict[str, Any]) -> bool:
    if row["coupon_id"] is None and row["payment_link_id"] is None:
        return await ctx.database.value(MARK_PAID, **values) is not None
    async with ctx.database.transaction() as transaction:
        status = await transaction.value(LOCK, **values)
        won = await transaction.value(MARK_PAID, **values) is not None
        if won and status not in HOLDING_STATUSES:
            await restore_uses(transaction, row)
    return won


def payment_values(ctx: Context, row: Mapping[str, Any], payment: Payment) -> dict[str, Any]:
    """What is written once on a charge whose money has come, with the merchant's name and document as they are now."""
    # Two clocks may differ by a moment: a charge that is paid before it was issued is one that is paid at once.
    paid_at = max(payment.paid_at, row["created_at"])
    # Who paid in time did so, however long the bank held the payment back.
    came_at = min(paid_at, row["held_at"] or paid_at)
    return {
        "paid_at": paid_at,
        "end_to_end_id": payment.end_to_end_id,
        "paid_late": came_at > row["expires_at"],
        "store_name": row["holder_company"] or row["holder_name"],
        "store_document": row["holder_cnpj"],
        "updated_at": ctx.clock.now(),
    }


def _view_as_paid(ctx: Context, row: Mapping[str, Any], proof: dict[str, Any]) -> ChargeView:
    values = {name: value for name, value in row.items() if name in _SHOWN}
    return charge_view(
        ctx.settings, values | proof | {"status": ChargeStatus.paid.value, "under_review": False, "held_at": None}
    )
