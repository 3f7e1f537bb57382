"""The database connections of one process: never more than `size`, the last one given back is the next one taken.

asyncpg's own pool wraps each connection in a proxy, shields each release in a task and asks a queue under a lock, which
costs 20 µs a statement, a tenth of reading a charge (docs/performance.md). This one hands connections out as they are.

* Who finds none idle and no place free waits in line, and is served in the order of arrival.
* A connection that is closed, interrupted in mid-statement, inside a transaction, or long idle is never handed out
  again. Its place is; so a restarted PostgreSQL heals itself, one request at a time.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any, TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

ACQUIRE_TIMEOUT_SECONDS = 30.0
IDLE_SECONDS = 300.0
"""Firewalls forget a connection that says nothing, and don't tell."""
_CLOSE_TIMEOUT_SECONDS = 5.0
_INTERRUPTIONS = (asyncio.CancelledError, TimeoutError, GeneratorExit, asyncpg.InternalClientError)
"""What may leave a statement running at the server, or its answer half read. The last is what asyncpg raises where the
server has said goodbye and the socket isn't closed yet."""


class PoolClosed(asyncpg.InterfaceError):  # type: ignore[misc]  # asyncpg is untyped.
    """The process is stopping."""


class Pool:
    """Connections made by `connect`. Waiting longer than `timeout` seconds for one is a `TimeoutError`."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        size: int,
        *,
        timeout: float = ACQUIRE_TIMEOUT_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._connect = connect
        self._free = size
        self._size = size
        self._timeout = timeout
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[Connection, float]] = []
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._busy: set[Connection] = set()
        self._farewells: set[asyncio.Task[None]] = set()
        self._closed = False
        self._all_free = asyncio.Event()

    def acquire(self) -> "PooledConnection":
        """`async with pool.acquire() as connection: …`"""
        return PooledConnection(self)

    # SQL by hand, each on whichever connection comes: for tests and tools. The gateway itself has Statements.

    async def execute(self, sql: str, /, *values: Any) -> str:
        async with self.acquire() as connection:
            status: str = await connection.execute(sql, *values)
            return status

    async def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> None:
        async with self.acquire() as connection:
            await connection.executemany(sql, rows)

    async def fetch(self, sql: str, /, *values: Any) -> "list[asyncpg.Record]":
        async with self.acquire() as connection:
            rows: list[asyncpg.Record] = await connection.fetch(sql, *values)
            return rows

    async def fetchrow(self, sql: str, /, *values: Any) -> "asyncpg.Record | None":
        async with self.acquire() as connection:
            row: asyncpg.Record | None = await connection.fetchrow(sql, *values)
            return row

    async def fetchval(self, sql: str, /, *values: Any) -> Any:
        async with self.acquire() as connection:
            return await connection.fetchval(sql, *values)

    async def warm(self, count: int) -> None:
        """Open some connections now, so that a wrong address fails at the start."""
        taken = [await self.take() for _ in range(min(count, self._size))]
        for connection in taken:
            self.give(connection)

    async def take(self) -> Connection:
        """A connection that is this caller's alone until it is given back."""
        if self._closed:
            raise PoolClosed("the database pool is closed")
        while self._idle:
            connection, since = self._idle.pop()
            if not connection.is_closed() and monotonic() - since < self._idle_seconds:
                self._busy.add(connection)
                return connection
            self._close_connection(connection)
        if self._free:
            self._free -= 1
            return await self._open()
        return await self._wait()

    def give(self, connection: Connection, *, interrupted: bool = False) -> None:
        """Give a connection back; one that was `interrupted` is closed instead of used again."""
        self._busy.discard(connection)
        if interrupted or self._closed or connection.is_closed() or connection.is_in_transaction():
            self._close_connection(connection)
            return
        turn = self._next_waiter()
        if turn is None:
            self._idle.append((connection, monotonic()))
        else:
            self._busy.add(connection)
            turn.set_result(connection)

    async def close(self) -> None:
        """Take no more callers, let the present ones finish, and close everything."""
        self._closed = True
        while (turn := self._next_waiter()) is not None:
            turn.set_exception(PoolClosed("the database pool is closed"))
        while self._idle:
            self._close_connection(self._idle.pop()[0])
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while self._free < self._size:
                    self._all_free.clear()
                    await self._all_free.wait()
        for connection in self._busy:
            connection.terminate()

    async def _open(self) -> Connection:
        """Fill a place that is already this caller's."""
        try:
            connection = await self._connect()
        except BaseException:
            self._free_slot()
            raise
        self._busy.add(connection)
        return connection

    async def _wait(self) -> Connection:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(turn)
        # Not `asyncio.timeout`: under load every statement waits, and a bare timer costs a quarter of it.
        alarm = loop.call_later(self._timeout, _give_up, turn)
        try:
            connection = await turn
        except BaseException:
            self._leave_queue(turn)
            raise
        finally:
            alarm.cancel()
        return connection or await self._open()

    def _leave_queue(self, turn: "asyncio.Future[Connection | None]") -> None:
        with suppress(ValueError):
            self._waiting.remove(turn)
        if not turn.done() or turn.cancelled() or turn.exception() is not None:
            return
        # It was served in the moment in which it gave up: the next in line gets what it was given.
        connection = turn.result()
        if connection is None:
            self._free_slot()
        else:
            self.give(connection)

    def _next_waiter(self) -> "asyncio.Future[Connection | None] | None":
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                return turn
        return None

    def _free_slot(self) -> None:
        """Hand a place to the next in line, who opens a connection in it, or keep it for the next caller."""
        turn = self._next_waiter()
        if turn is not None:
            turn.set_result(None)
            return
        self._free += 1
        if self._free == self._size:
            self._all_free.set()

    def _close_connection(self, connection: Connection) -> None:
        """Close a connection; its place is free once it is gone, so PostgreSQL never sees more than `size`."""
        if connection.is_closed():
            self._free_slot()
            return
        farewell = asyncio.get_running_loop().create_task(self._close_gracefully(connection))
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)

    async def _close_gracefully(self, connection: Connection) -> None:
        try:
            # Waits for the cancellation of an interrupted statement. Where that fails, asyncpg aborts the connection.
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=_CLOSE_TIMEOUT_SECONDS)
        finally:
            self._free_slot()


def _give_up(turn: "asyncio.Future[Connection | None]") -> None:
    if not turn.done():
        turn.set_exception(TimeoutError("no database connection became free in time"))


class PooledConnection:
    """A connection for the length of a block."""

    __slots__ = ("_connection", "_pool")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> Connection:
        self._connection = await self._pool.take()
        return self._connection

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.give(self._connection, interrupted=isinstance(error, _INTERRUPTIONS))
