"""Update subscriptions without a charge: store a failure, move them to another date, or set a missing date."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Integer, Select, Text, bindparam, delete, select, update

from gateway.models.charges import issuances
from gateway.models.database import Executor, Statement, unnest_rows
from gateway.models.subscriptions import MAX_INTERVAL_COUNT, Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.audit.audit_log import insert_records_cte, records_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.subscriptions.due import RETRY_AFTER, NextCycle, ScopedStatement, StoreScope
from gateway.resolvers.subscriptions.schedule import first_cycle

REPAIR_BATCH_SIZE = 1000
INTERVAL_COUNTS = range(1, MAX_INTERVAL_COUNT + 1)

_S, _I = subscriptions, issuances
_time = _S.c.next_billing_at.type
_now = bindparam("now", type_=_time)

_failed = unnest_rows("failed", {"id": _S.c.id.type, "reason": Text()})
FAIL = Statement(
    update(_S).where(_S.c.id == _failed.c.id).values(last_failure=_failed.c.reason, retry_at=bindparam("retry_at"))
)
_ended = unnest_rows("ended", {"charge_id": _I.c.charge_id.type, "attempts": _I.c.attempts.type})
RELEASE = Statement(delete(_I).where(_I.c.charge_id == _ended.c.charge_id, _I.c.attempts == _ended.c.attempts))

_next = unnest_rows("next", {"id": _S.c.id.type, "cycle": _time, "date": _time, "status": Text(), "cycles": Integer()})
_advanced = (
    update(_S)
    .where(_S.c.id == _next.c.id, _S.c.next_billing_at == _next.c.cycle)
    .values(
        next_billing_at=_next.c.date,
        status=_next.c.status,
        cycles_count=_next.c.cycles,
        last_failure=None,
        retry_at=None,
        updated_at=_now,
    )
    .returning(_S.c.id, _S.c.user_id, _S.c.environment)
    .cte("advanced")
)
ADVANCE = Statement(select(_advanced.c.id).add_cte(insert_records_cte(_advanced)))

_start = unnest_rows(
    "start",
    {name: _S.c[name].type for name in ("interval", "interval_count", "next_billing_at", "anchor_day")},
)
"""The first cycle of each interval and count."""


def _without_date(scope: ColumnElement[bool]) -> Select[Any]:
    return (
        select(_S.c.id, _S.c.interval, _S.c.interval_count)
        .where(
            scope,
            _S.c.status == SubscriptionStatus.active.value,
            _S.c.environment == bindparam("environment"),
            _S.c.next_billing_at.is_(None),
        )
        .limit(REPAIR_BATCH_SIZE)
    )


def _repair(scope: ColumnElement[bool]) -> Select[Any]:
    claimed = _without_date(scope).with_for_update(skip_locked=True).cte("without_date")
    repaired = (
        update(_S)
        .where(
            _S.c.id == claimed.c.id,
            _start.c.interval == claimed.c.interval,
            _start.c.interval_count == claimed.c.interval_count,
        )
        .values(
            next_billing_at=_start.c.next_billing_at,
            anchor_day=_start.c.anchor_day,
            utc_offset=None,
            updated_at=_now,
        )
        .returning(_S.c.id, _S.c.user_id, _S.c.environment)
        .cte("repaired")
    )
    return select(repaired.c.id).add_cte(insert_records_cte(repaired))


def _in_pages(scope: ColumnElement[bool]) -> Select[Any]:
    return _without_date(scope).where(_S.c.id > bindparam("after", type_=_S.c.id.type)).order_by(_S.c.id)


REPAIR = ScopedStatement(_repair)
WITHOUT_DATE = ScopedStatement(_in_pages)


class Failure(Struct, frozen=True):
    """A subscription that couldn't be charged. `charge_id`: its issuance, to delete because the engine made nothing."""

    subscription_id: str
    reason: str
    charge_id: str | None = None


async def store_failures(ctx: Context, executor: Executor, failures: Iterable[Failure]) -> None:
    """Store the reasons, and release the cycles: they stay due."""
    failures = list(failures)
    if not failures:
        return
    ids, reasons = [each.subscription_id for each in failures], [each.reason for each in failures]
    await executor.run(FAIL, failed_id=ids, failed_reason=reasons, retry_at=ctx.clock.now() + RETRY_AFTER)
    # These issuances are new: no run has taken them over yet.
    await release_cycles(executor, [(each.charge_id, 0) for each in failures if each.charge_id is not None])


async def release_cycles(executor: Executor, ended: Sequence[tuple[str, int]]) -> None:
    """Delete issuances that become no charge, unless another run has changed their `attempts`."""
    if ended:
        charge_ids, attempts = zip(*ended, strict=True)
        await executor.run(RELEASE, ended_charge_id=charge_ids, ended_attempts=attempts)


async def advance_subscriptions(
    ctx: Context, executor: Executor, rows: list[tuple[Mapping[str, Any], NextCycle]], action: str
) -> None:
    """Move subscriptions to their next date, or end them, without a charge."""
    if not rows:
        return
    active, canceled = SubscriptionStatus.active.value, SubscriptionStatus.canceled.value
    await executor.all(
        ADVANCE,
        next_id=[row["id"] for row, _ in rows],
        next_cycle=[row["next_billing_at"] for row, _ in rows],
        next_date=[following.next_billing_at for _, following in rows],
        next_status=[canceled if following.ended else active for _, following in rows],
        next_cycles=[following.cycles_count for _, following in rows],
        **records_of(ctx, action),
        now=ctx.clock.now(),
    )


async def set_missing_dates(ctx: Context, scope: StoreScope, now: datetime) -> list[str]:
    """Set the date of a batch of active subscriptions without one to their interval from now. Returns their ids."""
    recurrences, dates = zip(
        *(first_cycle(interval, count, now) for interval, count in product(Interval, INTERVAL_COUNTS)), strict=True
    )
    rows = await ctx.database.all(
        REPAIR.of(scope),
        **scope.values(),
        start_interval=[each.interval.value for each in recurrences],
        start_interval_count=[each.count for each in recurrences],
        start_next_billing_at=dates,
        start_anchor_day=[each.anchor_day for each in recurrences],
        **records_of(ctx, "subscription.rescheduled"),
        now=ctx.clock.now(),
    )
    return [row["id"] for row in rows]


async def find_without_date(ctx: Context, scope: StoreScope, after: str) -> list[str]:
    """The ids that `set_missing_dates` would update, in pages."""
    rows = await ctx.database.all(WITHOUT_DATE.of(scope), **scope.values(), after=after)
    return [row["id"] for row in rows]
