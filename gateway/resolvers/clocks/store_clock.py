"""The clock of a store, read with a row that is read anyway, so that it costs no query of its own (ADR 0026).

select(..., *clock_columns(charges.c.environment)).join(users, users.c.id == charges.c.user_id)
clock = store_clock(row, ctx.real_clock)
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, func, or_, select

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.clocks import test_clocks
from gateway.values.clock import Clock, FixedClock, OffsetClock

_T, _U = test_clocks, users
CLOCK_COLUMNS = [_T.c.time_offset.label("clock_offset"), _T.c.frozen_time.label("clock_frozen_time")]
"""What `store_clock` needs, of a row of `test_clocks`."""


def clock_columns(environment: ColumnElement[str]) -> list[ColumnElement[Any]]:
    """What `store_clock` needs, of a row joined with its store's owner in `users`. Null for live."""
    in_test = environment == Environment.test.value
    return [
        case((in_test, _U.c.test_clock_offset)).label("clock_offset"),
        case((in_test, _U.c.test_clock_frozen_time)).label("clock_frozen_time"),
    ]


def owner_now(environment: ColumnElement[str]) -> ColumnElement[Any]:
    """The store's time, for a row joined with its store's owner. `:now` is the real time."""
    by_clock = _now_by(_U.c.test_clock_offset, _U.c.test_clock_frozen_time)
    return case((environment == Environment.test.value, by_clock), else_=_now())


def clock_of(store: ColumnElement[Any], environment: ColumnElement[str]) -> ColumnElement[bool]:
    """The join condition between a row and the clock of its store. Never true for live."""
    return and_(_T.c.store_id == store, environment == Environment.test.value)


def store_now() -> ColumnElement[Any]:
    """The store's time, for a row joined by `clock_of`. `:now` is the real time."""
    return _now_by(_T.c.time_offset, _T.c.frozen_time)


def by_real_time(store: ColumnElement[Any], environment: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition for rows of live, and of test stores without their own clock."""
    return or_(environment != Environment.test.value, store.not_in(select(_T.c.store_id)))


def store_clock(row: Mapping[str, Any], real: Clock) -> Clock | None:
    """The store's own clock; None if it uses the real one."""
    if row["clock_frozen_time"] is not None:
        return FixedClock(row["clock_frozen_time"])
    return None if row["clock_offset"] is None else OffsetClock(real, row["clock_offset"])


def _now_by(offset: ColumnElement[Any], frozen_time: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(frozen_time, _now() + offset, _now())


def _now() -> ColumnElement[Any]:
    return bindparam("now", type_=_T.c.frozen_time.type)
