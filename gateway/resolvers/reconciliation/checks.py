"""The rows of charges to look at: who gets one because of age, how a runner claims some, and what it writes back.

A claim is a lease: `next_at` moves ahead, and whoever is killed has only made its charges wait for that long.
What is written back is fenced by the lease, so a runner that was frozen, or a payment that wants the charge
looked at sooner, is not undone.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, delete, exists, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Executor, Row, Statement
from gateway.models.reconciliation import charge_checks
from gateway.resolvers.charges.mark_paid import payable_columns

BATCH = 50
LEASE = timedelta(minutes=5)
ENROLLED_AT_ONCE = 1000

_C, _K = charges, charge_checks
_moment = _K.c.next_at.type


def _is_old() -> tuple[ColumnElement[bool], ...]:
    """Charges that have been pending for long."""
    return _C.c.status == ChargeStatus.pending.value, _C.c.created_at <= bindparam("oldest", type_=_moment)


_old = (
    select(_C.c.id, _C.c.environment)
    .where(*_is_old(), ~exists().where(_K.c.charge_id == _C.c.id))
    .limit(bindparam("most"))
    .cte("old")
)
_enrolled = (
    insert(_K)
    # In the order of ids, as `looking_again` does it.
    .from_select(
        ["charge_id", "environment", "next_at"],
        select(_old.c.id, _old.c.environment, bindparam("now", type_=_moment)).order_by(_old.c.id),
    )
    .on_conflict_do_nothing()
    .returning(_K.c.charge_id)
    .cte("enrolled")
)
ENROL = Statement(select(func.count()).select_from(_enrolled))

_due = (
    select(_K.c.charge_id)
    .where(_K.c.environment == bindparam("environment"), _K.c.next_at <= bindparam("now", type_=_moment))
    .order_by(_K.c.next_at)
    .limit(bindparam("room"))
)
_locked = _due.with_for_update(skip_locked=True).cte("due")
_claimed = (
    update(_K)
    .where(_K.c.charge_id == _locked.c.charge_id)
    .values(next_at=bindparam("lease", type_=_moment))
    .returning(_K.c.charge_id, _K.c.looks, _K.c.failures)
    .cte("claimed")
)
CLAIM = Statement(
    select(*payable_columns(), _claimed.c.looks, _claimed.c.failures)
    .join_from(_claimed, _C, _C.c.id == _claimed.c.charge_id)
    .join(users, users.c.id == _C.c.user_id)
)


_looked_at = (
    select(_K.c.charge_id, _K.c.looks)
    .where(_K.c.environment == bindparam("environment"), _K.c.next_at <= bindparam("now", type_=_moment))
    .union_all(
        select(_C.c.id, literal_column("0")).where(
            _C.c.environment == bindparam("environment"), *_is_old(), ~exists().where(_K.c.charge_id == _C.c.id)
        )
    )
    .cte("looked_at")
)
REHEARSE = Statement(
    select(*payable_columns(), _looked_at.c.looks)
    .join_from(_looked_at, _C, _C.c.id == _looked_at.c.charge_id)
    .join(users, users.c.id == _C.c.user_id)
    .where(_C.c.id > bindparam("after", type_=_C.c.id.type))
    .order_by(_C.c.id)
    .limit(BATCH)
)
"""What a run would look at, by id: what is due, and what has become old. Nothing is claimed."""
_mine = (_K.c.charge_id == bindparam("charge_id_"), _K.c.next_at == bindparam("lease", type_=_moment))
POSTPONE = Statement(
    update(_K)
    .where(*_mine)
    .values(
        next_at=bindparam("later", type_=_moment),
        looks=bindparam("looks", type_=_K.c.looks.type),
        failures=bindparam("failures", type_=_K.c.failures.type),
    )
)
FORGET = Statement(delete(_K).where(*_mine))
BRING_FORWARD = Statement(
    update(_K).where(_K.c.next_at > bindparam("now", type_=_moment)).values(next_at=bindparam("now", type_=_moment))
)


async def enrol(database: Executor, now: datetime, oldest: datetime) -> int:
    """Give charges that have been pending for long a row, a bounded number of them; how many."""
    enrolled: int = await database.value(ENROL, now=now, oldest=oldest, most=ENROLLED_AT_ONCE)
    return enrolled


async def claim(database: Executor, environment: Environment, now: datetime, lease: datetime) -> list[Row]:
    """Charges that are due, the longest due first, as rows of `payable_columns` with their `looks` and `failures`."""
    return await database.all(CLAIM, environment=environment.value, now=now, lease=lease, room=BATCH)
