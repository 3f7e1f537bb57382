"""Handle a notification by its subject: a charge, an account or a transfer.

A notification only triggers a read at the engine. What the engine returns decides, so late, repeated and out-of-order
notifications are harmless. The simulator has no bank, so it applies a notification with the right token first.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import BigInteger, bindparam, cast, func, select

from gateway.integrations.engines.end_to_end_id import valid_end_to_end_id
from gateway.integrations.engines.interface import (
    Account,
    Engine,
    EngineCharge,
    EngineState,
    ListsPayments,
    Notification,
    Subject,
)
from gateway.integrations.engines.notifications import PAYMENT_EVENTS
from gateway.models.base import Environment
from gateway.models.charges import charges, issuances
from gateway.models.database import Row, Statement
from gateway.models.engines import NotificationOutcome
from gateway.models.reconciliation import DiscrepancyKind
from gateway.models.refunds import RefundStatus, refunds
from gateway.models.withdrawals import withdrawals
from gateway.resolvers.charges.engine_calls import belongs_to_engine, fetch_from_engine
from gateway.resolvers.charges.mark_paid import BY_ENGINE_ID, BY_ID
from gateway.resolvers.charges.schedule_reconciliation import schedule_check
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import find_account_by_engine_id, load_account
from gateway.resolvers.receiving.approval import refresh_approval
from gateway.resolvers.reconciliation.apply_engine_state import SyncResult, sync_charge
from gateway.resolvers.reconciliation.compare import Action, compare
from gateway.resolvers.reconciliation.discrepancies import EngineEvidence, open_discrepancy, open_unknown_payment
from gateway.resolvers.refunds.recover import settle_refunds
from gateway.resolvers.withdrawals.transitions import ApplyResult, apply_transfer, fetch_transfer
from gateway.telemetry import log
from gateway.values.ids import is_id

CHARGE_EVENTS: dict[str, DiscrepancyKind | None] = {
    **dict.fromkeys(PAYMENT_EVENTS),
    "PAYMENT_RECEIVED_IN_CASH_UNDONE": None,
    "PAYMENT_REFUND_DENIED": None,
    "PAYMENT_PARTIALLY_REFUNDED": DiscrepancyKind.partial_refund,
    "PAYMENT_CHARGEBACK_REQUESTED": DiscrepancyKind.chargeback,
    "PAYMENT_CHARGEBACK_DISPUTE": DiscrepancyKind.chargeback,
}
"""Events that trigger a read of the charge, with the discrepancy to open where no status of ours expresses the event.
Others (created, viewed, overdue) change nothing, and a read would cost quota.
"""
REFUND_EVENTS = {"PAYMENT_REFUNDED", "PAYMENT_PARTIALLY_REFUNDED", "PAYMENT_REFUND_DENIED"}
"""Events after which the store's own refunds in flight are read, too."""
TRUST_AFTER = timedelta(minutes=1)
"""When a charge is checked whose reported payment was not found: an engine may notify before its API is up to date."""

_charge = select(charges.c.id, charges.c.environment).where(charges.c.id == bindparam("id")).cte("charge")
SCHEDULE_CHECK = Statement(select(_charge.c.id).add_cte(schedule_check(_charge)))
_issuing = select(issuances.c.charge_id).where(issuances.c.environment == bindparam("environment"))
BEING_ISSUED = Statement(_issuing.where(issuances.c.charge_id == bindparam("charge_id")))
BEING_ISSUED_AS = Statement(_issuing.where(issuances.c.txid == bindparam("txid")))
ORDERED_REFUNDS = Statement(
    select(cast(func.coalesce(func.sum(refunds.c.amount), 0), BigInteger)).where(
        refunds.c.charge_id == bindparam("charge_id"), refunds.c.status != RefundStatus.rejected.value
    )
)
_W = withdrawals
_scope = (_W.c.engine == bindparam("engine"), _W.c.environment == bindparam("environment"))
WITHDRAWAL_BY_ID = Statement(select(_W).where(_W.c.id == bindparam("id"), *_scope))
WITHDRAWAL_BY_ENGINE_ID = Statement(select(_W).where(_W.c.engine_id == bindparam("engine_id"), *_scope))


class HandlerResult(Struct, frozen=True):
    """How a notification was handled; `detail` is the reason, for an operator."""

    outcome: NotificationOutcome
    detail: str | None = None
    charge_id: str | None = None


async def handle_charge(
    ctx: Context, engine: Engine, environment: Environment, notification: Notification
) -> HandlerResult:
    """Read the charge at the engine and sync it. Raises `EngineError` where it cannot be read now."""
    if notification.kind not in CHARGE_EVENTS:
        return HandlerResult(NotificationOutcome.ignored, "kind")
    row = await _find_charge(ctx, engine, environment, notification)
    if row is None:
        return await _handle_unknown_charge(ctx, engine, environment, notification)
    if not belongs_to_engine(engine, row):
        return HandlerResult(NotificationOutcome.ignored, "another engine's charge", row["id"])
    if notification.kind in REFUND_EVENTS:
        await settle_refunds(ctx, row)
    found = _with_end_to_end_id(await fetch_from_engine(ctx, engine, row), notification.end_to_end_id)
    mismatch = _mismatch(row, notification, found)
    if mismatch is not None:
        return await _reject_mismatch(ctx, engine, notification, row, found, mismatch)
    result = await sync_charge(ctx, engine, row, found, event=notification.kind)
    await _open_reported_discrepancy(ctx, notification, row, result)
    return _result(notification, row, result)


