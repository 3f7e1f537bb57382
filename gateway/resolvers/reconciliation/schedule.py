"""When a charge is looked at next. The moments are written on its row, so a job that didn't run loses none of them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from gateway.integrations.engines.port import EngineState
from gateway.models.charges import ChargeStatus
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.reconciliation.bringing import AFTER, Brought
from gateway.resolvers.reconciliation.comparing import Move

OLD = timedelta(minutes=30)
"""From this age on, a pending charge is looked at: a notice comes within seconds, and the
engine repeats it for hours.
"""
LONGEST_WAIT = timedelta(days=7)
"""Between two looks at a charge that stays pending, however long."""
LONGEST_WHILE_HELD = timedelta(hours=6)
"""Between two looks at a charge whose payment the bank holds back: it decides within 72 hours."""
PROOF_WAIT = timedelta(seconds=30)
PROOF_TRIES = 8
"""How often an engine is asked for an EndToEndId, a little more than an hour in all. It may never have one."""
WHILE_DIFFERENT = timedelta(minutes=10)
LONGEST_WHILE_DIFFERENT = timedelta(days=1)
FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
_PROVEN = {ChargeStatus.paid, ChargeStatus.refunded}


def next_wait(row: Mapping[str, Any], brought: Brought) -> timedelta | None:
    """How long until the next look after this one; None where nothing is left to look for.
    `looks` doesn't count it yet.
    """
    looks: int = row["looks"] + 1
    status = AFTER.get(brought.finding.move, ChargeStatus(row["status"]))
    if brought.differs:
        return backoff(WHILE_DIFFERENT, LONGEST_WHILE_DIFFERENT, looks)
    if status in _PROVEN and _is_unproven(row, brought):
        return backoff(PROOF_WAIT, LONGEST_WAIT, looks) if looks < PROOF_TRIES else None
    if brought.finding.move is Move.release:
        return FIRST_RETRY
    if brought.finding.move is Move.hold:
        return backoff(OLD, LONGEST_WHILE_HELD, looks + 1)
    if status is ChargeStatus.pending and brought.finding.difference is None:
        # The wait before the first look was OLD already.
        return backoff(OLD, LONGEST_WAIT, looks + 1)
    return None


def is_settled(row: Mapping[str, Any]) -> bool:
    """Whether there is nothing to look for any more, by what we know ourselves."""
    return row["status"] in _PROVEN and row["end_to_end_id"] is not None and not row["differs"]


def retry_wait(failures: int) -> timedelta:
    """How long until a charge is looked at again whose engine didn't answer so often;
    none, where it wasn't even asked.
    """
    return backoff(FIRST_RETRY, LONGEST_RETRY, failures + 1)


def _is_unproven(row: Mapping[str, Any], brought: Brought) -> bool:
    if row["end_to_end_id"] is not None or brought.held is None:
        return False
    return brought.held.end_to_end_id is None and brought.held.state in {EngineState.paid, EngineState.refunded}
