"""Cutting what grows: the part of charges, or of events, that is open at its end gets one as soon as it has grown, and
what comes after goes to a new part (ADR 0064).

A cut is made at the beginning of a month or of a week that is at least seven days ahead, so it moves no row. Each step
is a transaction of its own: it is announced by a CHECK that all rows keep to, proven while everybody goes on writing,
and made under a lock that is held for a moment, if it is to be had soon; otherwise the next hour tries.
"""

from contextlib import suppress
from typing import Final

from sqlalchemy import text

from gateway.models.database import LockNotAvailable, Statement
from gateway.resolvers.context import Context
from gateway.telemetry import log

LENGTHS: Final = {"charges": "month", "webhook_events": "week"}
"""What is cut, and how short its parts are at the least: an event is kept for a month, and goes with its part."""
LONGEST = 6 * 3600
"""Seconds. A part is read once for its cut, or in samples for its statistics, and those who write don't wait for it."""
STEP = Statement(text("select cut_further(:whole, :length, :grown)"))
ANALYSE = Statement(text("select analyse_wholes()"))


async def tend_parts(ctx: Context) -> None:
    """Cut what has grown, and gather statistics of tables in parts, which autovacuum doesn't."""
    for whole in LENGTHS:
        await cut(ctx, whole, grown=ctx.settings.part_rows)
    async with ctx.database.pool.acquire() as connection:
        await connection.execute(ANALYSE.sql, timeout=LONGEST)


async def cut(ctx: Context, whole: str, *, grown: int) -> list[str]:
    """Cut the open part of a table if it has so many rows, or go on where a cut was left; which steps were taken. What
    finds no lock is left to the next hour.
    """
    steps: list[str] = []
    arguments = STEP.arguments({"whole": whole, "length": LENGTHS[whole], "grown": grown})
    async with ctx.database.pool.acquire() as connection:
        with suppress(LockNotAvailable):
            while step := await connection.fetchval(STEP.sql, *arguments, timeout=LONGEST):
                log.info("table_cut_further", table=whole, step=step)
                steps.append(step)
    return steps
