"""A PostgreSQL and a Valkey of the experiments, which may kill, freeze and restart them."""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg

from gateway.dev.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.models.migrate import upgrade
from tests.chaos.processes import frozen, until
from tests.subprocesses import Forks

_TEMPLATE = "gateway"


class Servers:
    """The servers of a run, durable as in production, and the fork server. Each experiment has its own database."""

    def __init__(self, home: Path, forks: Forks) -> None:
        self.forks = forks
        self.postgres = EmbeddedPostgres(home, max_connections=200)
        self.redis = EmbeddedRedis(home)
        self._names = (f"experiment_{number}" for number in itertools.count(1))

    def start(self) -> None:
        self._postgres_url = self.postgres.start()
        self.redis_url = self.redis.start()
        upgrade(self._postgres_url)

    def heal(self) -> None:
        """Start both servers if the last experiment stopped them."""
        self.postgres.start()
        self.redis.start()

    def stop(self) -> None:
        self.redis.stop()
        self.postgres.stop()

    def url(self, database: str) -> str:
        return self._postgres_url.replace(f"/{_TEMPLATE}?", f"/{database}?")

    async def new_database(self) -> str:
        """A migrated, empty database; its URL."""
        name = next(self._names)
        connection = await asyncpg.connect(self.url("postgres"))
        try:
            await connection.execute(f"create database {name} template {_TEMPLATE}")
        finally:
            await connection.close()
        return self.url(name)

    @contextmanager
    def frozen_postgres(self) -> Iterator[None]:
        """Freeze PostgreSQL with all its sessions: queries hang, and sockets stay open."""
        pid = self.postgres.pid
        with ExitStack() as stack:
            # The process that creates sessions first.
            stack.enter_context(frozen(pid))
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                stack.enter_context(frozen(int(child)))
            yield

    async def crash_postgres(self) -> None:
        """Shut PostgreSQL down immediately: sessions are closed, nothing is flushed, and the next start recovers."""
        pid = self.postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGQUIT)

        async def gone() -> bool:
            return self.postgres.pid is None

        await until(gone, "PostgreSQL to be gone")

    async def kill_redis(self) -> None:
        pid = self.redis.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

        async def gone() -> bool:
            return self.redis.pid is None

        await until(gone, "Valkey to be gone")
