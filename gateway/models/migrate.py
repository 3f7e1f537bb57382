"""Bring a database to the newest schema. `gateway migrate` and the test suite call `upgrade`; a deploy runs it once,
before the new version's processes start, and an advisory lock makes a second runner wait.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7_420_001


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's configuration, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def upgrade(database_url: str, revision: str = "head") -> None:
    """Migrate up to `revision`; blocks until done."""
    asyncio.run(_with_connection(database_url, lambda config: command.upgrade(config, revision)))


def downgrade(database_url: str, revision: str) -> None:
    """Migrate down to `revision`, for tests of the migrations themselves."""
    asyncio.run(_with_connection(database_url, lambda config: command.downgrade(config, revision)))


def _locked(connection: Connection, step: Callable[[Config], object]) -> None:
    connection.execute(text("select pg_advisory_lock(:lock)"), {"lock": _LOCK})
    step(configuration(connection))
    connection.commit()


async def _with_connection(database_url: str, step: Callable[[Config], object]) -> None:
    # asyncpg reads the address itself: SQLAlchemy would hand it `?sslmode=` as an argument that it doesn't know.
    dsn = "postgresql://" + database_url.partition("://")[2]
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn), poolclass=NullPool
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(_locked, step)
            await connection.commit()
    finally:
        await engine.dispose()
