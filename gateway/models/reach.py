"""Whether a configured database can be had at all: asked once, before a process starts that can't live without it."""

import asyncio

import asyncpg

from gateway.mendable import Mendable

PATIENCE_SECONDS = 10.0


class DatabaseUnreachable(Mendable):
    """No connection can be had. The message is one line for an operator."""


def prove_reachable(url: str) -> None:
    """Connect and leave. Raises `DatabaseUnreachable`; `url` may name SQLAlchemy's driver."""
    _, mark, rest = url.partition("://")
    if not mark:
        raise DatabaseUnreachable("GATEWAY_DATABASE_URL must be a URL that starts with postgresql://")
    asyncio.run(_connect(f"postgresql://{rest}"))


async def _connect(dsn: str) -> None:
    try:
        connection = await asyncpg.connect(dsn, timeout=PATIENCE_SECONDS)
    except (OSError, ValueError, OverflowError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise unreachable(error) from None
    await connection.close()


def unreachable(error: Exception) -> DatabaseUnreachable:
    """What an operator is told of a failure to connect."""
    return DatabaseUnreachable(f"the database can't be reached: {reason_of(error)}; look at GATEWAY_DATABASE_URL")


def reason_of(error: Exception) -> str:
    """A failure to connect, in a line. An address that can't be read isn't quoted: what seems to be its port
    may be half of the password.
    """
    if isinstance(error, ValueError) and not isinstance(error, asyncpg.InterfaceError):
        return "its address can't be read"
    return str(error).strip().partition("\n")[0] or type(error).__name__
