"""What to do when a charge has one status here and one state at its engine: a decision table over both.

Notifications only trigger a check. Their order, repetition or loss does not matter: each check syncs the charge with
the engine's record.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from gateway.integrations.engines.interface import EngineCharge, EngineState
from gateway.models.charges import ChargeStatus
from gateway.models.reconciliation import DiscrepancyKind


class Action(StrEnum):
    """What to do with the charge."""

    none = "none"
    mark_paid = "mark_paid"
    mark_canceled = "mark_canceled"
    mark_refunded = "mark_refunded"
    hold = "hold"
    """Record that the bank holds the payment for review, so the charge does not expire."""
    release = "release"
    cancel_at_engine = "cancel_at_engine"


class Comparison(Struct, frozen=True):
    """The action, and the discrepancy that no action resolves."""

    action: Action = Action.none
    discrepancy: DiscrepancyKind | None = None


_AGREED = Comparison()
_PAID = Comparison(Action.mark_paid)
_REFUNDED = Comparison(Action.mark_refunded)
_HELD = Comparison(Action.hold)
_STATUS = Comparison(discrepancy=DiscrepancyKind.status)
_MISSING = Comparison(discrepancy=DiscrepancyKind.missing)
_PAYABLE = Comparison(discrepancy=DiscrepancyKind.payable)

DECISION_TABLE: dict[ChargeStatus, dict[EngineState | None, Comparison]] = {
    ChargeStatus.pending: {
        EngineState.pending: _AGREED,
        EngineState.held: _HELD,
        EngineState.paid: _PAID,
        EngineState.retired: Comparison(Action.mark_canceled),
        EngineState.refunded: _REFUNDED,
        None: _MISSING,
    },
    ChargeStatus.expired: {
        EngineState.pending: Comparison(Action.cancel_at_engine),
        EngineState.held: _HELD,
        EngineState.paid: _PAID,
        EngineState.retired: _AGREED,
        EngineState.refunded: _REFUNDED,
        None: _AGREED,  # It cannot be paid.
    },
    ChargeStatus.canceled: {
        EngineState.pending: _PAYABLE,  # It was restored at the engine on purpose, so staff decides.
        EngineState.held: _PAYABLE,
        EngineState.paid: _PAID,
        EngineState.retired: _AGREED,
        EngineState.refunded: _REFUNDED,
        None: _AGREED,
    },
    ChargeStatus.paid: {
        EngineState.pending: _STATUS,
        EngineState.held: _STATUS,
        EngineState.paid: _AGREED,
        EngineState.retired: _STATUS,
        EngineState.refunded: _REFUNDED,
        None: _MISSING,
    },
    ChargeStatus.refunded: {
        EngineState.pending: _STATUS,
        EngineState.held: _STATUS,
        EngineState.paid: _STATUS,
        EngineState.retired: _STATUS,
        EngineState.refunded: _AGREED,
        None: _MISSING,
    },
}
"""By our status (an overdue charge counts as expired) and the engine's state; None: the engine has no such charge."""


def compare(row: Mapping[str, Any], found: EngineCharge | None) -> Comparison:
    """Compare our charge (`payable_columns`) with the charge that the engine has under its id."""
    if found is not None:
        if found.external_reference not in {None, row["id"]}:
            return Comparison(discrepancy=DiscrepancyKind.mistaken)
        if found.state is EngineState.paid and found.paid_amount != row["amount"]:
            return Comparison(discrepancy=DiscrepancyKind.amount)
        if found.state is EngineState.pending and row["held_at"] is not None:
            return Comparison(Action.release)
    return DECISION_TABLE[ChargeStatus(row["status"])][found.state if found else None]
