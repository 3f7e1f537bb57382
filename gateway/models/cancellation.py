"""A database whose statements finish even if their caller is canceled.

Canceling a statement costs more than finishing most: PostgreSQL starts a process for it, and the connection is closed,
because its state is unknown. So callers that are canceled regularly let their statements finish.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from gateway.models.database import Database, Row, Statement, Transaction

T = TypeVar("T")


class ShieldedDatabase(Database):
    """`database`, with single statements shielded from cancellation. Transactions and cursors are not."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.pool, share=database.share)
        self._database = database
        self._running: set[asyncio.Task[Any]] = set()

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        return await self._let_finish(self._database.one(statement, **values))

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        return await self._let_finish(self._database.all(statement, **values))

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        return await self._let_finish(self._database.value(statement, **values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        return await self._let_finish(self._database.run(statement, **values))

    async def run_many(self, statement: Statement, rows: Iterable[dict[str, Any]], /) -> None:
        await self._let_finish(self._database.run_many(statement, rows))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        async with self._database.transaction() as transaction:
            yield transaction

    def stream(self, statement: Statement, /, **values: Any) -> AsyncGenerator[Row, None]:
        return self._database.stream(statement, **values)

    async def finished(self) -> None:
        """Wait for statements whose callers were canceled."""
        while self._running:
            await asyncio.wait(self._running)

    async def _let_finish(self, statement: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(statement)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)
