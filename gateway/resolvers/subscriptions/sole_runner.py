"""One run of the billing job at a time, in whatever process: an advisory lock, which PostgreSQL frees with its
connection.

So a runner that crashes blocks nobody. The lock saves work and gives 409 its meaning; that no cycle is charged twice is
the database's doing, lock or no lock.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import BigInteger, func, literal_column, select

from gateway.errors import JobUnderway
from gateway.models.database import Database, Statement, Transaction

_KEY = literal_column("7305816224031", BigInteger())  # Any number will do that nothing else locks.
TRY = Statement(select(func.pg_try_advisory_lock(_KEY)))
UNLOCK = Statement(select(func.pg_advisory_unlock(_KEY)))
ALIVE = Statement(select(literal_column("1")))


class SoleRunner:
    """Holds the lock. The connection is otherwise idle, and in no transaction."""

    def __init__(self, connection: Transaction) -> None:
        self._connection = connection

    async def insist(self) -> None:
        """Raise `ConnectionError` if the lock went with its connection: somebody else may be at work by now."""
        try:
            await self._connection.value(ALIVE)
        except Exception as error:
            raise ConnectionError("the billing job has lost its lock") from error


@asynccontextmanager
async def sole_runner(database: Database) -> AsyncIterator[SoleRunner]:
    """Be the one runner. Raises `JobUnderway` where somebody is."""
    async with database.pool.acquire() as connection:
        locked = Transaction(connection)
        if not await locked.value(TRY):
            raise JobUnderway
        try:
            yield SoleRunner(locked)
        finally:
            if not connection.is_closed():
                await locked.value(UNLOCK)
