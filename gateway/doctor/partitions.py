"""Monthly partitions: whether those of this month and the next exist, and whether rows are in a default partition."""

from collections.abc import AsyncIterator

import asyncpg

from gateway.doctor.asking import connected
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.resolvers.core.partitions import MISSING, TABLES
from gateway.settings import Settings

SUBJECT = "partitions"
_HAS_STRAYS = "select exists(select from {}_default)"


async def partitions(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about partitions."""
    async with connected(settings) as connection:
        try:
            missing = await connection.fetch(MISSING.sql, *MISSING.arguments({"tables": TABLES, "ahead": 1}))
            strays = [table for table in TABLES if await connection.fetchval(_HAS_STRAYS.format(table))]
        except asyncpg.UndefinedTableError:  # An old schema has none.
            return
    for row in missing:
        yield mind(SUBJECT, f"{row['parent']} has none for {row['month']:%Y-%m}: is `gateway worker` running?")
    for table in strays:
        yield mend(SUBJECT, f"{table}_default has rows without a monthly partition; see docs/deployment.md")
    if not missing and not strays:
        yield good(SUBJECT, "those of this month and the next exist, and the default ones are empty")
