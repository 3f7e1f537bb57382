"""Settings that remove values from PostgreSQL's own log.

By default the server logs the values of failed statements: "Key (email)=(ana@example.com) already exists". These
settings log only the error. Most of them require a superuser, so they are set by `ALTER ROLE`.
"""

from collections.abc import Mapping

import asyncpg

from gateway.models.pool import Connection

LOG_SETTINGS: Mapping[str, str] = {
    "log_error_verbosity": "terse",  # No DETAIL, which holds the values of a row or a key.
    "log_min_error_statement": "panic",  # No statement with an error.
    "log_parameter_max_length": "0",  # No parameters with a slow statement.
    "log_parameter_max_length_on_error": "0",
}


async def log_differences(connection: Connection) -> dict[str, str]:
    """The settings that differ, with the connection's values."""
    names = list(LOG_SETTINGS)
    rows = await connection.fetch("select name, current_setting(name) as value from unnest($1::text[]) name", names)
    # A length comes back with its unit: `0` as `0`, others as `1kB`.
    return {row["name"]: row["value"] for row in rows if row["value"] != LOG_SETTINGS[row["name"]]}


async def role_statements(connection: Connection) -> list[str]:
    """The statements that a superuser runs to set them for the connection's role."""
    role = await connection.fetchval("select quote_ident(current_user)")
    return [f"ALTER ROLE {role} SET {name} = '{value}';" for name, value in LOG_SETTINGS.items()]


async def set_log_settings(dsn: str) -> bool:
    """Set them for the connection's role if allowed. Returns whether all are set; otherwise `gateway doctor` warns."""
    connection = await asyncpg.connect(dsn)
    try:
        if not await log_differences(connection):
            return True
        for statement in await role_statements(connection):
            await connection.execute(statement)
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InternalServerError, asyncpg.ReadOnlySQLTransactionError):
        return False  # Not allowed, or another process has just changed the same role.
    finally:
        await connection.close()
    return True
