"""Rows in flight at an engine, which are checked there at their `settle_after`, with back-off, until they end.

A claim leases the rows, so that workers may run concurrently. Tables have `environment`, `status`, `attempts` and
`settle_after`.
"""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import ARRAY, UUID, Table, bindparam, func, select, update

from gateway.models.database import Row, Statement
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.batch_runner import LEASE, log_failure, process_batch
from gateway.resolvers.core.context import Context

BATCH_SIZE = 50


class Claim(Struct, frozen=True):
    """Rows that this worker checks, until the lease ends."""

    rows: list[Row]
    lease: datetime


class DueChecks:
    """The checks of one table. `in_flight`: the statuses that are checked."""

    def __init__(self, table: Table, in_flight: Collection[str], *, first_wait: timedelta, max_wait: timedelta) -> None:
        self._first_wait, self._max_wait = first_wait, max_wait
        column = table.c.settle_after
        now, lease = bindparam("now", type_=column.type), bindparam("lease", type_=column.type)
        waiting = table.c.status.in_(in_flight)
        due = (
            select(table.c.id)
            .where(waiting, column <= now)
            .order_by(column)
            .limit(BATCH_SIZE)
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        self._claim = Statement(
            update(table)
            .where(table.c.id == due.c.id)
            .values(attempts=func.least(table.c.attempts + 1, 1000), settle_after=lease)
            .returning(*table.c)
        )
        self._postpone = Statement(
            update(table)
            .where(table.c.id == bindparam("row_id"), waiting)
            .values(settle_after=bindparam("later", type_=column.type))
        )
        self._release = Statement(
            update(table)
            .where(table.c.id == func.any(bindparam("ids", type_=ARRAY(UUID))), waiting, column == lease)
            .values(settle_after=now, attempts=table.c.attempts - 1)
        )

    async def claim(self, ctx: Context) -> Claim:
        """Claim one batch of due rows."""
        now = ctx.real_clock.now()
        return Claim(await ctx.database.all(self._claim, now=now, lease=now + LEASE), now + LEASE)

    async def run(self, ctx: Context, claim: Claim, check: Callable[[Row], Awaitable[bool]], failed: str) -> int:
        """`check` each row; it returns whether the row changed. Returns how many did.

        `failed`: the log event of a check that raised. Rows that the batch did not reach are due again.
        """

        async def reschedule(row: Row, error: Exception) -> None:
            log_failure(failed, error, id=row["id"])
            await self.postpone(ctx, row)

        changed, unreached = await process_batch(ctx, claim.rows, check, reschedule)
        if unreached:
            ids = [row["id"] for row in unreached]
            await ctx.database.run(self._release, ids=ids, lease=claim.lease, now=ctx.real_clock.now())
        return changed

    async def postpone(self, ctx: Context, row: Row) -> bool:
        """Schedule the next check. Returns False: the row has not changed."""
        wait = backoff(self._first_wait, self._max_wait, row["attempts"])
        await ctx.database.run(self._postpone, row_id=row["id"], later=ctx.real_clock.now() + wait)
        return False
