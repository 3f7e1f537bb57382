"""Mark a charge as paid, once: one conditional update with its event, deliveries, emails and audit record.

A hundred concurrent notifications of one payment run this statement a hundred times. One writes; the others find the
charge paid and write nothing.
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
from gateway.resolvers.audit.audit_log import insert_record_cte, record_of
from gateway.resolvers.charges.payment_emails import OWNER_COLUMNS, payment_emails
from gateway.resolvers.charges.redemptions import HOLDING_STATUSES, restore_uses
from gateway.resolvers.charges.schedule_reconciliation import CHECK_PAID_AFTER, has_open_discrepancy, schedule_check
from gateway.resolvers.charges.status import ALLOWED
from gateway.resolvers.charges.views import ChargeView, charge_columns, charge_view
from gateway.resolvers.clocks.store_clock import clock_columns
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.email.outbox import email_values, insert_emails
from gateway.resolvers.webhooks import outbox
from gateway.telemetry import CHARGES_PAID

_C = charges
_PAYMENT_COLUMNS = ("paid_at", "end_to_end_id", "paid_late", "store_name", "store_document", "updated_at")
# With the store, so that a sharded database finds the node (docs/scaling.md).
_one = (
    _C.c.id == bindparam("charge_id"),
    _C.c.user_id == bindparam("store_id"),
)
_paid = (
    update(_C)
    .where(*_one, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.paid)))
    .values({"status": ChargeStatus.paid.value, "held_at": None} | {name: bindparam(name) for name in _PAYMENT_COLUMNS})
    .returning(_C.c.id, _C.c.user_id, _C.c.environment)
    .cte("paid")
)
_delivery = outbox.insert_event_and_deliveries(_paid)
_mail = insert_emails(_paid).cte("mail")
_audit = insert_record_cte(_paid)
_has_no_end_to_end_id = cast(bindparam("end_to_end_id", type_=Text()), Text).is_(None)
_check = schedule_check(_paid, _has_no_end_to_end_id)
MARK_PAID = Statement(select(_paid.c.id).add_cte(_delivery, _mail, _audit, _check))
LOCK = Statement(select(_C.c.status).where(*_one).with_for_update())

_STORED_COLUMNS = [
    *(_C.c.engine, _C.c.engine_id, _C.c.receiving_account_id),
    *(_C.c.status.label("stored_status"), has_open_discrepancy(_C.c.id).label("differs")),
]
_clock = clock_columns(_C.c.environment)


def payable_columns() -> list[ColumnElement[Any]]:
    """The columns that `mark_paid` and `transitions` need of a charge, its store owner (`users`) and the store's clock;
    binds `now`.
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


class Payment(Struct, frozen=True):
    """A verified payment of a charge."""

    paid_at: datetime
    end_to_end_id: str | None


async def mark_paid(ctx: Context, row: Row, payment: Payment) -> bool:
    """Mark the charge of a row of `payable_columns` as paid. False if it is paid already."""
    payment_columns = payment_values(ctx, row, payment)
    charge = _view_as_paid(ctx, row, payment_columns)
    event = outbox.compose(ctx, EventType.charge_paid, row["environment"], f"charge.paid:{row['id']}", charge)
    changes = {"status": {"from": row["stored_status"], "to": "paid"}}
    audit = record_of(
        ctx, "charge.paid", row["id"], changes=changes, store_id=row["user_id"], environment=row["environment"]
    )
    values = {
        "charge_id": row["id"],
        "store_id": row["user_id"],
        **payment_columns,
        **event.values(),
        **email_values(ctx, payment_emails(ctx, charge, row)),
        **audit,
        "check_at": ctx.real_clock.now() + CHECK_PAID_AFTER,
    }
    if not await _update(ctx, row, values):
        return False
    CHARGES_PAID.labels(row["environment"]).inc()
    ctx.services.notifier.webhooks()
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
    """The columns that a payment sets once, with the store's current name and document."""
    # Two clocks may differ: a payment before the issue counts as one at the issue.
    paid_at = max(payment.paid_at, row["created_at"])
    # A payment in time stays in time, however long the bank reviewed it.
    received_at = min(paid_at, row["held_at"] or paid_at)
    return {
        "paid_at": paid_at,
        "end_to_end_id": payment.end_to_end_id,
        "paid_late": received_at > row["expires_at"],
        "store_name": row["owner_company"] or row["owner_name"],
        "store_document": row["owner_cnpj"],
        "updated_at": ctx.clock.now(),
    }


def _view_as_paid(ctx: Context, row: Mapping[str, Any], payment_columns: dict[str, Any]) -> ChargeView:
    as_paid = {"status": ChargeStatus.paid.value, "under_review": False, "held_at": None}
    return charge_view(ctx.settings, {**row, **payment_columns, **as_paid})
