"""Schedule a check of a charge at its engine: a row of `charge_reconciliations`.

A charge that is paid within half an hour never has one, so neither issuing nor an ordinary payment writes one. The
checks themselves run in `gateway.resolvers.reconciliation`.
"""

from datetime import timedelta

from sqlalchemy import CTE, ColumnElement, bindparam, exists, literal_column, select
from sqlalchemy.dialects.postgresql import insert

from gateway.models.reconciliation import COMPARABLE_KINDS, charge_reconciliations, reconciliation_discrepancies

CHECK_PAID_AFTER = timedelta(seconds=20)
"""First check for an EndToEndId that was missing at the payment. The payment's emails wait a minute."""
CHECK_EXPIRED_AFTER = timedelta(minutes=5)
"""Check of an expired charge: a cancellation was sent to the bank, or it was paid just before it expired."""
CHECK_HELD_AFTER = timedelta(minutes=30)
"""First check of a charge whose payment is under review; then with back-off."""

_K, _D = charge_reconciliations, reconciliation_discrepancies


def schedule_check(act: CTE, *which: ColumnElement[bool]) -> CTE:
    """Schedule a check of each row of `act`, which has `id` and `environment`, at the bound `check_at`. The count of
    checks restarts. Rows are inserted in the order of their ids, so that two transactions cannot deadlock.
    """
    when = bindparam("check_at", type_=_K.c.next_attempt_at.type)
    found = select(act.c.id, act.c.environment, when).where(*which).order_by(act.c.id)
    added = insert(_K).from_select(["charge_id", "environment", "next_attempt_at"], found)
    fresh = {
        "next_attempt_at": added.excluded.next_attempt_at,
        "attempts": literal_column("0"),
        "failures": literal_column("0"),
    }
    return added.on_conflict_do_update(index_elements=["charge_id"], set_=fresh).cte("check")


def has_open_discrepancy(charge_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a charge has an open discrepancy of a kind that a check compares."""
    kinds = [kind.value for kind in COMPARABLE_KINDS]
    return exists().where(_D.c.charge_id == charge_id, _D.c.resolved_at.is_(None), _D.c.kind.in_(kinds))
