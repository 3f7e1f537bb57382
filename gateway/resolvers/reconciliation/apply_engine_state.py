"""Sync a charge with its engine's record. Notifications and reconciliation both do this.

No transaction is open during engine calls. Each change is one conditional update, so concurrent syncs are safe.
"""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from gateway.integrations.engines.interface import Engine, EngineCharge, EngineState
from gateway.models.charges import ChargeStatus
from gateway.models.database import Row
from gateway.models.reconciliation import DiscrepancyKind
from gateway.resolvers.charges.engine_calls import cancel_at_engine, fetch_from_engine
from gateway.resolvers.charges.mark_paid import Payment, mark_paid
from gateway.resolvers.charges.transitions import (
    mark_canceled,
    mark_refunded,
    mark_released,
    mark_under_review,
    set_end_to_end_id,
)
from gateway.resolvers.clocks.store_clock import store_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.reconciliation.compare import DECISION_TABLE, Action, Comparison, compare
from gateway.resolvers.reconciliation.discrepancies import EngineEvidence, close_resolved, open_discrepancy

STATUS_AFTER = {
    Action.mark_paid: ChargeStatus.paid,
    Action.mark_canceled: ChargeStatus.canceled,
    Action.mark_refunded: ChargeStatus.refunded,
}
"""The charge's status after an action, whether this process or another one made the change."""


class SyncResult(Struct, frozen=True):
    """What a check found and did. `differs`: a discrepancy is open now. `resolved`: how many were closed."""

    comparison: Comparison
    found: EngineCharge | None
    changed: bool = False
    set_end_to_end_id: bool = False
    differs: bool = False
    resolved: int = 0


async def sync_charge(
    ctx: Context, engine: Engine, row: Row, found: EngineCharge | None, *, event: str | None = None
) -> SyncResult:
    """Apply the engine's state to the charge. `row` has `payable_columns` and was read before the engine call. Raises
    `EngineError` where a second engine call fails.
    """
    comparison = compare(row, found)
    if comparison.action is Action.cancel_at_engine:
        comparison, found = await _cancel_expired(ctx, engine, row, found)
    act = _ACTIONS.get(comparison.action)
    clocked = ctx.timed_by(store_clock(row, ctx.real_clock))
    changed = found is not None and act is not None and await act(clocked, row, found)
    completed = found is not None and await _set_missing_end_to_end_id(clocked, row, found)
    differs = comparison.discrepancy is not None and await open_discrepancy(
        ctx, row, comparison.discrepancy, EngineEvidence(found, event)
    )
    resolved = await close_resolved(ctx, row, comparison.discrepancy) if row["differs"] else 0
    return SyncResult(comparison, found, changed, completed, differs, resolved)


async def _cancel_expired(
    ctx: Context, engine: Engine, row: Row, found: EngineCharge | None
) -> tuple[Comparison, EngineCharge | None]:
    """Cancel an expired charge that the bank still accepts payments for. The simulator has no payers, and a charge that
    is not marked expired yet is left to the expiry job.
    """
    if not engine.has_bank or row["stored_status"] != ChargeStatus.expired:
        return DECISION_TABLE[ChargeStatus.expired][EngineState.retired], found
    await cancel_at_engine(ctx, engine, row)
    found = await fetch_from_engine(ctx, engine, row)
    comparison = compare(row, found)
    if comparison.action is Action.cancel_at_engine:
        comparison = Comparison(discrepancy=DiscrepancyKind.payable)
    return comparison, found


def payment_from(ctx: Context, found: EngineCharge) -> Payment:
    """The payment as the engine reports it. On a test clock it happens now: the bank does not know that clock."""
    paid_at = found.paid_at if ctx.clock is ctx.real_clock else None
    return Payment(paid_at or ctx.clock.now(), found.end_to_end_id)


_ACTIONS: dict[Action, Callable[[Context, Row, EngineCharge], Awaitable[bool]]] = {
    Action.mark_paid: lambda ctx, row, found: mark_paid(ctx, row, payment_from(ctx, found)),
    Action.mark_canceled: lambda ctx, row, _: mark_canceled(ctx, row),
    Action.hold: lambda ctx, row, _: mark_under_review(ctx, row),
    Action.release: lambda ctx, row, _: mark_released(ctx, row),
    Action.mark_refunded: lambda ctx, row, found: mark_refunded(ctx, row, payment_from(ctx, found)),
}


async def _set_missing_end_to_end_id(ctx: Context, row: Row, found: EngineCharge) -> bool:
    if row["paid_at"] is None or row["end_to_end_id"] is not None or found.end_to_end_id is None:
        return False
    return await set_end_to_end_id(ctx, row, found.end_to_end_id)
