"""PostgreSQL: version, schema, partitions, clock, connections, the role's privileges, and what the server's log may
contain.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import asyncpg

from gateway.doctor.check import (
    CONNECT_TIMEOUT_SECONDS,
    QUERY_ERRORS,
    Finding,
    Findings,
    Unreachable,
    connect,
    error,
    mask_secrets,
    ok,
    query_row,
    warning,
)
from gateway.models.audit import audit_chain, audit_pending, audit_records
from gateway.models.connectivity import sanitize_reason
from gateway.models.migrate import SchemaStatus, newest, schema_status
from gateway.models.server_log import log_differences, role_statements
from gateway.models.tables import metadata
from gateway.resolvers.core.partitions import MISSING, TABLES
from gateway.settings import Settings

MIN_VERSION = 18
MAX_SKEW_SECONDS = 2.0
_FACTS = """
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
           clock_timestamp() as now, pg_is_in_recovery() as replica, current_setting('server_encoding') as encoding,
           current_setting('max_connections')::int as connections,
           to_regclass('alembic_version') is not null as migrated,
           (select array_agg(wanted.name) from unnest(array['pg_trgm', 'unaccent']) as wanted (name)
             where not exists (select from pg_available_extensions a where a.name = wanted.name)) as unavailable
"""

MAX_NAMED_TABLES = 5
_ALL = ("select", "insert", "update", "delete")
_APPEND_ONLY = {
    audit_records.name: ("select", "insert"),
    audit_chain.name: ("select", "insert"),
    audit_pending.name: ("select", "insert", "delete"),
    **{f"{table}_default": ("select",) for table in TABLES},
    "alembic_version": ("select",),
}
_FUNCTIONS = {
    f"function {name}": ("execute",)
    for name in (
        "create_month_partition(regclass,date)",
        "drop_webhook_partitions(date)",
        "flush_search_indexes()",
    )
}
"""Functions that PUBLIC may not execute."""
REQUIRED_PRIVILEGES = dict.fromkeys(metadata.tables, _ALL) | _APPEND_ONLY | _FUNCTIONS
"""The privileges that the gateway's role needs, by table or function; docs/audit.md has an operator grant them."""
# A table or function that doesn't exist yields null, and is no row here: the check of the schema reports it.
_MISSING = """
    select t.name, t.privilege from unnest($1::text[], $2::text[]) as t (name, privilege)
     where not case when starts_with(t.name, 'function ')
                    then has_function_privilege(to_regprocedure(split_part(t.name, ' ', 2)), t.privilege)
                    else has_table_privilege(to_regclass(t.name), t.privilege) end
"""
_HAS_ROWS = "select exists(select from {}_default)"
_READ_ONLY = "select current_setting('transaction_read_only') = 'on' and not pg_is_in_recovery()"


async def check_database(settings: Settings) -> Findings:
    try:
        before, facts, after = await _facts(settings)
    except QUERY_ERRORS as failure:
        timeout = f"no answer within {CONNECT_TIMEOUT_SECONDS} s"
        reason = mask_secrets(sanitize_reason(failure), settings) if str(failure) else timeout
        raise Unreachable(f"can't be reached: {reason}; look at GATEWAY_DATABASE_URL") from None
    for finding in _check_server(facts, settings):
        yield finding
    yield _check_clock(before, facts["now"], after)
    found = await query_row(settings, "select version_num from alembic_version") if facts["migrated"] else None
    yield _check_schema(found["version_num"] if found else None)


async def _facts(settings: Settings) -> tuple[datetime, Any, datetime]:
    async with connect(settings) as connection:
        before = datetime.now(UTC)
        facts = await connection.fetchrow(_FACTS)
        return before, facts, datetime.now(UTC)


