"""Schedule a check of a charge at its engine: a row of `charge_reconciliations`, inserted when there is a reason.

A charge that is paid in its first half hour never has one, so neither issuing nor an ordinary payment writes anything
for it. `gateway.resolvers.reconciliation` runs the checks.
"""

from datetime import timedelta

from sqlalchemy import CTE, ColumnElement, bindparam, exists, literal_column, select
from sqlalchemy.dialects.postgresql import Insert, insert

from gateway.models.reconciliation import COMPARABLE_KINDS, charge_reconciliations, reconciliation_discrepancies

CHECK_PAID_AFTER = timedelta(seconds=20)
"""When a bank is first asked for the EndToEndId that it didn't have at the payment. The
payment's mails wait a minute.
"""
CHECK_EXPIRED_AFTER = timedelta(minutes=5)
"""When an expired charge is looked at: the bank has been asked to let it go, or it was paid in its last moment."""
CHECK_HELD_AFTER = timedelta(minutes=30)
"""When a charge is looked at whose payment the bank holds back; then ever more rarely."""

_K, _D = charge_reconciliations, reconciliation_discrepancies


def schedule_check(act: CTE, at: str, *which: ColumnElement[bool]) -> Insert:
    """Have each row of the CTE, which has `id` and `environment`, looked at from the moment bound as `at`, with the
    count of its attempts reset. In the order of their ids, as everybody inserts here: two that each wait for the
    other's rows would be a deadlock.
    """
    when = bindparam(at, type_=_K.c.next_attempt_at.type)
    found = select(act.c.id, act.c.environment, when).where(*which).order_by(act.c.id)
    added = insert(_K).from_select(["charge_id", "environment", "next_attempt_at"], found)
    fresh = {
        "next_attempt_at": added.excluded.next_attempt_at,
        "attempts": literal_column("0"),
        "failures": literal_column("0"),
    }
    return added.on_conflict_do_update(index_elements=["charge_id"], set_=fresh)


def has_open_discrepancy(charge_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether something that a look compares is open about a charge."""
    kinds = [kind.value for kind in COMPARABLE_KINDS]
    return exists().where(_D.c.charge_id == charge_id, _D.c.resolved_at.is_(None), _D.c.kind.in_(kinds))
