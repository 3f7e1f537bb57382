"""What an engine alone can make of a charge: canceled, refunded; and the EndToEndId that came after the payment.

Each is one conditional update that tells nobody: the catalogue of events has none for these moves (contract section 4).
"""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, func, select, update

from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.charges.mark_paid import LOCK, Payment, proof_of
from gateway.resolvers.charges.redemptions import HOLDING, give_back_uses, retake_uses
from gateway.resolvers.charges.schedule_reconciliation import WHILE_HELD, looking_again
from gateway.resolvers.charges.status import ALLOWED, has_not_lapsed
from gateway.resolvers.context import Context
from gateway.resolvers.moves import sources_of

_C = charges
HOLDABLE = (ChargeStatus.pending.value, ChargeStatus.expired.value)
_id = bindparam("charge_id", type_=_C.c.id.type)
_now = bindparam("now", type_=_C.c.updated_at.type)
_canceled = (
    update(_C)
    # One whose time has passed has expired, whether or not the sweeper came by.
    .where(_C.c.id == _id, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.canceled)), has_not_lapsed(_now))
    .values(status=ChargeStatus.canceled.value, held_at=None, updated_at=_now)
    .returning(_C.c.id, _C.c.coupon_id, _C.c.payment_link_id)
    .cte("canceled")
)
CANCEL = Statement(select(_canceled).add_cte(recording(_canceled).cte("audit")))


def _unless_known(name: str) -> ColumnElement[Any]:
    return func.coalesce(_C.c[name], bindparam(name, type_=_C.c[name].type))


def _unless_paid(name: str) -> ColumnElement[Any]:
    """What a payment has frozen stays, nothing too: a store may have had no document then."""
    return case((_C.c.paid_at.is_not(None), _C.c[name]), else_=bindparam(name, type_=_C.c[name].type))


_refunded = (
    update(_C)
    .where(_C.c.id == _id, _C.c.status.in_(sources_of(ALLOWED, ChargeStatus.refunded)))
    .values(
        {
            "status": ChargeStatus.refunded.value,
            "held_at": None,
            # What was written at the payment stays as it is.
            **{name: _unless_known(name) for name in ("paid_at", "end_to_end_id")},
            **{name: _unless_paid(name) for name in ("store_name", "store_document")},
            "paid_late": _unless_known("paid_at") > _C.c.expires_at,
            "updated_at": bindparam("updated_at", type_=_C.c.updated_at.type),
        }
    )
    .returning(_C.c.id)
    .cte("refunded")
)
REFUND = Statement(select(_refunded.c.id).add_cte(recording(_refunded).cte("audit")))

_held = (
    update(_C)
    .where(_C.c.id == _id, _C.c.status.in_(HOLDABLE), _C.c.held_at.is_(None))
    .values(held_at=_now, updated_at=_now)
    .returning(_C.c.id, _C.c.environment)
    .cte("held")
)
HOLD = Statement(select(_held.c.id).add_cte(recording(_held).cte("audit"), looking_again(_held, "look_at").cte("look")))
_released = (
    update(_C)
    .where(_C.c.id == _id, _C.c.held_at.is_not(None))
    .values(held_at=None, updated_at=_now)
    .returning(_C.c.id)
    .cte("released")
)
RELEASE = Statement(select(_released.c.id).add_cte(recording(_released).cte("audit")))

_proved = (
    update(_C)
    .where(_C.c.id == _id, _C.c.end_to_end_id.is_(None), _C.c.paid_at.is_not(None))
    .values(end_to_end_id=bindparam("end_to_end_id", type_=_C.c.end_to_end_id.type), updated_at=_now)
    .returning(_C.c.id)
    .cte("proved")
)
PROVE = Statement(select(_proved.c.id).add_cte(recording(_proved).cte("audit")))


async def cancel(ctx: Context, row: Row) -> bool:
    """Cancel an unpaid charge that its engine has let go, and give back what it held. False where it isn't pending."""
    async with ctx.database.transaction() as transaction:
        written = _written(ctx, row, "charge.canceled", status={"from": row["stored_status"], "to": "canceled"})
        canceled = await transaction.one(CANCEL, charge_id=row["id"], now=ctx.clock.now(), **written)
        if canceled is not None:
            await give_back_uses(transaction, [canceled])
    return canceled is not None


async def refund(ctx: Context, row: Row, payment: Payment) -> bool:
    """Write that all the money went back; `payment` is what is known of how it came. False where that is written."""
    async with ctx.database.transaction() as transaction:
        before = await transaction.value(LOCK, charge_id=row["id"], holder_id=row["user_id"])
        written = _written(ctx, row, "charge.refunded", status={"from": before, "to": "refunded"})
        values = proof_of(ctx, row, payment)
        refunded = await transaction.value(REFUND, charge_id=row["id"], **values, **written) is not None
        if refunded and before not in HOLDING:
            await retake_uses(transaction, row)
    return refunded


async def hold(ctx: Context, row: Row) -> bool:
    """Write that somebody has paid and that the bank holds the payment back. False where that is written already, or
    the charge has come to an end.
    """
    now = ctx.clock.now()
    written = _written(ctx, row, "charge.held", held_at={"from": None, "to": now.isoformat()})
    look_at = ctx.real_clock.now() + WHILE_HELD
    return await ctx.database.value(HOLD, charge_id=row["id"], now=now, look_at=look_at, **written) is not None


async def release(ctx: Context, row: Row) -> bool:
    """Write that the bank holds nothing back any more, though nothing was paid. False where that is written already."""
    written = _written(ctx, row, "charge.released", held_at={"from": row["held_at"].isoformat(), "to": None})
    return await ctx.database.value(RELEASE, charge_id=row["id"], now=ctx.clock.now(), **written) is not None


async def prove(ctx: Context, row: Row, end_to_end_id: str) -> bool:
    """Fill in an EndToEndId that was missing; one that is there is never written over."""
    written = _written(ctx, row, "charge.proved", end_to_end_id={"from": None, "to": end_to_end_id})
    values = {"charge_id": row["id"], "end_to_end_id": end_to_end_id, "now": ctx.clock.now()}
    return await ctx.database.value(PROVE, **values, **written) is not None


def _written(ctx: Context, row: Row, action: str, **changes: Any) -> dict[str, Any]:
    record = record_of(ctx, action, row["id"], changes=changes, store_id=row["user_id"])
    return record | {"audit_environment": row["environment"]}
