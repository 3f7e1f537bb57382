"""What becomes of a withdrawal in flight: one conditional update wins, and its statement writes all that follows from
it.

A notice, the sweep, the request itself and staff may all learn of the same transfer, in any order and at the same time.
Whoever comes second finds the withdrawal at its end and writes nothing.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import CTE, bindparam, func, select, update

from gateway.integrations.engines.port import EngineTransfer
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import TransferState
from gateway.models.webhooks import EventType
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.core.views import rendered
from gateway.resolvers.mail.facts import WithdrawalRejected
from gateway.resolvers.mail.outbox import Letter, letters_of, queueing
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.withdrawals.pix_keys import mask_key
from gateway.resolvers.withdrawals.states import ALLOWED
from gateway.resolvers.withdrawals.views import WithdrawalView, withdrawal_view
from gateway.telemetry import log

FIRST_LOOK = timedelta(minutes=10)
"""How long the engine's notice is waited for before the engine is asked."""
LONGEST_REASON = 500
FAILED = "O provedor de pagamentos não concluiu a transferência."

_W = withdrawals


class Ending(StrEnum):
    """What one look at a withdrawal came to."""

    moved = "moved"
    unchanged = "unchanged"
    """Somebody else had applied it, or there was nothing new."""
    mismatch = "mismatch"
    """What the engine holds isn't what was ordered, or contradicts an end that was told: an operator must look."""


def _given(name: str) -> Any:
    return bindparam(f"new_{name}", type_=_W.c[name].type)


_mine = _W.c.id == bindparam("withdrawal_id", type_=_W.c.id.type)
_known_id = func.coalesce(_given("engine_id"), _W.c.engine_id)
HOLD = Statement(
    update(_W)
    .where(_mine, _W.c.status == WithdrawalStatus.pending.value)
    .values(
        status=WithdrawalStatus.processing.value,
        engine_id=_given("engine_id"),
        settle_after=_given("settle_after"),
        attempts=0,
    )
)
FIND = Statement(select(_W).where(_mine))


def _ending(target: WithdrawalStatus, *columns: str) -> Statement:
    moved: CTE = (
        update(_W)
        .where(_mine, _W.c.status.in_(sources_of(ALLOWED, target)))
        .values({"status": target.value, "engine_id": _known_id} | {name: _given(name) for name in columns})
        .returning(_W.c.id, _W.c.user_id, _W.c.environment)
        .cte("moved")
    )
    mail = queueing(moved).cte("mail")
    return Statement(select(moved.c.id).add_cte(outbox.emitting(moved), mail, recording(moved).cte("audit")))


COMPLETE = _ending(WithdrawalStatus.completed, "fee_amount", "end_to_end_id", "completed_at")
REJECT = _ending(WithdrawalStatus.rejected, "reject_reason", "rejected_at")


class Proof(Struct, frozen=True):
    """What is known of a transfer that was done; the fee is centavos."""

    engine_id: str | None = None
    end_to_end_id: str | None = None
    fee: int = 0


async def find_withdrawal(executor: Executor, withdrawal_id: str) -> Row | None:
    """The whole row, of whatever store."""
    return await executor.one(FIND, withdrawal_id=withdrawal_id)


async def apply(ctx: Context, row: Row, held: EngineTransfer) -> Ending:
    """Let the withdrawal follow the transfer as it was read at the engine."""
    fault = _mismatch(row, held)
    if fault is not None:
        log.error("withdrawal_mismatch", withdrawal_id=row["id"], engine_id=held.id, fault=fault)
        return Ending.mismatch
    if held.state is TransferState.done:
        moved = await complete(ctx, row, Proof(held.id, held.end_to_end_id, min(held.fee, row["amount"])))
    elif held.state is TransferState.failed:
        moved = await reject(ctx, row, (held.fail_reason or FAILED)[:LONGEST_REASON], engine_id=held.id)
    else:
        moved = await _hold(ctx, row, held)
    return Ending.moved if moved else Ending.unchanged


async def complete(ctx: Context, row: Row, proof: Proof) -> bool:
    """The money has arrived. False where the withdrawal had come to its end before."""
    told = {
        "fee_amount": proof.fee,
        "end_to_end_id": proof.end_to_end_id,
        "completed_at": ctx.real_clock.now(),
    }
    return await _end(ctx, row, COMPLETE, EventType.withdrawal_completed, proof.engine_id, told)


async def reject(ctx: Context, row: Row, reason: str, *, engine_id: str | None = None) -> bool:
    """The money stays, and the store's balance has it again. False where the withdrawal had come to its end before."""
    told = {"reject_reason": reason, "rejected_at": ctx.real_clock.now()}
    return await _end(ctx, row, REJECT, EventType.withdrawal_rejected, engine_id, told)


async def _hold(ctx: Context, row: Row, held: EngineTransfer) -> bool:
    later = ctx.real_clock.now() + FIRST_LOOK
    return await ctx.database.run(HOLD, withdrawal_id=row["id"], new_engine_id=held.id, new_settle_after=later) > 0


async def _end(
    ctx: Context, row: Row, statement: Statement, kind: EventType, engine_id: str | None, told: dict[str, Any]
) -> bool:
    target = WithdrawalStatus.completed if statement is COMPLETE else WithdrawalStatus.rejected
    view = withdrawal_view({**row, "status": target, **told})
    event = outbox.compose(ctx, kind, row["environment"], f"{kind}:{row['id']}", view)
    changes = {"status": {"from": row["status"], "to": target}, **_changed(view, told)}
    values = {
        "withdrawal_id": row["id"],
        "new_engine_id": engine_id,
        **{f"new_{name}": value for name, value in told.items()},
        **event.values(),
        **letters_of(ctx, _letters(row, told)),
        **record_of(ctx, kind.value, row["id"], changes=changes, store_id=row["user_id"]),
        "audit_environment": row["environment"],
    }
    if await ctx.database.value(statement, **values) is None:
        return False
    ctx.services.wake.webhooks()
    return True


def _letters(row: Row, told: Mapping[str, Any]) -> list[Letter]:
    """The holder hears of what came to nothing; of what arrived, their bank tells."""
    if "rejected_at" not in told:
        return []
    facts = WithdrawalRejected(
        withdrawal_id=row["id"],
        environment=row["environment"],
        amount=row["amount"],
        pix_key=mask_key(row["pix_key_type"], row["pix_key"]),
        at=told["rejected_at"],
        reason=told["reject_reason"],
    )
    return [Letter(facts, row["user_id"], row["environment"])]


def _changed(view: WithdrawalView, told: Mapping[str, Any]) -> dict[str, Any]:
    shown = rendered(view)
    return {name: {"from": None, "to": shown[name]} for name in told if shown[name] and not name.endswith("_at")}


def _mismatch(row: Row, held: EngineTransfer) -> str | None:
    if held.external_reference not in {None, row["id"]} or row["engine_id"] not in {None, held.id}:
        return "another transfer at the engine"
    if held.external_reference is None and row["engine_id"] is None:
        return "a transfer without our reference"
    if held.amount != row["amount"]:
        return "amount at the engine"
    if held.fee < 0:
        return "fee at the engine"
    ends = {TransferState.done: WithdrawalStatus.completed, TransferState.failed: WithdrawalStatus.rejected}
    ended = row["status"] in ends.values()
    return "another end at the engine" if ended and ends.get(held.state) != row["status"] else None
