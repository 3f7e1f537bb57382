"""Transitions of a withdrawal. Each is one conditional update that also writes its event, email and audit record.

Notifications, the periodic check, the request and staff may all learn of the same transfer concurrently. The first
update wins; the others change nothing.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import CTE, bindparam, func, select, update

from gateway.integrations.engines.interface import Account, EngineTransfer
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import TransferState
from gateway.models.webhooks import EventType
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.audit.audit_log import insert_record_cte, record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.core.views import serialize
from gateway.resolvers.email.outbox import EmailMessage, email_values, insert_emails
from gateway.resolvers.email.payment_templates import WithdrawalRejected
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.withdrawals.pix_keys import mask_key
from gateway.resolvers.withdrawals.types import WithdrawalView, withdrawal_view
from gateway.telemetry import log

ALLOWED: dict[WithdrawalStatus, frozenset[WithdrawalStatus]] = {
    WithdrawalStatus.pending: frozenset(
        {WithdrawalStatus.processing, WithdrawalStatus.completed, WithdrawalStatus.rejected}
    ),
    WithdrawalStatus.processing: frozenset({WithdrawalStatus.completed, WithdrawalStatus.rejected}),
    WithdrawalStatus.completed: frozenset(),
    WithdrawalStatus.rejected: frozenset(),
    WithdrawalStatus.canceled: frozenset(),
}
"""Allowed transitions (contract section 6)."""
FIRST_CHECK_AFTER = timedelta(minutes=10)
"""How long to wait for a notification before the transfer is read at the engine."""
MAX_REASON_LENGTH = 500
FAILED = "O provedor de pagamentos não concluiu a transferência."

_W = withdrawals


class ApplyResult(StrEnum):
    """Result of applying a transfer to its withdrawal."""

    changed = "changed"
    unchanged = "unchanged"
    mismatch = "mismatch"
    """The transfer is not what was ordered, or contradicts a final state: an operator must look."""


class CompletedTransfer(Struct, frozen=True):
    """What is known of a completed transfer; the fee in centavos."""

    engine_id: str | None = None
    end_to_end_id: str | None = None
    fee: int = 0


def _new(name: str) -> Any:
    return bindparam(f"new_{name}", type_=_W.c[name].type)


_by_id = _W.c.id == bindparam("withdrawal_id")
MARK_PROCESSING = Statement(
    update(_W)
    .where(_by_id, _W.c.status == WithdrawalStatus.pending.value)
    .values(
        status=WithdrawalStatus.processing.value,
        engine_id=_new("engine_id"),
        next_attempt_at=_new("next_attempt_at"),
        attempts=0,
    )
)
FIND = Statement(select(_W).where(_by_id))


def _transition(target: WithdrawalStatus, *columns: str) -> Statement:
    values = {name: _new(name) for name in columns}
    changed: CTE = (
        update(_W)
        .where(_by_id, _W.c.status.in_(sources_of(ALLOWED, target)))
        .values({"status": target.value, "engine_id": func.coalesce(_new("engine_id"), _W.c.engine_id)} | values)
        .returning(_W.c.id, _W.c.user_id, _W.c.environment)
        .cte("changed")
    )
    mail = insert_emails(changed).cte("mail")
    return Statement(
        select(changed.c.id).add_cte(outbox.insert_event_and_deliveries(changed), mail, insert_record_cte(changed))
    )


COMPLETE = _transition(WithdrawalStatus.completed, "fee_amount", "end_to_end_id", "completed_at")
REJECT = _transition(WithdrawalStatus.rejected, "reject_reason", "rejected_at")


async def find_withdrawal(executor: Executor, withdrawal_id: str) -> Row | None:
    """The whole row, of any store."""
    return await executor.one(FIND, withdrawal_id=withdrawal_id)


async def fetch_transfer(ctx: Context, row: Row, account: Account | None) -> EngineTransfer | None:
    """Read the transfer at the engine, by its id or else by our reference. `account` is the row's. None where it is not
    found; after a lost response, that proves nothing at a bank. Raises `EngineError`.
    """
    engine = ctx.services.engines.of(row["environment"])
    if row["engine_id"] is not None:
        return await engine.read_transfer(row["engine_id"], account)
    return await engine.find_transfer(row["id"], row["created_at"], account)


async def apply_transfer(ctx: Context, row: Row, transfer: EngineTransfer) -> ApplyResult:
    """Apply the transfer, as read at the engine, to its withdrawal."""
    mismatch = _mismatch(row, transfer)
    if mismatch is not None:
        log.error("withdrawal_mismatch", withdrawal_id=row["id"], engine_id=transfer.id, fault=mismatch)
        return ApplyResult.mismatch
    if transfer.state is TransferState.done:
        completed = CompletedTransfer(transfer.id, transfer.end_to_end_id, min(transfer.fee, row["amount"]))
        changed = await mark_completed(ctx, row, completed)
    elif transfer.state is TransferState.failed:
        reason = (transfer.fail_reason or FAILED)[:MAX_REASON_LENGTH]
        changed = await mark_rejected(ctx, row, reason, engine_id=transfer.id)
    else:
        check_at = ctx.real_clock.now() + FIRST_CHECK_AFTER
        values = {"new_engine_id": transfer.id, "new_next_attempt_at": check_at}
        changed = await ctx.database.run(MARK_PROCESSING, withdrawal_id=row["id"], **values) > 0
    return ApplyResult.changed if changed else ApplyResult.unchanged


async def mark_completed(ctx: Context, row: Row, transfer: CompletedTransfer) -> bool:
    """Mark the withdrawal completed. False where it already has a final state."""
    values = {
        "fee_amount": transfer.fee,
        "end_to_end_id": transfer.end_to_end_id,
        "completed_at": ctx.real_clock.now(),
    }
    return await _finish(ctx, row, EventType.withdrawal_completed, transfer.engine_id, values)


async def mark_rejected(ctx: Context, row: Row, reason: str, *, engine_id: str | None = None) -> bool:
    """Mark the withdrawal rejected, which releases its amount. False where it already has a final state."""
    values = {"reject_reason": reason, "rejected_at": ctx.real_clock.now()}
    return await _finish(ctx, row, EventType.withdrawal_rejected, engine_id, values)


async def _finish(ctx: Context, row: Row, kind: EventType, engine_id: str | None, values: dict[str, Any]) -> bool:
    completed = kind is EventType.withdrawal_completed
    target = WithdrawalStatus.completed if completed else WithdrawalStatus.rejected
    view = withdrawal_view({**row, "status": target, **values})
    event = outbox.compose(ctx, kind, row["environment"], f"{kind}:{row['id']}", view)
    changes = {"status": {"from": row["status"], "to": target}, **_changes(view, values)}
    about = {"store_id": row["user_id"], "environment": row["environment"]}
    params = {
        "withdrawal_id": row["id"],
        "new_engine_id": engine_id,
        **{f"new_{name}": value for name, value in values.items()},
        **event.values(),
        **email_values(ctx, [] if completed else [_rejection_email(ctx, row, values)]),
        **record_of(ctx, kind.value, row["id"], changes=changes, **about),
    }
    if await ctx.database.value(COMPLETE if completed else REJECT, **params) is None:
        return False
    ctx.services.notifier.webhooks()
    return True


def _rejection_email(ctx: Context, row: Row, values: Mapping[str, Any]) -> EmailMessage:
    """The email to the store owner. A completed withdrawal sends none: the owner's bank reports it."""
    data = WithdrawalRejected(
        withdrawal_id=row["id"],
        environment=row["environment"],
        amount=row["amount"],
        pix_key=mask_key(row["pix_key_type"], row["pix_key"]),
        at=values["rejected_at"],
        reason=values["reject_reason"],
        link=ctx.settings.panel_page(f"/saldo/saques/{row['id']}"),
    )
    return EmailMessage(data, row["user_id"], row["environment"])


def _changes(view: WithdrawalView, values: Mapping[str, Any]) -> dict[str, Any]:
    fields = serialize(view)
    return {name: fields[name] for name in values if fields[name] and not name.endswith("_at")}


def _mismatch(row: Row, transfer: EngineTransfer) -> str | None:
    if transfer.external_reference not in {None, row["id"]} or row["engine_id"] not in {None, transfer.id}:
        return "another transfer at the engine"
    if transfer.external_reference is None and row["engine_id"] is None:
        return "a transfer without our reference"
    if transfer.amount != row["amount"]:
        return "amount at the engine"
    if transfer.fee < 0:
        return "fee at the engine"
    final = {TransferState.done: WithdrawalStatus.completed, TransferState.failed: WithdrawalStatus.rejected}
    is_final = row["status"] in final.values()
    return "another end at the engine" if is_final and final.get(transfer.state) != row["status"] else None
