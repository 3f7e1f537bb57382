"""Monthly partitions: whether those of this month and the next exist, and whether a default partition has rows."""

import asyncpg

from gateway.doctor.check import Findings, connect, error, ok, warning
from gateway.resolvers.core.partitions import MISSING, TABLES
from gateway.settings import Settings

SUBJECT = "partitions"
_HAS_ROWS = "select exists(select from {}_default)"


async def check_partitions(settings: Settings) -> Findings:
    async with connect(settings) as connection:
        try:
            missing = await connection.fetch(MISSING.sql, *MISSING.arguments({"tables": TABLES, "ahead": 1}))
            filled = [table for table in TABLES if await connection.fetchval(_HAS_ROWS.format(table))]
        except asyncpg.UndefinedTableError:
            return  # An old schema: `check_database` reports it.
    for row in missing:
        yield warning(SUBJECT, f"{row['parent']} has none for {row['month']:%Y-%m}: is `gateway worker` running?")
    for table in filled:
        yield error(SUBJECT, f"{table}_default has rows; docs/deployment.md says how to move them to a monthly one")
    if not missing and not filled:
        yield ok(SUBJECT, "those of this month and the next exist, and the default ones are empty")
