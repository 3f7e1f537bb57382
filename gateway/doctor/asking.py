"""Questions to the database that its answers can't keep waiting for long."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from gateway.models.pool import Connection
from gateway.settings import Settings

PATIENCE_SECONDS = 5
NOT_TOLD = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What a database that can't be reached, doesn't answer or doesn't tell raises."""


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Connection]:
    """A connection that waits for nothing longer than some seconds, its own end included: what hangs is left alone."""
    connection = await asyncpg.connect(
        settings.asyncpg_dsn, timeout=PATIENCE_SECONDS, command_timeout=4 * PATIENCE_SECONDS
    )
    try:
        yield connection
    except BaseException:
        connection.terminate()
        raise
    await connection.close(timeout=PATIENCE_SECONDS)


async def ask(settings: Settings, query: str, *values: object) -> asyncpg.Record | None:
    """The row of a query; None where the database has no such table yet, which is told elsewhere."""
    async with connected(settings) as connection:
        try:
            return await connection.fetchrow(query, *values)
        except asyncpg.UndefinedTableError:
            return None
