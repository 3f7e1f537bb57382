"""Check, before a process starts, that the database answers and has this version's tables."""

import asyncio
from pathlib import Path

import asyncpg

from gateway.values.user_error import UserError

CONNECT_TIMEOUT_SECONDS = 10.0
VERSIONS = Path(__file__).parent / "migrations" / "versions"


class DatabaseUnreachable(UserError):
    """The connection failed. The message is one line for an operator."""


class NotMigrated(UserError):
    """The database's tables aren't this version's. The message is one line for an operator."""


def check_connection(url: str) -> None:
    """Connect and disconnect. Raises `DatabaseUnreachable`; `url` may name SQLAlchemy's driver."""
    asyncio.run(read_revision(url))


def require_migrated(url: str) -> None:
    """Connect and compare the schema's revision with the newest migration. Raises `DatabaseUnreachable`, `NotMigrated`.

    A newer schema passes: a release's migration leaves the version before it working (docs/deployment.md, Upgrading).
    """
    revision, newest = asyncio.run(read_revision(url)), newest_revision()
    if revision is None:
        raise NotMigrated("the database has no tables of the gateway; run gateway migrate")
    if not revision.isdecimal():
        raise NotMigrated(f"the schema is at {revision}, which is none of ours; look at GATEWAY_DATABASE_URL")
    if revision < newest:
        raise NotMigrated(f"the schema is at {revision} and this version needs {newest}; run gateway migrate")


def newest_revision() -> str:
    """The newest migration's number, by its file name: Alembic would import all of them."""
    return max(path.name[:4] for path in VERSIONS.glob("[0-9]*.py"))


async def read_revision(url: str) -> str | None:
    """The schema's revision, or None without one. Raises `DatabaseUnreachable`."""
    _, separator, rest = url.partition("://")
    if not separator:
        raise DatabaseUnreachable("GATEWAY_DATABASE_URL must be a URL that starts with postgresql://")
    try:
        connection = await asyncpg.connect(f"postgresql://{rest}", timeout=CONNECT_TIMEOUT_SECONDS)
    except (OSError, ValueError, OverflowError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise unreachable(error) from None
    try:
        if await connection.fetchval("select to_regclass('alembic_version') is null"):
            return None
        revision: str | None = await connection.fetchval("select version_num from alembic_version")
        return revision
    finally:
        await connection.close()


def unreachable(error: Exception) -> DatabaseUnreachable:
    """The reason of a failed connection, for an operator."""
    return DatabaseUnreachable(f"the database can't be reached: {sanitize_reason(error)}; look at GATEWAY_DATABASE_URL")


def sanitize_reason(error: Exception) -> str:
    """A failure to connect, in one line. Never quotes a malformed address: its port may be half of the password."""
    if isinstance(error, ValueError) and not isinstance(error, asyncpg.InterfaceError):
        return "its address can't be read"
    if isinstance(error, TimeoutError) and not str(error):
        return f"no answer within {CONNECT_TIMEOUT_SECONDS:.0f} s"
    return str(error).strip().partition("\n")[0] or type(error).__name__
