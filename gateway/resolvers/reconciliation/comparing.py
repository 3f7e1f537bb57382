"""What follows where a charge stands so here and so at its engine: a table, total over both.

An engine is asked, never believed on a notice's word, so it doesn't matter in which order its notices come, how often
or whether at all: whoever asks last brings the charge to where the engine says it is.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from gateway.integrations.engines.port import EngineCharge, EngineState
from gateway.models.charges import ChargeStatus
from gateway.models.reconciliation import DifferenceKind


class Move(StrEnum):
    """What we do about it."""

    leave = "leave"
    settle = "settle"
    cancel = "cancel"
    refund = "refund"
    hold = "hold"
    """Note that the bank holds the payment back: the charge doesn't expire."""
    release = "release"
    retire = "retire"
    """Ask the engine once more to let the charge go."""


class Finding(Struct, frozen=True):
    """What is to be done, and what differs that we can't mend."""

    move: Move = Move.leave
    difference: DifferenceKind | None = None


_AGREED = Finding()
_PAID = Finding(Move.settle)
_REFUNDED = Finding(Move.refund)
_STATUS = Finding(difference=DifferenceKind.status)
_MISSING = Finding(difference=DifferenceKind.missing)
_PAYABLE = Finding(difference=DifferenceKind.payable)
_HELD = Finding(Move.hold)
_RELEASED = Finding(Move.release)

FINDINGS: dict[ChargeStatus, dict[EngineState | None, Finding]] = {
    ChargeStatus.pending: {
        EngineState.pending: _AGREED,
        EngineState.held: _HELD,
        EngineState.paid: _PAID,
        EngineState.retired: Finding(Move.cancel),
        EngineState.refunded: _REFUNDED,
        None: _MISSING,
    },
    ChargeStatus.expired: {
        EngineState.pending: Finding(Move.retire),
        EngineState.held: _HELD,
        EngineState.paid: _PAID,
        EngineState.retired: _AGREED,
        EngineState.refunded: _REFUNDED,
        None: _AGREED,  # Nobody can pay it.
    },
    ChargeStatus.canceled: {
        EngineState.pending: _PAYABLE,  # Somebody restored it there, and must have had a reason.
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
"""By our status (an overdue charge counts as expired) and the engine's; None is an engine that has no such charge."""


def compare(row: Mapping[str, Any], held: EngineCharge | None) -> Finding:
    """What follows for a charge of ours (`payable_columns`) and what its engine has under its id."""
    if held is not None and held.external_reference != row["id"]:
        return Finding(difference=DifferenceKind.mistaken)
    if held is not None and held.state is EngineState.paid and held.paid_amount != row["amount"]:
        return Finding(difference=DifferenceKind.amount)
    if held is not None and held.state is EngineState.pending and row["held_at"] is not None:
        return _RELEASED
    return FINDINGS[ChargeStatus(row["status"])][held.state if held else None]
