"""Whether a notice about a charge is true, and what follows from it.

A notice is a hint, not a proof: the charge is read again at the engine, and what the engine holds decides
(gateway.resolvers.reconciliation.comparing). In the simulator, which has no bank, a notice with the right token is the
bank speaking and is entered in its books first.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select

from gateway.integrations.engines.notices import PAYMENT_EVENTS
from gateway.integrations.engines.port import Engine, EngineCharge, EngineState, Notice
from gateway.models.base import Environment
from gateway.models.charges import charges, issuances
from gateway.models.database import Row, Statement
from gateway.models.engines import NoticeOutcome
from gateway.models.reconciliation import DifferenceKind
from gateway.resolvers.charges.engine_calls import belongs_to_engine, fetch_from_engine
from gateway.resolvers.charges.mark_paid import BY_ENGINE_ID, BY_ID
from gateway.resolvers.charges.schedule_reconciliation import schedule_check
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.verdicts import Verdict
from gateway.resolvers.reconciliation.bringing import Brought, bring_together, with_proof
from gateway.resolvers.reconciliation.comparing import Move, compare
from gateway.resolvers.reconciliation.differences import EngineSide, open_difference
from gateway.telemetry import log
from gateway.values.ids import is_id

HEEDED: dict[str, DifferenceKind | None] = {
    **dict.fromkeys(PAYMENT_EVENTS),
    "PAYMENT_RECEIVED_IN_CASH_UNDONE": None,
    "PAYMENT_REFUND_DENIED": None,
    "PAYMENT_PARTIALLY_REFUNDED": DifferenceKind.partial_refund,
    "PAYMENT_CHARGEBACK_REQUESTED": DifferenceKind.chargeback,
    "PAYMENT_CHARGEBACK_DISPUTE": DifferenceKind.chargeback,
}
"""The events after which a charge is read at its engine, and what staff is told because no state of ours says it.
Others (created, viewed, overdue) change nothing, and a question would cost a part of the quota.
"""
BELIEVE_AFTER = timedelta(minutes=1)
"""When a charge is looked at again whose payment was told and not found: an engine may tell before it knows."""

_about = select(charges.c.id, charges.c.environment).where(charges.c.id == bindparam("id")).cte("about")
LOOK_AGAIN = Statement(select(_about.c.id).add_cte(schedule_check(_about, "look_at").cte("look")))
BEING_ISSUED = Statement(
    select(issuances.c.charge_id).where(
        issuances.c.charge_id == bindparam("charge_id"), issuances.c.environment == bindparam("environment")
    )
)


async def judge_charge(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Verdict:
    """Verify a notice and bring its charge to where the engine says it is. Raises `EngineError` where it can't be
    verified.
    """
    if notice.kind not in HEEDED:
        return Verdict(NoticeOutcome.ignored, "kind")
    row = await _charge_of(ctx, engine, environment, notice)
    if row is None:
        return await _without_charge(ctx, environment, notice)
    if not belongs_to_engine(engine, row):
        return Verdict(NoticeOutcome.ignored, "another engine's charge", row["id"])
    held = with_proof(await fetch_from_engine(ctx, engine, row), notice.end_to_end_id)
    fault = _mismatch(row, notice, held)
    if fault is not None:
        return await _disbelieve(ctx, engine, notice, row, held, fault)
    brought = await bring_together(ctx, engine, row, held, event=notice.kind)
    await _tell_staff(ctx, notice, row, brought)
    return _verdict(notice, row, brought)


async def _disbelieve(
    ctx: Context, engine: Engine, notice: Notice, row: Row, held: EngineCharge | None, fault: str
) -> Verdict:
    """A payment that is told and isn't so. Nothing becomes paid by this notice, whatever the engine holds; what differs
    is listed, and a later look decides.
    """
    log.error("engine_notice_mismatch", charge_id=row["id"], event_id=notice.event_id, fault=fault)
    if compare(row, held).move in {Move.leave, Move.hold}:
        await bring_together(ctx, engine, row, held, event=notice.kind)
    await ctx.database.run(LOOK_AGAIN, id=row["id"], look_at=ctx.real_clock.now() + BELIEVE_AFTER)
    return Verdict(NoticeOutcome.mismatch, fault, row["id"])


async def _tell_staff(ctx: Context, notice: Notice, row: Row, brought: Brought) -> None:
    """List what no state of ours can say, about a payment that the engine really holds."""
    kind = HEEDED[notice.kind]
    if kind is None or brought.held is None:
        return
    if brought.moved:
        row = (
            await ctx.database.one(BY_ID, id=row["id"], environment=row["environment"], now=ctx.real_clock.now()) or row
        )
    if row["paid_at"] is not None:
        await open_difference(ctx, row, kind, EngineSide(brought.held, notice.kind))


def _verdict(notice: Notice, row: Row, brought: Brought) -> Verdict:
    if brought.moved or HEEDED[notice.kind] is not None:
        return Verdict(NoticeOutcome.applied, None, row["id"])
    if brought.held is None or brought.held.state is not notice.state:
        return Verdict(NoticeOutcome.ignored, "otherwise at the engine", row["id"])
    return Verdict(NoticeOutcome.applied, "already", row["id"])


async def _without_charge(ctx: Context, environment: Environment, notice: Notice) -> Verdict:
    """A bank can be quicker than us: while the charge is being issued, its payment waits."""
    reference = notice.external_reference
    if reference and is_id(reference):
        issuing = await ctx.database.value(BEING_ISSUED, charge_id=reference, environment=environment)
        if issuing is not None:
            return Verdict(NoticeOutcome.received)
    return Verdict(NoticeOutcome.ignored, "unknown charge")


async def _charge_of(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Row | None:
    scope: dict[str, Any] = {"environment": environment, "now": ctx.real_clock.now()}
    reference = notice.external_reference
    if reference and is_id(reference):
        row = await ctx.database.one(BY_ID, **scope, id=reference)
        if row is not None:
            return row
    if notice.engine_id is None:
        return None
    return await ctx.database.one(BY_ENGINE_ID, **scope, engine=engine.name, engine_id=notice.engine_id)


def _mismatch(row: Row, notice: Notice, held: EngineCharge | None) -> str | None:
    """Why a notice of a payment isn't believed. Money that went back had come, so its notice is only late."""
    if notice.state in {EngineState.held, EngineState.refunded}:
        return "amount of the notice" if notice.misstates(row["amount"]) else None
    return _mismatch_of_payment(row, notice, held) if notice.state is EngineState.paid else None


def _mismatch_of_payment(row: Row, notice: Notice, held: EngineCharge | None) -> str | None:
    # The reference alone may name the charge, which the engine has from us; an id beside it may not name another one.
    if notice.engine_id not in {None, row["engine_id"]}:
        return "another charge in the notice"
    if notice.amount != row["amount"]:
        return "amount of the notice"
    if held is None or held.state not in {EngineState.paid, EngineState.refunded}:
        return "not paid at the engine"
    if (held.id, held.external_reference) != (row["engine_id"], row["id"]):
        return "another charge at the engine"
    return None if held.paid_amount == row["amount"] or held.state is EngineState.refunded else "amount at the engine"
