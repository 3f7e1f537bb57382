"""Transitions of a refund. Each is one conditional update, so that only one of concurrent calls takes effect.

Notifications, the periodic check and the request may all learn of the same refund concurrently. A completed refund
adds to its charge's `refunded_amount` in the same transaction; at the whole amount the charge is refunded.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, case, select, update

from gateway.integrations.engines.interface import EngineRefund
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement
from gateway.models.engines import TransferState
from gateway.models.refunds import REFUND_IN_FLIGHT, RefundStatus, refunds
from gateway.resolvers.audit.audit_log import RECORD, insert_record_cte, record_of
from gateway.resolvers.charges.mark_paid import BY_ID, LOCK
from gateway.resolvers.charges.payment_emails import sends_receipts_in
from gateway.resolvers.clocks.store_clock import store_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.email.outbox import EmailMessage, Recipient, email_values, insert_emails
from gateway.resolvers.email.payment_templates import PayerRefund, RefundRejected
from gateway.telemetry import log
from gateway.values.money import reais_from_centavos

ALLOWED: dict[RefundStatus, frozenset[RefundStatus]] = {
    RefundStatus.pending: frozenset({RefundStatus.processing, RefundStatus.completed, RefundStatus.rejected}),
    RefundStatus.processing: frozenset({RefundStatus.completed, RefundStatus.rejected}),
    RefundStatus.completed: frozenset(),
    RefundStatus.rejected: frozenset(),
}
"""Allowed transitions (contract section 8)."""
FIRST_CHECK_AFTER = timedelta(minutes=1)
"""How long to wait for a notification before the refund is read at the engine."""
MAX_REASON_LENGTH = 500
FAILED = "O provedor de pagamentos não concluiu a devolução."

_R, _C = refunds, charges
_by_id = _R.c.id == bindparam("refund_id")


def _new(name: str) -> Any:
    return bindparam(f"new_{name}", type_=_R.c[name].type)


MARK_PROCESSING = Statement(
    update(_R)
    .where(_by_id, _R.c.status == RefundStatus.pending.value)
    .values(status=RefundStatus.processing.value, next_attempt_at=_new("next_attempt_at"), attempts=0)
)


def _end(target: RefundStatus, *columns: str) -> Statement:
    ended = (
        update(_R)
        .where(_by_id, _R.c.status.in_(sources_of(ALLOWED, target)))
        .values({"status": target.value} | {name: _new(name) for name in columns})
        .returning(_R.c.id, _R.c.user_id, _R.c.environment)
        .cte("ended")
    )
    return Statement(select(ended.c.id).add_cte(insert_emails(ended).cte("mail"), insert_record_cte(ended)))


COMPLETE = _end(RefundStatus.completed, "return_id", "completed_at")
REJECT = _end(RefundStatus.rejected, "reject_reason", "rejected_at")
_total = _C.c.refunded_amount + bindparam("amount")
_now = bindparam("now", type_=_C.c.updated_at.type)
ADD_TO_CHARGE = Statement(
    update(_C)
    # The engine may have reported first that all was refunded.
    .where(_C.c.id == bindparam("charge_id"), _C.c.status == ChargeStatus.paid.value)
    .values(
        refunded_amount=_total,
        status=case((_total == _C.c.amount, ChargeStatus.refunded.value), else_=_C.c.status),
        refunded_at=case((_total == _C.c.amount, _now), else_=None),
        updated_at=_now,
    )
    .returning(_C.c.refunded_amount, _C.c.status)
)
FIND = Statement(select(_R).where(_by_id))
IN_FLIGHT_OF_CHARGE = Statement(
    select(_R).where(_R.c.charge_id == bindparam("charge_id"), _R.c.status.in_(REFUND_IN_FLIGHT))
)


async def load_charge(ctx: Context, row: Row) -> Row:
    """The refund's charge, with `payable_columns`."""
    charge = await ctx.database.one(
        BY_ID, id=row["charge_id"], environment=row["environment"], now=ctx.real_clock.now()
    )
    assert charge is not None, "charges are never deleted"
    return charge


