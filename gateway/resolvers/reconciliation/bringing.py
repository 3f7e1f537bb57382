"""Bringing a charge to where its engine says it is: what notices and reconciliation both come to.

No transaction is open while an engine is asked; what follows from its answer is one conditional update each, so two
that bring the same charge at the same time write what one would.
"""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from gateway.integrations.engines.end_to_end_id import is_end_to_end_id
from gateway.integrations.engines.port import Engine, EngineCharge, EngineState
from gateway.models.charges import ChargeStatus
from gateway.models.database import Row
from gateway.models.reconciliation import DifferenceKind
from gateway.resolvers.charges.engine_calls import cancel_at_engine, fetch_from_engine
from gateway.resolvers.charges.mark_paid import Payment, mark_paid
from gateway.resolvers.charges.transitions import (
    mark_canceled,
    mark_held,
    mark_refunded,
    mark_released,
    set_end_to_end_id,
)
from gateway.resolvers.clocks.own import own_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.reconciliation.comparing import FINDINGS, Finding, Move, compare
from gateway.resolvers.reconciliation.differences import EngineSide, close_mended, open_difference

AFTER = {Move.settle: ChargeStatus.paid, Move.cancel: ChargeStatus.canceled, Move.refund: ChargeStatus.refunded}
"""What a charge is after a move that was made, by us or by somebody quicker."""
_RETIRED = FINDINGS[ChargeStatus.expired][EngineState.retired]
_STILL_PAYABLE = Finding(difference=DifferenceKind.payable)


class Brought(Struct, frozen=True):
    """What came of a look: the finding, what the engine held, whether anything was moved, whether an EndToEndId came,
    what is open now, and how many differences were closed.
    """

    finding: Finding
    held: EngineCharge | None
    moved: bool = False
    proved: bool = False
    differs: bool = False
    mended: int = 0


async def bring_together(
    ctx: Context, engine: Engine, row: Row, held: EngineCharge | None, *, event: str | None = None
) -> Brought:
    """Do what follows from what the engine holds, for a row of `payable_columns` read before the engine was asked.
    Raises `EngineError` where the engine is needed once more and doesn't answer.
    """
    finding = compare(row, held)
    if finding.move is Move.retire:
        finding, held = await _retire(ctx, engine, row, held)
    move = MOVES.get(finding.move)
    timed = ctx.timed_by(own_clock(row, ctx.real_clock))
    moved = held is not None and move is not None and await move(timed, row, held)
    proved = held is not None and await _prove(timed, row, held)
    differs = finding.difference is not None and await open_difference(
        ctx, row, finding.difference, EngineSide(held, event)
    )
    mended = await close_mended(ctx, row, finding.difference) if row["differs"] else 0
    return Brought(finding, held, moved, proved, differs, mended)


async def _retire(
    ctx: Context, engine: Engine, row: Row, held: EngineCharge | None
) -> tuple[Finding, EngineCharge | None]:
    """An expired charge that the bank still takes money for. The simulator has no payers who might find an old code,
    and what only we have not written down as expired yet is the sweeper's.
    """
    if not engine.has_bank or row["stored_status"] != ChargeStatus.expired:
        return _RETIRED, held
    await cancel_at_engine(ctx, engine, row)
    held = await fetch_from_engine(ctx, engine, row)
    finding = compare(row, held)
    return (_STILL_PAYABLE if finding.move is Move.retire else finding), held


def payment_of(ctx: Context, held: EngineCharge) -> Payment:
    """The payment as the engine tells it. A bank knows nothing of a clock that a merchant has moved: there,
    it happens when we hear of it.
    """
    told = held.paid_at if ctx.clock is ctx.real_clock else None
    return Payment(told or ctx.clock.now(), held.end_to_end_id)


async def _settle(ctx: Context, row: Row, held: EngineCharge) -> bool:
    return await mark_paid(ctx, row, payment_of(ctx, held))


async def _cancel(ctx: Context, row: Row, _: EngineCharge) -> bool:
    return await mark_canceled(ctx, row)


async def _hold(ctx: Context, row: Row, _: EngineCharge) -> bool:
    return await mark_held(ctx, row)


async def _release(ctx: Context, row: Row, _: EngineCharge) -> bool:
    return await mark_released(ctx, row)


async def _refund(ctx: Context, row: Row, held: EngineCharge) -> bool:
    return await mark_refunded(ctx, row, payment_of(ctx, held))


MOVES: dict[Move, Callable[[Context, Row, EngineCharge], Awaitable[bool]]] = {
    Move.settle: _settle,
    Move.cancel: _cancel,
    Move.hold: _hold,
    Move.release: _release,
    Move.refund: _refund,
}


async def _prove(ctx: Context, row: Row, held: EngineCharge) -> bool:
    """Fill in the EndToEndId of a charge that was paid without."""
    if row["paid_at"] is None or row["end_to_end_id"] is not None or held.end_to_end_id is None:
        return False
    return await set_end_to_end_id(ctx, row, held.end_to_end_id)


def with_proof(held: EngineCharge | None, end_to_end_id: str | None) -> EngineCharge | None:
    """What the engine holds, with the EndToEndId that its notice brought, where the engine itself told none."""
    if held is None or held.end_to_end_id is not None or end_to_end_id is None or not is_end_to_end_id(end_to_end_id):
        return held
    return replace(held, end_to_end_id=end_to_end_id)
