"""Looking after the things that the service leans on, quickly and without asking a bank."""

import asyncio
import time

import asyncpg
from sqlalchemy import literal_column, select

from gateway.models.database import DatabaseUnavailable, Statement
from gateway.resolvers.context import Context
from gateway.resolvers.health.views import CheckStatus, ChecksView, OutboxView
from gateway.resolvers.webhooks.backlog import backlog

COUNTED_AT_MOST = 10_000
PATIENCE_SECONDS = 2.0
DATABASE_FAULTS = (*DatabaseUnavailable, asyncpg.PostgresError)
_STARTED = time.monotonic()

ANSWER = Statement(select(literal_column("1")))


def uptime_seconds() -> int:
    """Since this process began."""
    return int(time.monotonic() - _STARTED)


async def database_answers(ctx: Context) -> bool:
    """Whether a statement runs within two seconds."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return bool(await ctx.database.value(ANSWER) == 1)
    except DATABASE_FAULTS:
        return False


async def outbox(ctx: Context) -> OutboxView | None:
    """What waits to be sent; None where the database can't say."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            waiting = await backlog(ctx, COUNTED_AT_MOST)
    except DATABASE_FAULTS:
        return None
    said = {
        "pending": waiting.pending,
        "oldest_seconds": round(waiting.oldest_seconds, 3),
        "stuck": waiting.stuck > 0,
    }
    return OutboxView.of(said)


async def all_checks(ctx: Context) -> ChecksView:
    """Every check, side by side."""
    waiting, redis = await asyncio.gather(outbox(ctx), ctx.services.wake.answers())
    engines = ctx.services.engines
    return ChecksView.of(
        {
            "database": _status(waiting is not None),
            "redis": _status(redis),
            "outbox": waiting or OutboxView.of({"pending": 0, "oldest_seconds": 0.0, "stuck": False}),
            "engine": _status(engines.test.answers and engines.live.answers),
        }
    )


def _status(good: bool) -> CheckStatus:
    return CheckStatus.ok if good else CheckStatus.failing