async def apply_refund(ctx: Context, row: Row, charge: Row, found: EngineRefund) -> bool:
    """Apply the refund, as read at the engine. Returns whether it changed ours. `charge` is from `load_charge`."""
    if found.external_reference != row["id"] or found.amount != row["amount"]:
        log.error("refund_mismatch", refund_id=row["id"], amount=row["amount"], engine_amount=found.amount)
        return False
    clocked = ctx.timed_by(store_clock(charge, ctx.real_clock))
    if found.state is TransferState.done:
        return await _mark_completed(clocked, row, charge, found.return_id)
    if found.state is TransferState.failed:
        return await mark_rejected(clocked, row, charge, (found.fail_reason or FAILED)[:MAX_REASON_LENGTH])
    check_at = ctx.real_clock.now() + FIRST_CHECK_AFTER
    return await ctx.database.run(MARK_PROCESSING, refund_id=row["id"], new_next_attempt_at=check_at) > 0


async def _mark_completed(ctx: Context, row: Row, charge: Row, return_id: str | None) -> bool:
    now = ctx.clock.now()
    changes = {"status": {"from": row["status"], "to": "completed"}, "return_id": return_id}
    async with ctx.database.transaction() as transaction:
        await transaction.value(LOCK, charge_id=charge["id"], store_id=charge["user_id"])
        ended = await transaction.value(
            COMPLETE,
            refund_id=row["id"],
            new_return_id=return_id,
            new_completed_at=now,
            **email_values(ctx, _payer_email(ctx, row, charge)),
            **_audit(ctx, "refund.completed", row["id"], row, changes),
        )
        if ended is None:
            return False
        after = await transaction.one(ADD_TO_CHARGE, charge_id=charge["id"], amount=row["amount"], now=now)
        if after is not None:
            refunded = reais_from_centavos(after["refunded_amount"])
            about_charge = {"status": {"from": "paid", "to": after["status"]}, "refunded_amount": refunded}
            await transaction.run(RECORD, **_audit(ctx, "charge.refunded", charge["id"], row, about_charge))
    return True


async def mark_rejected(ctx: Context, row: Row, charge: Row, reason: str) -> bool:
    """Mark the refund rejected, which releases its amount. False where it has ended already."""
    changes = {"status": {"from": row["status"], "to": "rejected"}, "reject_reason": reason}
    rejected = await ctx.database.value(
        REJECT,
        refund_id=row["id"],
        new_reject_reason=reason,
        new_rejected_at=ctx.clock.now(),
        **email_values(ctx, [_rejection_email(ctx, row, charge, reason)]),
        **_audit(ctx, "refund.rejected", row["id"], row, changes),
    )
    return rejected is not None


def _audit(ctx: Context, action: str, resource_id: str, row: Row, changes: dict[str, Any]) -> dict[str, Any]:
    about = {"store_id": row["user_id"], "environment": row["environment"]}
    return record_of(ctx, action, resource_id, changes=changes, **about)


def _payer_email(ctx: Context, row: Row, charge: Row) -> list[EmailMessage]:
    """The payer's notice, where payers get receipts."""
    if not (charge["owner_wants_receipts"] and charge["customer_email"] and sends_receipts_in(ctx, row["environment"])):
        return []
    data = PayerRefund(
        refund_id=row["id"],
        environment=row["environment"],
        amount=row["amount"],
        paid_amount=charge["amount"],
        reason=row["reason"],
        at=ctx.clock.now(),
        store_name=charge["store_name"] or charge["owner_company"] or charge["owner_name"],
        store_email=charge["owner_email"],
        description=charge["description"],
        end_to_end_id=charge["end_to_end_id"],
        receipt_url=f"{ctx.settings.public_checkout_url}/pay/c/{charge['txid']}",
    )
    to = Recipient(charge["customer_email"], charge["customer_name"])
    return [EmailMessage(data, row["user_id"], row["environment"], to)]


def _rejection_email(ctx: Context, row: Row, charge: Row, reason: str) -> EmailMessage:
    data = RefundRejected(
        refund_id=row["id"],
        charge_id=charge["id"],
        environment=row["environment"],
        amount=row["amount"],
        at=ctx.clock.now(),
        customer_name=charge["customer_name"],
        reason=reason,
        link=ctx.settings.panel_page(f"/cobrancas/{charge['id']}"),
    )
    return EmailMessage(data, row["user_id"], row["environment"])
