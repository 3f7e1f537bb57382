"""Rows that a job processes at their `next_attempt_at`, with back-off, for as long as they wait.

A claim leases a batch of them, so that workers may run concurrently. Rows are processed one by one, with the engine of
each row's environment. A failed row is due later and doesn't block others. An unavailable or rate-limiting engine is
not called again in the batch. A batch ends well within its lease; rows that it did not reach are due at once.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import ARRAY, UUID, ColumnElement, Table, bindparam, func, select, update

from gateway.integrations.engines.errors import EngineBusy, EngineUnavailable
from gateway.models.database import Row, Statement
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.context import Context

LEASE = timedelta(minutes=5)
BATCH_DURATION = timedelta(minutes=2)
"""No row is started after this. The last one, with a few calls of an engine, ends within the lease."""


class Claim(Struct, frozen=True):
    """Rows that this worker processes, until the lease ends."""

    rows: list[Row]
    lease: datetime


class DueRows:
    """The rows of a table that meet `waiting`. It has `environment`, `attempts` and `next_attempt_at`."""

    def __init__(
        self,
        table: Table,
        waiting: ColumnElement[bool],
        *,
        first_wait: timedelta,
        max_wait: timedelta,
        batch_size: int = 50,
    ) -> None:
        self._first_wait, self._max_wait = first_wait, max_wait
        (key,) = table.primary_key
        self._key = key.name
        column = table.c.next_attempt_at
        now, lease = bindparam("now", type_=column.type), bindparam("lease", type_=column.type)
        due = (
            select(key)
            .where(waiting, column <= now)
            .order_by(column)
            .limit(batch_size)
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        self._claim = Statement(
            update(table)
            .where(key == due.c[key.name])
            .values(attempts=func.least(table.c.attempts + 1, 1000), next_attempt_at=lease)
            .returning(*table.c)
        )
        self._postpone = Statement(
            update(table)
            .where(key == bindparam("key_"), waiting)
            .values(next_attempt_at=bindparam("later", type_=column.type))
        )
        self._release = Statement(
            update(table)
            .where(key == func.any(bindparam("keys", type_=ARRAY(UUID))), waiting, column == lease)
            .values(next_attempt_at=now, attempts=table.c.attempts - 1)
        )

    async def claim(self, ctx: Context) -> Claim:
        """Claim one batch of due rows."""
        now = ctx.real_clock.now()
        return Claim(await ctx.database.all(self._claim, now=now, lease=now + LEASE), now + LEASE)

    async def process(
        self,
        ctx: Context,
        claim: Claim,
        process: Callable[[Row], Awaitable[bool]],
        log_error: Callable[[Row, Exception], object],
    ) -> int:
        """`process` each row. Returns for how many it returned True. Rows for which it raised are due later."""
        ends = ctx.real_clock.now() + BATCH_DURATION
        done, unavailable, unreached = 0, set(), []
        for row in claim.rows:
            if row["environment"] in unavailable or ctx.real_clock.now() >= ends:
                unreached.append(row[self._key])
                continue
            try:
                done += await process(row)
            except Exception as error:  # noqa: BLE001  # One row must not block the others.
                if isinstance(error, (EngineUnavailable, EngineBusy)):
                    unavailable.add(row["environment"])
                log_error(row, error)
                await self.postpone(ctx, row)
        if unreached:
            await ctx.database.run(self._release, keys=unreached, lease=claim.lease, now=ctx.real_clock.now())
        return done

    async def postpone(self, ctx: Context, row: Row, wait: timedelta | None = None) -> bool:
        """Schedule the next attempt, by default after the back-off. Returns False: the row has not changed."""
        later = ctx.real_clock.now() + (wait or backoff(self._first_wait, self._max_wait, row["attempts"]))
        await ctx.database.run(self._postpone, key_=row[self._key], later=later)
        return False
