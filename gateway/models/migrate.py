"""Bring a database to the newest schema. `gateway migrate` and the test suite call `upgrade`; a deploy runs it once,
before the new version's processes start, and an advisory lock makes a second runner wait.

A change of a table waits for its current users, and later queries queue behind the change: during a dump, for an hour.
So a migration waits for a lock for seconds only, releases the queue, and tries again for some minutes.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from msgspec import Struct
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from gateway.models.lock_blockers import monitor_blockers
from gateway.models.server_log import set_log_settings
from gateway.values.user_error import UserError

Step = Callable[[Connection], None]
ProgressCallback = Callable[[str], object]
MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7_420_001
_RETRYABLE = {"55P03", "40P01"}
"""SQLSTATE of a lock timeout and of a deadlock."""

_TOO_OLD = (
    "the database was made before migration 0001_initial and can't be migrated: create a new one "
    "(for `gateway dev`, delete its data directory: .gateway, or what --data-dir names)"
)


class MigrationError(UserError):
    """The schema was left as it was. The message is one line for an operator."""

    exit_code = 1


class SchemaStatus(StrEnum):
    """How a database's schema status to what this version knows."""

    older = "older"
    newest = "newest"
    newer = "newer"
    """A later version has made it, and this one works on it all the same (docs/deployment.md, "Upgrading")."""
    foreign = "foreign"


class LockRetryPolicy(Struct, frozen=True):
    """Seconds to `wait` for a lock, to `pause` until the next attempt so that queued queries run, and to `give_up`."""

    wait: float = 3.0
    pause: float = 7.0
    give_up: float = 300.0


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's configuration, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    """The newest revision that this version knows."""
    return str(ScriptDirectory.from_config(configuration()).get_current_head())


def schema_status(revision: str | None) -> SchemaStatus:
    """How a schema of that revision status; None is an empty database. Revisions are numbers of four digits."""
    known = [script.revision for script in ScriptDirectory.from_config(configuration()).walk_revisions()]
    if revision == known[0]:
        return SchemaStatus.newest
    if revision is None or revision in known:
        return SchemaStatus.older
    return SchemaStatus.newer if revision.isdecimal() and revision > known[0] else SchemaStatus.foreign


def _print(line: str) -> None:
    sys.stderr.write(f"gateway: {line}\n")


class Migrated(Struct, frozen=True):
    """The schema's revision before and after; None is an empty database."""

    before: str | None
    after: str | None


def upgrade(
    database_url: str,
    revision: str = "head",
    *,
    retry: LockRetryPolicy | None = None,
    report: ProgressCallback = _print,
) -> Migrated:
    """Migrate up to `revision`; blocks until done. Reports each wait for a lock, and a schema that is newer already,
    to `report`. Raises `MigrationError`.
    """
    revisions: list[str | None] = []

    def step(connection: Connection) -> None:
        now = MigrationContext.configure(connection).get_current_revision()
        status = schema_status(now)
        if status is SchemaStatus.foreign:
            raise MigrationError(f"the schema is at {now}, which is none of ours; look at GATEWAY_DATABASE_URL")
        if connection.scalar(text("select to_regproc('cut_further') is not null")):
            raise MigrationError(_TOO_OLD)
        if status is SchemaStatus.newer:
            report(f"the schema is at {now}, newer than this version, which knows {newest()}: nothing to do")
        else:
            command.upgrade(configuration(connection), revision)
        revisions[:] = [now, MigrationContext.configure(connection).get_current_revision()]

    asyncio.run(_with_connection(database_url, step, retry or LockRetryPolicy(), report))
    asyncio.run(set_log_settings(_dsn(database_url)))
    return Migrated(*revisions)


def _dsn(database_url: str) -> str:
    # asyncpg reads the address itself: SQLAlchemy would hand it `?sslmode=` as an argument that it doesn't know.
    return "postgresql://" + database_url.partition("://")[2]


async def _with_connection(database_url: str, step: Step, retry: LockRetryPolicy, report: ProgressCallback) -> None:
    dsn = _dsn(database_url)
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn), poolclass=NullPool
    )
    try:
        async with engine.connect() as connection:
            pid = await connection.run_sync(_alone)
            async with monitor_blockers(dsn, pid) as watch:
                first: float | None = None
                while not await connection.run_sync(_done, step, retry):
                    now = time.monotonic()
                    first = now if first is None else first
                    if now - first > retry.give_up:
                        raise MigrationError(
                            f"{watch.description()}, and the schema was left as it was; migrate when that has ended"
                        )
                    report(f"{watch.description()} of a migration, which tries again in {retry.pause:.0f} s")
                    await asyncio.sleep(retry.pause)
    finally:
        await engine.dispose()


def _alone(connection: Connection) -> int:
    """Lock migrations for this connection. Returns its server process id."""
    connection.execute(text("select pg_advisory_lock(:lock)"), {"lock": _LOCK})
    pid: int = connection.execute(text("select pg_backend_pid()")).scalar_one()
    connection.commit()
    return pid


def _done(connection: Connection, step: Step, retry: LockRetryPolicy) -> bool:
    """Take the step in one transaction. False if a lock timed out and nothing was done."""
    connection.execute(text("select set_config('lock_timeout', :wait, true)"), {"wait": f"{retry.wait * 1000:.0f}ms"})
    try:
        step(connection)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in _RETRYABLE:
            raise
        connection.rollback()
        return False
    connection.commit()
    return True
