"""Which clock a store goes by: read with the row that is fetched anyway, so that telling the time costs no query of its
own, nor a join where the store's holder is read as well.

    select(..., *clock_columns(charges.c.environment)).join(users, users.c.id == charges.c.user_id)
    clock = own_clock(row, ctx.real_clock)
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, func, or_, select

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.clocks import test_clocks
from gateway.values.clock import Clock, ShiftedClock, StandingClock

_T, _U = test_clocks, users
CLOCK_COLUMNS = [_T.c.ahead.label("clock_ahead"), _T.c.stands_at.label("clock_stands_at")]
"""What `own_clock` needs, of a row of `test_clocks`."""


def clock_columns(environment: ColumnElement[str]) -> list[ColumnElement[Any]]:
    """What `own_clock` needs, of a row of that environment with its store's holder in
    `users`: never a clock for live.
    """
    in_test = environment == Environment.test.value
    return [
        case((in_test, _U.c.test_clock_ahead)).label("clock_ahead"),
        case((in_test, _U.c.test_clock_stands_at)).label("clock_stands_at"),
    ]


def holder_now(environment: ColumnElement[str]) -> ColumnElement[Any]:
    """The hour of the store of such a row, of which `:now` is the real one."""
    ahead, stands_at = _U.c.test_clock_ahead, _U.c.test_clock_stands_at
    return case((environment == Environment.test.value, _hour(ahead, stands_at)), else_=_now())


def keeps_time(store: ColumnElement[Any], environment: ColumnElement[str]) -> ColumnElement[bool]:
    """What joins a row of that store and environment with its clock, if it has one: never one of live."""
    return and_(_T.c.store_id == store, environment == Environment.test.value)


def store_now() -> ColumnElement[Any]:
    """The hour of the store that was joined by `keeps_time`, of which `:now` is the real one."""
    return _hour(_T.c.ahead, _T.c.stands_at)


def by_real_time(store: ColumnElement[Any], environment: ColumnElement[str]) -> ColumnElement[bool]:
    """Rows of live, and of test stores without a clock of their own."""
    return or_(environment != Environment.test.value, store.not_in(select(_T.c.store_id)))


def own_clock(row: Mapping[str, Any], real: Clock) -> Clock | None:
    """The clock of the store that a row is of; None for one that goes by real time."""
    if row["clock_stands_at"] is not None:
        return StandingClock(row["clock_stands_at"])
    return None if row["clock_ahead"] is None else ShiftedClock(real, row["clock_ahead"])


def _hour(ahead: ColumnElement[Any], stands_at: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(stands_at, _now() + ahead, _now())


def _now() -> ColumnElement[Any]:
    return bindparam("now", type_=_T.c.stands_at.type)
