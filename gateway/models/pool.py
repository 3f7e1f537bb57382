"""A connection pool: at most `size` connections, reused last in, first out.

asyncpg's own pool costs 20 µs a statement, for a proxy, a task and a lock (docs/performance.md). This one returns bare
connections.

* Callers wait in a FIFO queue if no connection is idle and no slot is free.
* A connection that is closed, interrupted, in a transaction, or idle for long is not reused; its slot is. So the pool
  recovers from a restart of PostgreSQL.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

ACQUIRE_TIMEOUT_SECONDS = 30.0
IDLE_SECONDS = 300.0
"""Firewalls silently drop idle connections."""
_CLOSE_TIMEOUT_SECONDS = 5.0
_INTERRUPTIONS = (asyncio.CancelledError, TimeoutError, GeneratorExit, asyncpg.InternalClientError)
"""Errors after which a statement may still run, or its result may be half read. asyncpg raises the last one if the
server has closed the connection and the socket is still open."""


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
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False
        self._all_free = asyncio.Event()

    def acquire(self) -> "PooledConnection":
        """`async with pool.acquire() as connection: …`"""
        return PooledConnection(self)

    async def warm(self, count: int) -> None:
        """Open connections, so that a wrong address fails at start-up."""
        taken = [await self.take() for _ in range(min(count, self._size))]
        for connection in taken:
            self.give(connection)

    async def take(self) -> Connection:
        """A connection for exclusive use until `give`."""
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
        """Return a connection. An `interrupted` one is closed."""
        self._busy.discard(connection)
        if interrupted or self._closed or connection.is_closed() or connection.is_in_transaction():
            self._close_connection(connection)
            return
        waiter = self._next_waiter()
        if waiter is None:
            self._idle.append((connection, monotonic()))
        else:
            self._busy.add(connection)
            waiter.set_result(connection)

    async def close(self) -> None:
        """Refuse new callers, wait for the current ones, and close all connections."""
        self._closed = True
        while (waiter := self._next_waiter()) is not None:
            waiter.set_exception(PoolClosed("the database pool is closed"))
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
        """Open a connection in a slot that this caller has taken."""
        try:
            connection = await self._connect()
        except BaseException:
            self._free_slot()
            raise
        self._busy.add(connection)
        return connection

    async def _wait(self) -> Connection:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(waiter)
        # Under load every statement waits, and a timer costs a quarter of `asyncio.timeout`.
        timer = loop.call_later(self._timeout, _give_up, waiter)
        try:
            connection = await waiter
        except BaseException:
            self._leave_queue(waiter)
            raise
        finally:
            timer.cancel()
        return connection or await self._open()

    def _leave_queue(self, waiter: "asyncio.Future[Connection | None]") -> None:
        with suppress(ValueError):
            self._waiting.remove(waiter)
        if not waiter.done() or waiter.cancelled() or waiter.exception() is not None:
            return
        # It was served just before it gave up: pass the connection or slot on.
        connection = waiter.result()
        if connection is None:
            self._free_slot()
        else:
            self.give(connection)

    def _next_waiter(self) -> "asyncio.Future[Connection | None] | None":
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    def _free_slot(self) -> None:
        """Pass a slot to the next waiter, who opens a connection, or leave it free."""
        waiter = self._next_waiter()
        if waiter is not None:
            waiter.set_result(None)
            return
        self._free += 1
        if self._free == self._size:
            self._all_free.set()

    def _close_connection(self, connection: Connection) -> None:
        """Close a connection. Its slot is free after that, so that PostgreSQL never has more than `size`."""
        if connection.is_closed():
            self._free_slot()
            return
        task = asyncio.get_running_loop().create_task(self._close_gracefully(connection))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close_gracefully(self, connection: Connection) -> None:
        try:
            # Waits for the cancellation of an interrupted statement. If that fails, asyncpg aborts the connection.
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=_CLOSE_TIMEOUT_SECONDS)
        finally:
            self._free_slot()


def _give_up(waiter: "asyncio.Future[Connection | None]") -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError("no database connection became free in time"))


class PooledConnection:
    """A connection for the duration of a block."""

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
