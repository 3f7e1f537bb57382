"""PostgreSQL: its version, its schema, its clock and its room for connections."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

from gateway.doctor.asking import NOT_TOLD, PATIENCE_SECONDS, ask, connected
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.doctor.looking import Unanswered, masked
from gateway.models.migrate import Standing, newest, standing
from gateway.models.reach import sanitize_reason
from gateway.settings import Settings

OLDEST_VERSION = 18
MOST_SKEW_SECONDS = 2.0
_FACTS = """
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
           clock_timestamp() as now, pg_is_in_recovery() as replica, current_setting('server_encoding') as encoding,
           current_setting('max_connections')::int as connections,
           to_regclass('alembic_version') is not null as migrated,
           (select array_agg(wanted.name) from unnest(array['pg_trgm', 'unaccent']) as wanted (name)
             where not exists (select from pg_available_extensions a where a.name = wanted.name)) as unavailable
"""


async def database(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about the database."""
    try:
        before, facts, after = await _facts(settings)
    except NOT_TOLD as error:
        reason = masked(sanitize_reason(error), settings) if str(error) else f"no answer within {PATIENCE_SECONDS} s"
        raise Unanswered(f"can't be reached: {reason}; look at GATEWAY_DATABASE_URL") from None
    for finding in _judged(facts, settings):
        yield finding
    yield _clock(before, facts["now"], after)
    found = await ask(settings, "select version_num from alembic_version") if facts["migrated"] else None
    yield _schema(found["version_num"] if found else None)


async def _facts(settings: Settings) -> tuple[datetime, Any, datetime]:
    async with connected(settings) as connection:
        before = datetime.now(UTC)
        facts = await connection.fetchrow(_FACTS)
        return before, facts, datetime.now(UTC)


def _judged(facts: Any, settings: Settings) -> Iterator[Finding]:
    if facts["major"] < OLDEST_VERSION:
        yield mend("database", f"PostgreSQL {facts['version']} is too old: {OLDEST_VERSION} or newer is needed")
    else:
        yield good("database", f"PostgreSQL {facts['version']}")
    if facts["replica"]:
        yield mend("database", "a read-only replica; set GATEWAY_DATABASE_URL to the primary")
    if facts["unavailable"]:
        missing = ", ".join(facts["unavailable"])
        yield mend("database", f"lacks the extensions {missing}: install PostgreSQL's contrib package on its machine")
    if facts["encoding"] != "UTF8":
        yield mend("database", f"encoding {facts['encoding']}; create it anew with UTF8")
    if settings.database_pool * 4 > facts["connections"]:
        yield mind(
            "connections",
            f"{facts['connections']} in all, up to {settings.database_pool} per process: raise max_connections or lower "
            "GATEWAY_DATABASE_POOL before running several",
        )


def _schema(revision: str | None) -> Finding:
    match standing(revision):
        case Standing.newest:
            return good("schema", f"at {revision}, the newest")
        case Standing.newer:
            return mind(
                "schema", f"at {revision}, newer than this version, which knows {newest()} and works on it for now"
            )
        case Standing.foreign:
            return mend("schema", f"at {revision}, which is none of ours; look at GATEWAY_DATABASE_URL")
    return mend("schema", f"at {revision or 'nothing'}, {newest()} is the newest: run `gateway migrate`")


def _clock(before: datetime, theirs: datetime, after: datetime) -> Finding:
    skew = abs((theirs - (before + (after - before) / 2)).total_seconds())
    if skew > MOST_SKEW_SECONDS:
        return mend("clock", f"{skew:.1f} s apart from the database's; synchronise both (NTP)")
    return good("clock", f"{skew:.3f} s apart from the database's")
