"""Who stands in the way of a session that waits for a lock: seen by a second one meanwhile, for afterwards nobody
knows.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

LOOKS_APART_SECONDS = 0.25
_BLOCKING = """
select blocking.pid, coalesce(application_name, '') as name, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
  from unnest(pg_blocking_pids($1)) as blocking (pid) left join pg_stat_activity activity on activity.pid = blocking.pid
 order by xact_start limit 1
"""


class Watch:
    """Keeps who was seen last: of several, whose transaction has run for longest."""

    def __init__(self, connection: asyncpg.Connection, pid: int) -> None:
        self._connection = connection
        self._pid = pid
        self._seen: asyncpg.Record | None = None

    async def run(self) -> None:
        """Look again and again, until canceled."""
        while True:
            self._seen = await self._connection.fetchrow(_BLOCKING, self._pid) or self._seen
            await asyncio.sleep(LOOKS_APART_SECONDS)

    def told(self) -> str:
        """Who it is, in half a sentence. How long another role's transaction has run isn't for everybody to see."""
        if self._seen is None:
            return "another session is in the way"
        name = f" ({self._seen['name']})" if self._seen["name"] else ""
        seconds = self._seen["seconds"]
        since = "" if seconds is None else f", whose transaction has run for {seconds:.0f} s,"
        return f"pid {self._seen['pid']}{name}{since} is in the way"


@asynccontextmanager
async def watching(dsn: str, pid: int) -> AsyncIterator[Watch]:
    """Watch the session of that process while the block lasts."""
    connection = await asyncpg.connect(dsn)
    try:
        watch = Watch(connection, pid)
        looking = asyncio.create_task(watch.run())
        try:
            yield watch
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
    finally:
        await connection.close()
