"""Looking after the things that the service leans on, quickly and without asking a bank."""

import asyncio
import time

import asyncpg
from sqlalchemy import text

from gateway.models.database import DatabaseUnavailable, Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.health.views import CheckStatus, ChecksView, OutboxView
from gateway.resolvers.webhooks.backlog import backlog

COUNTED_AT_MOST = 10_000
PATIENCE_SECONDS = 2.0
DATABASE_FAULTS = (*DatabaseUnavailable, asyncpg.PostgresError)
_STARTED = time.monotonic()

SILENT = "O serviço está indisponível: o banco de dados não responde."
EMPTY = "O serviço está indisponível: o banco de dados não tem as tabelas do serviço; falta `gateway migrate`."
READ_ONLY = "O serviço está indisponível: o banco de dados não aceita gravações."
# Any table of ours will do: during an upgrade the schema is older or newer than this version.
STATE = Statement(
    text("""
select current_setting('transaction_read_only') = 'on' as read_only, to_regclass('users') is not null as migrated
""")
)


def uptime_seconds() -> int:
    """Since this process began."""
    return int(time.monotonic() - _STARTED)


async def database_trouble(ctx: Context) -> str | None:
    """What keeps the database from serving, said to whoever looks after it; None where nothing does: it answers within
    two seconds, has our tables and lets them be written.
    """
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            state = await ctx.database.one(STATE)
    except DATABASE_FAULTS:
        return SILENT
    if state is None or not state["migrated"]:
        return EMPTY
    return READ_ONLY if state["read_only"] else None


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


async def all_checks(ctx: Context) -> tuple[ChecksView, str | None]:
    """Every check, side by side, and what the trouble with the database is."""
    trouble, waiting, redis = await asyncio.gather(database_trouble(ctx), outbox(ctx), ctx.services.wake.answers())
    if waiting is None and trouble is None:
        trouble = SILENT
    engines = ctx.services.engines
    checks = ChecksView.of(
        {
            "database": _status(trouble is None),
            "redis": _status(redis),
            "outbox": waiting or OutboxView.of({"pending": 0, "oldest_seconds": 0.0, "stuck": False}),
            "engine": _status(engines.test.responding and engines.live.responding),
        }
    )
    return checks, trouble


def _status(good: bool) -> CheckStatus:
    return CheckStatus.ok if good else CheckStatus.failing
