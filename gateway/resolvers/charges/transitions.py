"""Transitions that only an engine can cause: canceled, refunded, under review; and a late EndToEndId.

Each is one conditional update and emits no event (contract section 4).
"""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, func, update

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row
from gateway.resolvers.audit.audit_log import record_of, with_record
from gateway.resolvers.charges.mark_paid import LOCK, Payment, payment_values
from gateway.resolvers.charges.redemptions import HOLDING_STATUSES, release_uses, restore_uses
from gateway.resolvers.charges.schedule_reconciliation import CHECK_HELD_AFTER, schedule_check
from gateway.resolvers.charges.status import ALLOWED, has_not_expired
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of

_C = charges
HOLDABLE_STATUSES = (ChargeStatus.pending.value, ChargeStatus.expired.value)
_id = bindparam("charge_id", type_=_C.c.id.type)
_now = bindparam("now", type_=_C.c.updated_at.type)
_canceled = (
    update(_C)
    # An overdue charge has expired, even if the periodic job has not marked it yet.
    .where(_C.c.id == _id, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.canceled)), has_not_expired(_now))
    .values(status=ChargeStatus.canceled.value, held_at=None, updated_at=_now)
    .returning(_C.c.id, _C.c.coupon_id, _C.c.payment_link_id)
    .cte("canceled")
)
MARK_CANCELED = with_record(_canceled)


def _unless_known(name: str) -> ColumnElement[Any]:
    return func.coalesce(_C.c[name], bindparam(name, type_=_C.c[name].type))


def _unless_paid(name: str) -> ColumnElement[Any]:
    """A payment freezes the value, null too: the store may have had no document then."""
    return case((_C.c.paid_at.is_not(None), _C.c[name]), else_=bindparam(name, type_=_C.c[name].type))


_refunded = (
    update(_C)
    .where(_C.c.id == _id, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.refunded)))
    .values(
        {
            "status": ChargeStatus.refunded.value,
            "held_at": None,
            "refunded_amount": _C.c.amount,
            # Values written at the payment stay.
            **{name: _unless_known(name) for name in ("paid_at", "end_to_end_id")},
            **{name: _unless_paid(name) for name in ("store_name", "store_document")},
            "paid_late": _unless_known("paid_at") > _C.c.expires_at,
            **dict.fromkeys(("refunded_at", "updated_at"), bindparam("updated_at")),
        }
    )
    .returning(_C.c.id)
    .cte("refunded")
)
MARK_REFUNDED = with_record(_refunded)

_held = (
    update(_C)
    .where(_C.c.id == _id, _C.c.status.in_(HOLDABLE_STATUSES), _C.c.held_at.is_(None))
    .values(held_at=_now, updated_at=_now)
    .returning(_C.c.id, _C.c.environment)
    .cte("held")
)
MARK_HELD = with_record(_held, schedule_check(_held))
_released = (
    update(_C)
    .where(_C.c.id == _id, _C.c.held_at.is_not(None))
    .values(held_at=None, updated_at=_now)
    .returning(_C.c.id)
    .cte("released")
)
MARK_RELEASED = with_record(_released)

_updated = (
    update(_C)
    .where(_C.c.id == _id, _C.c.end_to_end_id.is_(None), _C.c.paid_at.is_not(None))
    .values(end_to_end_id=bindparam("end_to_end_id"), updated_at=_now)
    .returning(_C.c.id)
    .cte("updated")
)
SET_END_TO_END_ID = with_record(_updated)


async def mark_canceled(ctx: Context, row: Row) -> bool:
    """Mark a charge as canceled by its engine, and release its uses. False if it is not pending."""
    async with ctx.database.transaction() as transaction:
        audit = _audit_values(ctx, row, "charge.canceled", status={"from": row["stored_status"], "to": "canceled"})
        canceled = await transaction.one(MARK_CANCELED, charge_id=row["id"], now=ctx.clock.now(), **audit)
        if canceled is not None:
            await release_uses(transaction, [canceled])
    return canceled is not None


async def mark_refunded(ctx: Context, row: Row, payment: Payment) -> bool:
    """Mark a charge as refunded in full; `payment` is what is known of its payment. False if it is refunded already."""
    async with ctx.database.transaction() as transaction:
        before = await transaction.value(LOCK, charge_id=row["id"], store_id=row["user_id"])
        audit = _audit_values(ctx, row, "charge.refunded", status={"from": before, "to": "refunded"})
        values = payment_values(ctx, row, payment)
        refunded = await transaction.value(MARK_REFUNDED, charge_id=row["id"], **values, **audit) is not None
        if refunded and before not in HOLDING_STATUSES:
            await restore_uses(transaction, row)
    return refunded


async def mark_under_review(ctx: Context, row: Row) -> bool:
    """Mark the payment of a charge as under review at the bank. False if it is marked already, or the charge ended."""
    now = ctx.clock.now()
    audit = _audit_values(ctx, row, "charge.held", held_at=now.isoformat())
    check_at = ctx.real_clock.now() + CHECK_HELD_AFTER
    return await ctx.database.value(MARK_HELD, charge_id=row["id"], now=now, check_at=check_at, **audit) is not None


async def mark_released(ctx: Context, row: Row) -> bool:
    """Mark the review as over, without a payment. False if it is marked already."""
    audit = _audit_values(ctx, row, "charge.released", held_at={"from": row["held_at"].isoformat(), "to": None})
    return await ctx.database.value(MARK_RELEASED, charge_id=row["id"], now=ctx.clock.now(), **audit) is not None


async def set_end_to_end_id(ctx: Context, row: Row, end_to_end_id: str) -> bool:
    """Set a missing EndToEndId; an existing one is never overwritten."""
    audit = _audit_values(ctx, row, "charge.proved", end_to_end_id=end_to_end_id)
    values = {"charge_id": row["id"], "end_to_end_id": end_to_end_id, "now": ctx.clock.now()}
    return await ctx.database.value(SET_END_TO_END_ID, **values, **audit) is not None


def _audit_values(ctx: Context, row: Row, action: str, **changes: Any) -> dict[str, Any]:
    return record_of(ctx, action, row["id"], changes=changes, store_id=row["user_id"], environment=row["environment"])
