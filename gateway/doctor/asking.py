"""One question to the database, where what is wrong with the database itself is told elsewhere."""

import asyncpg

from gateway.settings import Settings


async def ask(settings: Settings, query: str) -> asyncpg.Record | None:
    """The row of a query; None where the database can't be reached, or has no such table yet."""
    try:
        connection = await asyncpg.connect(settings.asyncpg_dsn, timeout=5)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError):
        return None
    try:
        return await connection.fetchrow(query)
    except asyncpg.UndefinedTableError:
        return None
    finally:
        await connection.close()
