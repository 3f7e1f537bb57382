"""Observes which session blocks another one that waits for a lock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

POLL_INTERVAL_SECONDS = 0.25
_BLOCKING = """
select blocking.pid, coalesce(application_name, '') as name, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
  from unnest(pg_blocking_pids($1)) as blocking (pid) left join pg_stat_activity activity on activity.pid = blocking.pid
 order by xact_start limit 1
"""


class BlockerMonitor:
    """The last blocker seen; of several, the one with the oldest transaction."""

    def __init__(self, connection: asyncpg.Connection, pid: int) -> None:
        self._connection = connection
        self._pid = pid
        self._seen: asyncpg.Record | None = None

    async def run(self) -> None:
        """Poll until canceled."""
        while True:
            self._seen = await self._connection.fetchrow(_BLOCKING, self._pid) or self._seen
            await asyncio.sleep(POLL_INTERVAL_SECONDS)

    def description(self) -> str:
        """The blocker, for a log line. The duration may be hidden for another role's transaction."""
        if self._seen is None:
            return "another session is in the way"
        name = f" ({self._seen['name']})" if self._seen["name"] else ""
        seconds = self._seen["seconds"]
        since = "" if seconds is None else f", whose transaction has run for {seconds:.0f} s,"
        return f"pid {self._seen['pid']}{name}{since} is in the way"


@asynccontextmanager
async def monitor_blockers(dsn: str, pid: int) -> AsyncIterator[BlockerMonitor]:
    """Monitor what blocks the session of that server process, for the duration of the block."""
    connection = await asyncpg.connect(dsn)
    try:
        blockers = BlockerMonitor(connection, pid)
        task = asyncio.create_task(blockers.run())
        try:
            yield blockers
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    finally:
        await connection.close()
