"""Plain SQL for tests: reads what no operation returns, and sets states that no operation sets."""

from collections.abc import Iterable, Sequence
from typing import Any

from gateway.models.database import Database, Row


async def run(database: Database, query: str, *values: Any) -> None:
    async with database.pool.acquire() as connection:
        await connection.execute(query, *values)


async def run_many(database: Database, query: str, rows: Iterable[Sequence[Any]]) -> None:
    async with database.pool.acquire() as connection:
        await connection.executemany(query, rows)


async def rows(database: Database, query: str, *values: Any) -> list[Row]:
    async with database.pool.acquire() as connection:
        found: list[Row] = await connection.fetch(query, *values)
        return found


async def row(database: Database, query: str, *values: Any) -> Row | None:
    async with database.pool.acquire() as connection:
        return await connection.fetchrow(query, *values)


async def value(database: Database, query: str, *values: Any) -> Any:
    async with database.pool.acquire() as connection:
        return await connection.fetchval(query, *values)
