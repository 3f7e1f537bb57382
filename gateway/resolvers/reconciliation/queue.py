"""The queue of charges to check at their engine: which charges enter, how a runner claims them, and when they are next.

A claim is a lease: `next_attempt_at` moves ahead, so the charges of a runner that is killed wait that long. Updates
after a check require the lease, so they never overwrite a newer schedule.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.interface import EngineState
from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Executor, Row, Statement
from gateway.models.reconciliation import charge_reconciliations
from gateway.resolvers.charges.mark_paid import payable_columns
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.context import Context
from gateway.resolvers.reconciliation.apply_engine_state import STATUS_AFTER, SyncResult
from gateway.resolvers.reconciliation.compare import Action

BATCH_SIZE = 50
LEASE = timedelta(minutes=5)
MAX_SCHEDULED = 1000

FIRST_CHECK_AGE = timedelta(minutes=30)
"""Age at which a pending charge is checked: a notification arrives within seconds and is repeated for hours."""
MAX_WAIT = timedelta(days=7)
MAX_WAIT_WHILE_HELD = timedelta(hours=6)
"""For a payment that the bank holds: it decides within 72 hours."""
END_TO_END_ID_WAIT = timedelta(seconds=30)
MAX_END_TO_END_ID_ATTEMPTS = 8
"""Checks for an EndToEndId, over a little more than an hour. The engine may never have one."""
DISCREPANCY_WAIT = timedelta(minutes=10)
MAX_DISCREPANCY_WAIT = timedelta(days=1)
RETRY_WAIT = timedelta(minutes=1)
MAX_RETRY_WAIT = timedelta(hours=1)
_PAID = {ChargeStatus.paid, ChargeStatus.refunded}

_C, _K = charges, charge_reconciliations
_time = _K.c.next_attempt_at.type
_now = bindparam("now", type_=_time)
_is_old = (
    _C.c.status == ChargeStatus.pending.value,
    _C.c.created_at <= bindparam("oldest"),
    ~exists().where(_K.c.charge_id == _C.c.id),
)
_is_due = (_K.c.environment == bindparam("environment"), _K.c.next_attempt_at <= _now)
_old = select(_C.c.id, _C.c.environment).where(*_is_old).limit(bindparam("limit")).cte("old")
_scheduled = (
    insert(_K)
    # Ordered by id like `schedule_check`, to avoid deadlocks.
    .from_select(
        ["charge_id", "environment", "next_attempt_at"],
        select(_old.c.id, _old.c.environment, _now).order_by(_old.c.id),
    )
    .on_conflict_do_nothing()
    .returning(_K.c.charge_id)
    .cte("scheduled")
)
SCHEDULE_OLD = Statement(select(func.count()).select_from(_scheduled))

_due = (
    select(_K.c.charge_id)
    .where(*_is_due)
    .order_by(_K.c.next_attempt_at)
    .limit(BATCH_SIZE)
    .with_for_update(skip_locked=True)
    .cte("due")
)
_claimed = (
    update(_K)
    .where(_K.c.charge_id == _due.c.charge_id)
    .values(next_attempt_at=bindparam("lease"))
    .returning(_K.c.charge_id, _K.c.attempts, _K.c.failures)
    .cte("claimed")
)
CLAIM = Statement(
    select(*payable_columns(), _claimed.c.attempts, _claimed.c.failures)
    .join_from(_claimed, _C, _C.c.id == _claimed.c.charge_id)
    .join(users, users.c.id == _C.c.user_id)
)
_checkable = (
    select(_K.c.charge_id, _K.c.attempts)
    .where(*_is_due)
    .union_all(
        select(_C.c.id, literal_column("0")).where(_C.c.environment == bindparam("environment"), *_is_old),
    )
    .cte("checkable")
)
DRY_RUN = Statement(
    select(*payable_columns(), _checkable.c.attempts)
    .join_from(_checkable, _C, _C.c.id == _checkable.c.charge_id)
    .join(users, users.c.id == _C.c.user_id)
    .where(_C.c.id > bindparam("after"))
    .order_by(_C.c.id)
    .limit(BATCH_SIZE)
)
"""The charges that a run would check, by id. Claims nothing."""
_leased = (_K.c.charge_id == bindparam("charge_id_"), _K.c.next_attempt_at == bindparam("lease"))
POSTPONE = Statement(
    update(_K)
    .where(*_leased)
    .values(
        next_attempt_at=bindparam("later"),
        attempts=bindparam("attempts"),
        failures=bindparam("failures"),
    )
)
REMOVE = Statement(delete(_K).where(*_leased))
RUN_NOW = Statement(update(_K).where(_K.c.next_attempt_at > _now).values(next_attempt_at=_now))


async def schedule_old_charges(ctx: Context) -> int:
    """Add charges that have been pending for long, at most `MAX_SCHEDULED`. Returns how many."""
    now = ctx.real_clock.now()
    count: int = await ctx.database.value(SCHEDULE_OLD, now=now, oldest=now - FIRST_CHECK_AGE, limit=MAX_SCHEDULED)
    return count


async def claim(database: Executor, environment: Environment, now: datetime, lease: datetime) -> list[Row]:
    """Claim due charges, longest due first. Rows have `payable_columns`, `attempts` and `failures`."""
    return await database.all(CLAIM, environment=environment.value, now=now, lease=lease)


def next_wait(row: Mapping[str, Any], result: SyncResult) -> timedelta | None:
    """Time until the next check; None when none is needed. `attempts` does not count this check yet."""
    attempts: int = row["attempts"] + 1
    action = result.comparison.action
    status = STATUS_AFTER.get(action, ChargeStatus(row["status"]))
    if result.differs:
        return backoff(DISCREPANCY_WAIT, MAX_DISCREPANCY_WAIT, attempts)
    if status in _PAID and _lacks_end_to_end_id(row, result):
        return backoff(END_TO_END_ID_WAIT, MAX_WAIT, attempts) if attempts < MAX_END_TO_END_ID_ATTEMPTS else None
    if action is Action.release:
        return RETRY_WAIT
    if action is Action.hold:
        return backoff(FIRST_CHECK_AGE, MAX_WAIT_WHILE_HELD, attempts + 1)
    if status is ChargeStatus.pending and result.comparison.discrepancy is None:
        # The first check already came after FIRST_CHECK_AGE.
        return backoff(FIRST_CHECK_AGE, MAX_WAIT, attempts + 1)
    return None


def is_settled(row: Mapping[str, Any]) -> bool:
    """Whether our own record shows that no check is needed."""
    return row["status"] in _PAID and row["end_to_end_id"] is not None and not row["differs"]


def retry_wait(failures: int) -> timedelta:
    """Time until the next check after this many unanswered ones; 0 when the engine was not called."""
    return backoff(RETRY_WAIT, MAX_RETRY_WAIT, failures + 1)


def _lacks_end_to_end_id(row: Mapping[str, Any], result: SyncResult) -> bool:
    if row["end_to_end_id"] is not None or result.found is None:
        return False
    return result.found.end_to_end_id is None and result.found.state in {EngineState.paid, EngineState.refunded}
