"""What billing writes of subscriptions that it didn't charge: why not, and where they stand."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ARRAY, ColumnElement, Integer, Select, Text, bindparam, delete, func, select, update

from gateway.models.charges import issuances
from gateway.models.database import Executor, Statement, given_rows
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.audit.trail import recording_each, records_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.subscriptions.due import RETRY_AFTER, Advance
from gateway.resolvers.subscriptions.schedule import first_cycle
from gateway.resolvers.subscriptions.scope import Scoped, StoreScope

REPAIRED_AT_A_TIME = 1000

_S, _I = subscriptions, issuances
_moment = _S.c.next_billing_at.type
_now = bindparam("now", type_=_moment)

_failed = given_rows("failed", {"id": _S.c.id.type, "reason": Text()})
FAIL = Statement(
    update(_S)
    .where(_S.c.id == _failed.c.id)
    .values(last_failure=_failed.c.reason, retry_at=bindparam("retry_at", type_=_moment))
)
RELEASE = Statement(
    delete(_I).where(_I.c.charge_id == func.any(bindparam("charge_ids", type_=ARRAY(_I.c.charge_id.type))))
)

_moves = given_rows(
    "move", {"id": _S.c.id.type, "cycle": _moment, "coming": _moment, "status": Text(), "cycles": Integer()}
)
_moved = (
    update(_S)
    .where(_S.c.id == _moves.c.id, _S.c.next_billing_at == _moves.c.cycle)
    .values(
        next_billing_at=_moves.c.coming,
        status=_moves.c.status,
        cycles_count=_moves.c.cycles,
        last_failure=None,
        retry_at=None,
        updated_at=_now,
    )
    .returning(_S.c.id, _S.c.user_id, _S.c.environment)
    .cte("moved")
)
MOVE = Statement(select(_moved.c.id).add_cte(recording_each(_moved, "").cte("audit")))


def _undated(whose: ColumnElement[bool]) -> Select[Any]:
    return (
        select(_S.c.id)
        .where(
            whose,
            _S.c.status == SubscriptionStatus.active.value,
            _S.c.environment == bindparam("environment"),
            _S.c.interval == bindparam("interval"),
            _S.c.next_billing_at.is_(None),
        )
        .limit(REPAIRED_AT_A_TIME)
    )


def _repair(whose: ColumnElement[bool]) -> Select[Any]:
    claimed = _undated(whose).with_for_update(skip_locked=True).cte("undated")
    repaired = (
        update(_S)
        .where(_S.c.id == claimed.c.id)
        .values(
            next_billing_at=bindparam("first", type_=_moment),
            anchor_day=bindparam("anchor_day", type_=_S.c.anchor_day.type),
            utc_offset=None,
            updated_at=_now,
        )
        .returning(_S.c.id, _S.c.user_id, _S.c.environment)
        .cte("repaired")
    )
    return select(repaired.c.id).add_cte(recording_each(repaired, "").cte("audit"))


def _in_pages(whose: ColumnElement[bool]) -> Select[Any]:
    return _undated(whose).where(_S.c.id > bindparam("after", type_=_S.c.id.type)).order_by(_S.c.id)


REPAIR = Scoped(_repair, _S.c.user_id, _S.c.environment)
UNDATED = Scoped(_in_pages, _S.c.user_id, _S.c.environment)


class Failure(Struct, frozen=True):
    """A subscription that couldn't be charged. `charge_id` where an issuance of it is to
    go: surely nothing was made.
    """

    subscription_id: str
    reason: str
    charge_id: str | None = None


async def fail(ctx: Context, executor: Executor, failures: Iterable[Failure]) -> None:
    """Write the reasons down, and let go of the cycles; the next run finds them due as before."""
    failures = list(failures)
    if not failures:
        return
    ids, reasons = [each.subscription_id for each in failures], [each.reason for each in failures]
    await executor.run(FAIL, failed_id=ids, failed_reason=reasons, retry_at=ctx.clock.now() + RETRY_AFTER)
    await release(executor, [each.charge_id for each in failures if each.charge_id is not None])


async def release(executor: Executor, charge_ids: list[str]) -> None:
    """End issuances that become no charge."""
    if charge_ids:
        await executor.run(RELEASE, charge_ids=charge_ids)


async def move_on(ctx: Context, executor: Executor, rows: list[tuple[Mapping[str, Any], Advance]], action: str) -> None:
    """Move subscriptions to another date, or end them, without a charge."""
    if not rows:
        return
    active, canceled = SubscriptionStatus.active.value, SubscriptionStatus.canceled.value
    await executor.all(
        MOVE,
        move_id=[row["id"] for row, _ in rows],
        move_cycle=[row["next_billing_at"] for row, _ in rows],
        move_coming=[advance.next_billing_at for _, advance in rows],
        move_status=[canceled if advance.over else active for _, advance in rows],
        move_cycles=[advance.cycles_count for _, advance in rows],
        **records_of(ctx, action, ""),
        now=ctx.clock.now(),
    )


async def repair_undated(ctx: Context, scope: StoreScope, interval: Interval, now: datetime) -> list[str]:
    """Give some of the active subscriptions that have no date one, an interval from now. Returns their ids."""
    rhythm, first = first_cycle(interval, now)
    rows = await ctx.database.all(
        REPAIR.of(scope),
        **scope.values(),
        interval=interval.value,
        first=first,
        anchor_day=rhythm.anchor_day,
        **records_of(ctx, "subscription.rescheduled", ""),
        now=ctx.clock.now(),
    )
    return [row["id"] for row in rows]


async def undated(ctx: Context, scope: StoreScope, interval: Interval, after: str) -> list[str]:
    """The ids that `repair_undated` would find, in pages."""
    rows = await ctx.database.all(UNDATED.of(scope), **scope.values(), interval=interval.value, after=after)
    return [row["id"] for row in rows]