async def _reject_mismatch(
    ctx: Context, engine: Engine, notification: Notification, row: Row, found: EngineCharge | None, mismatch: str
) -> HandlerResult:
    """Handle a reported payment that the engine's record contradicts. It never marks a charge paid: it only records
    discrepancies and schedules a check.
    """
    log.error("engine_notification_mismatch", charge_id=row["id"], event_id=notification.event_id, fault=mismatch)
    if compare(row, found).action in {Action.none, Action.hold}:
        await sync_charge(ctx, engine, row, found, event=notification.kind)
    await ctx.database.run(SCHEDULE_CHECK, id=row["id"], check_at=ctx.real_clock.now() + TRUST_AFTER)
    return HandlerResult(NotificationOutcome.mismatch, mismatch, row["id"])


async def _open_reported_discrepancy(ctx: Context, notification: Notification, row: Row, result: SyncResult) -> None:
    """Open the discrepancy of the event, for a charge that was really paid."""
    kind = CHARGE_EVENTS[notification.kind]
    if kind is None or result.found is None:
        return
    # This sync or a concurrent one may have changed the charge.
    scope = {"environment": row["environment"], "now": ctx.real_clock.now()}
    row = await ctx.database.one(BY_ID, id=row["id"], **scope) or row
    if kind is DiscrepancyKind.partial_refund and await _is_ours(ctx, row, result.found):
        return
    if row["paid_at"] is not None:
        await open_discrepancy(ctx, row, kind, EngineEvidence(result.found, notification.kind))


async def _is_ours(ctx: Context, row: Row, found: EngineCharge) -> bool:
    """Whether the refunds that the store ordered explain a partial refund."""
    ordered = await ctx.database.value(ORDERED_REFUNDS, charge_id=row["id"])
    return bool(ordered and ordered >= (found.refunded_amount or 0))


def _result(notification: Notification, row: Row, result: SyncResult) -> HandlerResult:
    if result.changed or CHARGE_EVENTS[notification.kind] is not None:
        return HandlerResult(NotificationOutcome.applied, None, row["id"])
    if result.found is None or result.found.state is not notification.state:
        return HandlerResult(NotificationOutcome.ignored, "otherwise at the engine", row["id"])
    return HandlerResult(NotificationOutcome.applied, "already", row["id"])


async def _handle_unknown_charge(
    ctx: Context, engine: Engine, environment: Environment, notification: Notification
) -> HandlerResult:
    """A notification may arrive while its charge is still being issued; it then waits. A payment that the engine has
    for no charge of ours is recorded for staff.
    """
    if await _is_being_issued(ctx, environment, notification):
        return HandlerResult(NotificationOutcome.received)
    own = None
    if notification.account_id is not None:
        own = await find_account_by_engine_id(ctx, environment, notification.account_id)
    found = None
    if notification.state is EngineState.paid:
        found = await _read_payment(engine, notification, own.account if own else None)
    if found is None or found.state is not EngineState.paid:
        return HandlerResult(NotificationOutcome.ignored, "unknown charge")
    # The record may name a charge of ours that the notification did not. And an issuance may have ended meanwhile: so
    # charges are read after issuances.
    named = replace(notification, external_reference=found.external_reference or notification.external_reference)
    if await _is_being_issued(ctx, environment, named):
        return HandlerResult(NotificationOutcome.received)
    if await _find_charge(ctx, engine, environment, named) is not None:
        return await handle_charge(ctx, engine, environment, named)
    opened = await open_unknown_payment(ctx, engine, environment, found, notification, own.store_id if own else None)
    return HandlerResult(NotificationOutcome.applied, "unknown payment" if opened else "already")


async def _is_being_issued(ctx: Context, environment: Environment, notification: Notification) -> bool:
    reference, txid = notification.external_reference, notification.txid
    issuing = None
    if reference and is_id(reference):
        issuing = await ctx.database.value(BEING_ISSUED, charge_id=reference, environment=environment)
    elif txid:
        issuing = await ctx.database.value(BEING_ISSUED_AS, txid=txid, environment=environment)
    return issuing is not None


async def _read_payment(engine: Engine, notification: Notification, account: Account | None) -> EngineCharge | None:
    """The reported payment as the engine has it. Raises `EngineError`."""
    if notification.engine_id is None:
        return None
    if not isinstance(engine, ListsPayments):
        found = await engine.read_charge(notification.engine_id, account)
    elif notification.end_to_end_id is not None:
        found = await engine.read_payment(notification.end_to_end_id)
    else:
        return None
    return (
        _with_end_to_end_id(found, notification.end_to_end_id) if found and found.id == notification.engine_id else None
    )


