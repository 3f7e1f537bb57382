"""PostgreSQL: its version, its schema, its clock and its room for connections."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import asyncpg
from alembic.script import ScriptDirectory

from gateway.doctor.findings import Finding, good, mend, mind
from gateway.models.migrate import configuration
from gateway.settings import Settings

OLDEST_VERSION = 18
MOST_SKEW_SECONDS = 2.0
_FACTS = """
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
           clock_timestamp() as now, pg_is_in_recovery() as replica, current_setting('server_encoding') as encoding,
           current_setting('max_connections')::int as connections, to_regclass('alembic_version') is not null as migrated
"""


async def database(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about the database."""
    try:
        connection = await asyncpg.connect(settings.asyncpg_dsn, timeout=5)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        yield mend("database", f"can't be reached: {error or type(error).__name__}; look at GATEWAY_DATABASE_URL")
        return
    try:
        before = datetime.now(UTC)
        facts = await connection.fetchrow(_FACTS)
        after = datetime.now(UTC)
        revision = await connection.fetchval("select version_num from alembic_version") if facts["migrated"] else None
    finally:
        await connection.close()
    for finding in _judged(facts, settings):
        yield finding
    yield _schema(revision)
    yield _clock(before, facts["now"], after)


def _judged(facts: Any, settings: Settings) -> Iterator[Finding]:
    if facts["major"] < OLDEST_VERSION:
        yield mend("database", f"PostgreSQL {facts['version']} is too old: {OLDEST_VERSION} or newer is needed")
    else:
        yield good("database", f"PostgreSQL {facts['version']}")
    if facts["replica"]:
        yield mend("database", "a read-only replica; set GATEWAY_DATABASE_URL to the primary")
    if facts["encoding"] != "UTF8":
        yield mend("database", f"encoding {facts['encoding']}; create it anew with UTF8")
    if settings.database_pool * 4 > facts["connections"]:
        yield mind(
            "connections",
            f"{facts['connections']} in all, up to {settings.database_pool} per process: raise max_connections or lower "
            "GATEWAY_DATABASE_POOL before running several",
        )


def _schema(revision: str | None) -> Finding:
    head = ScriptDirectory.from_config(configuration()).get_current_head()
    if revision == head:
        return good("schema", f"at {head}, the newest")
    return mend("schema", f"at {revision or 'nothing'}, {head} is the newest: run `gateway migrate`")


def _clock(before: datetime, theirs: datetime, after: datetime) -> Finding:
    skew = abs((theirs - (before + (after - before) / 2)).total_seconds())
    if skew > MOST_SKEW_SECONDS:
        return mend("clock", f"{skew:.1f} s apart from the database's; synchronise both (NTP)")
    return good("clock", f"{skew:.3f} s apart from the database's")