def _check_server(facts: Any, settings: Settings) -> Iterator[Finding]:
    if facts["major"] < MIN_VERSION:
        yield error("database", f"PostgreSQL {facts['version']} is too old: {MIN_VERSION} or newer is needed")
    else:
        yield ok("database", f"PostgreSQL {facts['version']}")
    if facts["replica"]:
        yield error("database", "a read-only replica; set GATEWAY_DATABASE_URL to the primary")
    if facts["unavailable"]:
        missing = ", ".join(facts["unavailable"])
        yield error("database", f"lacks the extensions {missing}: install PostgreSQL's contrib package on its machine")
    if facts["encoding"] != "UTF8":
        yield error("database", f"encoding {facts['encoding']}; create it again with UTF8")
    if settings.database_pool * 4 > facts["connections"]:
        yield warning(
            "connections",
            f"{facts['connections']} in all, up to {settings.database_pool} per process: raise max_connections or lower "
            "GATEWAY_DATABASE_POOL before running several",
        )


def _check_schema(revision: str | None) -> Finding:
    match schema_status(revision):
        case SchemaStatus.newest:
            return ok("schema", f"at {revision}, the newest")
        case SchemaStatus.newer:
            text = f"at {revision}, newer than this version, which knows {newest()} and works on it for now"
            return warning("schema", text)
        case SchemaStatus.foreign:
            return error("schema", f"at {revision}, which is none of ours; look at GATEWAY_DATABASE_URL")
    return error("schema", f"at {revision or 'nothing'}, {newest()} is the newest: run `gateway migrate`")


def _check_clock(before: datetime, database_time: datetime, after: datetime) -> Finding:
    skew = abs((database_time - (before + (after - before) / 2)).total_seconds())
    if skew > MAX_SKEW_SECONDS:
        return error("clock", f"{skew:.1f} s apart from the database's; synchronise both (NTP)")
    return ok("clock", f"{skew:.3f} s apart from the database's")


async def check_privileges(settings: Settings) -> Findings:
    pairs = [(name, privilege) for name, privileges in REQUIRED_PRIVILEGES.items() for privilege in privileges]
    async with connect(settings) as connection:
        if await connection.fetchval(_READ_ONLY):  # `check_database` reports a replica.
            yield error(
                "rights", "transactions are read-only, so nothing can be written: reset default_transaction_read_only"
            )
        rows = await connection.fetch(_MISSING, *map(list, zip(*pairs, strict=True)))
    missing = defaultdict[str, list[str]](list)
    for row in rows:
        missing[row["name"]].append(row["privilege"])
    if missing:
        yield error("rights", f"the database's role may not {_listed(missing)}: grant it what docs/audit.md lists")
    else:
        yield ok("rights", "the database's role may do what it must")


def _listed(missing: dict[str, list[str]]) -> str:
    named = [f"{', '.join(privileges)} on {name}" for name, privileges in list(missing.items())[:MAX_NAMED_TABLES]]
    more = len(missing) - MAX_NAMED_TABLES
    return "; ".join(named) + (f" and as little on {more} more" if more > 0 else "")


async def check_partitions(settings: Settings) -> Findings:
    """Whether the monthly partitions of this month and the next exist, and whether a default one has rows."""
    async with connect(settings) as connection:
        try:
            missing = await connection.fetch(MISSING.sql, *MISSING.arguments({"tables": TABLES, "ahead": 1}))
            filled = [table for table in TABLES if await connection.fetchval(_HAS_ROWS.format(table))]
        except asyncpg.UndefinedTableError:
            return  # An old schema: `check_database` reports it.
    for row in missing:
        yield warning("partitions", f"{row['parent']} has none for {row['month']:%Y-%m}: is `gateway worker` running?")
    for table in filled:
        yield error(
            "partitions", f"{table}_default has rows; docs/deployment.md says how to move them to a monthly one"
        )
    if not missing and not filled:
        yield ok("partitions", "those of this month and the next exist, and the default ones are empty")


async def check_server_log(settings: Settings) -> Findings:
    """Whether PostgreSQL's log can contain payers' data, with the SQL that prevents it."""
    async with connect(settings) as connection:
        different = await log_differences(connection)
        statements = await role_statements(connection)
    if not different:
        yield ok("server log", "PostgreSQL logs errors without values and statements")
        return
    named = ", ".join(f"{name} is {value}" for name, value in different.items())
    yield error(
        "server log",
        f"PostgreSQL may log e-mails and documents of failed statements ({named}); run as a superuser, then restart the "
        f"gateway: {' '.join(statements)}",
    )