async def _find_charge(
    ctx: Context, engine: Engine, environment: Environment, notification: Notification
) -> Row | None:
    scope: dict[str, Any] = {"environment": environment, "now": ctx.real_clock.now()}
    reference = notification.external_reference
    if reference and is_id(reference):
        row = await ctx.database.one(BY_ID, **scope, id=reference)
        if row is not None:
            return row
    if notification.engine_id is None:
        return None
    return await ctx.database.one(BY_ENGINE_ID, **scope, engine=engine.name, engine_id=notification.engine_id)


def _mismatch(row: Row, notification: Notification, found: EngineCharge | None) -> str | None:
    """How a payment notification contradicts the record. For a refunded charge it is only late."""
    if notification.state in {EngineState.held, EngineState.refunded}:
        return "amount of the notification" if notification.misstates(row["amount"]) else None
    return _mismatch_of_payment(row, notification, found) if notification.state is EngineState.paid else None


def _mismatch_of_payment(row: Row, notification: Notification, found: EngineCharge | None) -> str | None:
    # Our reference identifies the charge. An engine id, if present, must be the same charge's.
    if notification.engine_id not in {None, row["engine_id"]}:
        return "another charge in the notification"
    if notification.amount != row["amount"]:
        return "amount of the notification"
    if found is None or found.state not in {EngineState.paid, EngineState.refunded}:
        return "not paid at the engine"
    if found.id != row["engine_id"] or found.external_reference not in {None, row["id"]}:
        return "another charge at the engine"
    return None if found.paid_amount == row["amount"] or found.state is EngineState.refunded else "amount at the engine"


async def handle_account(
    ctx: Context, _: Engine, environment: Environment, notification: Notification
) -> HandlerResult:
    """Read the account's approval and store it. Raises `EngineError` where it cannot be read now."""
    account_id = notification.account_id
    own = await find_account_by_engine_id(ctx, environment, account_id) if account_id else None
    if own is None:
        # An account that is being opened is read after its key is stored.
        return HandlerResult(NotificationOutcome.ignored, "unknown account")
    await refresh_approval(ctx, own)
    return HandlerResult(NotificationOutcome.applied)


async def handle_transfer(
    ctx: Context, engine: Engine, environment: Environment, notification: Notification
) -> HandlerResult:
    """Read the transfer and apply it to its withdrawal. Transfers that are not ours are ignored. Raises `EngineError`
    where it cannot be read now.
    """
    row = await find_withdrawal_by_transfer(
        ctx, engine, environment, notification.external_reference, notification.engine_id
    )
    if row is None:
        return HandlerResult(NotificationOutcome.ignored, "unknown transfer")
    transfer = await fetch_transfer(ctx, row, await load_account(ctx, row["receiving_account_id"]))
    if transfer is None:
        return HandlerResult(NotificationOutcome.mismatch, "not at the engine")
    if notification.misstates(row["amount"]):
        log.error(
            "engine_notification_mismatch", withdrawal_id=row["id"], event_id=notification.event_id, fault="amount"
        )
        return HandlerResult(NotificationOutcome.mismatch, "amount of the notification")
    result = await apply_transfer(ctx, row, transfer)
    if result is ApplyResult.mismatch:
        return HandlerResult(NotificationOutcome.mismatch, "not what was ordered")
    return HandlerResult(NotificationOutcome.applied, None if result is ApplyResult.changed else "already")


async def find_withdrawal_by_transfer(
    ctx: Context, engine: Engine, environment: Environment, reference: str | None, engine_id: str | None
) -> Row | None:
    """The withdrawal of a transfer: by our reference, or else by the engine's id."""
    scope = {"engine": engine.name, "environment": environment}
    if reference and is_id(reference):
        row = await ctx.database.one(WITHDRAWAL_BY_ID, id=reference, **scope)
        if row is not None:
            return row
    return await ctx.database.one(WITHDRAWAL_BY_ENGINE_ID, engine_id=engine_id, **scope) if engine_id else None


async def ignore(*_: Any) -> HandlerResult:
    """Handle a notification of any other subject: it is stored only."""
    return HandlerResult(NotificationOutcome.ignored, "kind")


HANDLERS: dict[Subject, Callable[[Context, Engine, Environment, Notification], Awaitable[HandlerResult]]] = {
    Subject.charge: handle_charge,
    Subject.account: handle_account,
    Subject.transfer: handle_transfer,
    Subject.other: ignore,
}
"""Each verifies a notification and applies it. They raise `EngineError` where that fails now; it is retried then."""


def _with_end_to_end_id(found: EngineCharge | None, end_to_end_id: str | None) -> EngineCharge | None:
    """The engine's charge, with the EndToEndId of its notification where the engine returned none."""
    if found is None or found.end_to_end_id is not None:
        return found
    return replace(found, end_to_end_id=valid_end_to_end_id(end_to_end_id))
