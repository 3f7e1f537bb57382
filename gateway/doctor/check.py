"""What a check of the doctor is, what it finds, and how it is run."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import urlsplit

import asyncpg
from msgspec import Struct
from pydantic import SecretStr

from gateway.models.database import Database, open_database
from gateway.models.pool import Connection
from gateway.settings import Settings

CONNECT_TIMEOUT_SECONDS = 5
QUERY_ERRORS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What a database raises that can't be reached, doesn't answer, or refuses the query."""
_CHECK_TIMEOUT_SECONDS = 30.0
_MIN_MASKED_CHARACTERS = 4
"""A shorter secret may be a part of any word."""


class Severity(StrEnum):
    ok = "ok"
    warning = "warning"
    """It works, but an operator should know."""
    error = "error"
    """It doesn't work, or isn't safe."""


class Finding(Struct, frozen=True):
    """One line of the report. `text` says what is found and, unless it is ok, what to do."""

    severity: Severity
    subject: str
    text: str


def ok(subject: str, text: str) -> Finding:
    return Finding(Severity.ok, subject, text)


def warning(subject: str, text: str) -> Finding:
    return Finding(Severity.warning, subject, text)


def error(subject: str, text: str) -> Finding:
    return Finding(Severity.error, subject, text)


Findings: TypeAlias = AsyncGenerator[Finding, None]
CheckFunction: TypeAlias = Callable[[Settings], Findings]
Report: TypeAlias = Callable[[Finding], object]


class Unreachable(Exception):
    """The subject of a check can't be reached. The message says why, and what to do."""


class Check(Struct, frozen=True):
    """One check. It is skipped without a database if `in_database`; it has no time limit where `seconds` is None."""

    subject: str
    find: CheckFunction
    in_database: bool = False
    seconds: float | None = _CHECK_TIMEOUT_SECONDS


async def run_check(check: Check, settings: Settings, report: Report) -> bool:
    """Report each finding as soon as it is known. A check that fails is a finding, too. False for `Unreachable`."""
    try:
        async with asyncio.timeout(check.seconds) as deadline, aclosing(check.find(settings)) as found:
            async for finding in found:
                report(finding)
    except Unreachable as unreachable:
        report(error(check.subject, str(unreachable)))
        return False
    except Exception as failure:  # noqa: BLE001  # The other checks run in any case.
        late = f"no answer within {check.seconds:.0f} s" if deadline.expired() else _one_line(failure, settings)
        report(error(check.subject, f"can't be looked at: {late}"))
    return True


def _one_line(failure: Exception, settings: Settings) -> str:
    line = str(failure).strip().partition("\n")[0]
    return mask_secrets(f"{type(failure).__name__}: {line}".removesuffix(": "), settings)


def mask_secrets(text: str, settings: Settings) -> str:
    """The text without the secrets of the settings."""
    for secret in _secrets(settings):
        text = text.replace(secret, "***")
    return text


def _secrets(settings: Settings) -> Iterator[str]:
    secrets = [value.get_secret_value() for _, value in settings if isinstance(value, SecretStr)]
    secrets += [older.get_secret_value() for older in settings.secret_key_previous]
    secrets += [urlsplit(url).password or "" for url in (*secrets, settings.database_url, settings.redis_url)]
    yield from (secret for secret in secrets if len(secret) >= _MIN_MASKED_CHARACTERS)


@asynccontextmanager
async def open_pool(settings: Settings) -> AsyncIterator[Database]:
    database = await open_database(settings.asyncpg_dsn, size=2, timeout=CONNECT_TIMEOUT_SECONDS)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def connect(settings: Settings) -> AsyncIterator[Connection]:
    """A connection with time limits, on its close as well: a server that hangs is left."""
    connection = await asyncpg.connect(
        settings.asyncpg_dsn, timeout=CONNECT_TIMEOUT_SECONDS, command_timeout=4 * CONNECT_TIMEOUT_SECONDS
    )
    try:
        yield connection
    except BaseException:
        connection.terminate()
        raise
    await connection.close(timeout=CONNECT_TIMEOUT_SECONDS)


async def query_row(settings: Settings, query: str, *values: object) -> asyncpg.Record | None:
    """The row of a query. None where the schema lacks the table, which the check of the schema reports."""
    async with connect(settings) as connection:
        try:
            return await connection.fetchrow(query, *values)
        except asyncpg.UndefinedTableError:
            return None
