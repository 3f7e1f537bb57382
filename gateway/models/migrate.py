"""Migrate a database to the newest schema. A deploy runs `gateway migrate` once, before it starts the new version.

An advisory lock makes a second run wait. Later queries queue behind a migration that waits for a lock, for example for
an hour during a dump. So a migration waits for seconds only, and retries for some minutes.
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
    """The database's schema compared with this version's migrations."""

    older = "older"
    newest = "newest"
    newer = "newer"
    """Of a later version. This one works on it, too (docs/deployment.md, "Upgrading")."""
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
    """The status of a schema revision; None is an empty database. Revisions are numbers of four digits."""
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
    """Migrate up to `revision`. `report` gets a line for each wait for a lock. Raises `MigrationError`."""
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
    # asyncpg parses the URL itself: SQLAlchemy would pass it `?sslmode=` as an unknown argument.
    return "postgresql://" + database_url.partition("://")[2]


async def _with_connection(database_url: str, step: Step, retry: LockRetryPolicy, report: ProgressCallback) -> None:
    dsn = _dsn(database_url)
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn), poolclass=NullPool
    )
    try:
        async with engine.connect() as connection:
            pid = await connection.run_sync(_lock_migrations)
            async with monitor_blockers(dsn, pid) as blockers:
                first: float | None = None
                while not await connection.run_sync(_try_step, step, retry):
                    now = time.monotonic()
                    first = now if first is None else first
                    if now - first > retry.give_up:
                        raise MigrationError(
                            f"{blockers.description()}, and the schema was left as it was; migrate when that has ended"
                        )
                    report(f"{blockers.description()} of a migration, which tries again in {retry.pause:.0f} s")
                    await asyncio.sleep(retry.pause)
    finally:
        await engine.dispose()


def _lock_migrations(connection: Connection) -> int:
    """Lock migrations for this connection. Returns its server process id."""
    connection.execute(text("select pg_advisory_lock(:lock)"), {"lock": _LOCK})
    pid: int = connection.execute(text("select pg_backend_pid()")).scalar_one()
    connection.commit()
    return pid


def _try_step(connection: Connection, step: Step, retry: LockRetryPolicy) -> bool:
    """Run the step in one transaction. False if a lock timed out, with nothing changed."""
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
