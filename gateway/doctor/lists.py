"""Long lists: whether what is kept of them is what their rows say."""

from collections.abc import AsyncIterator

import asyncpg

from gateway.doctor.asking import PATIENCE_SECONDS
from gateway.doctor.findings import Finding, good, mend
from gateway.models.database import open_database
from gateway.resolvers.listing.checking import Looked, look_at_lists
from gateway.settings import Settings

SUBJECT = "lists"


async def lists(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about lists. Of many some are looked at, so that it doesn't take long; others the next time."""
    database = await open_database(settings.asyncpg_dsn, size=1, timeout=PATIENCE_SECONDS)
    seen: list[Looked] = []
    try:
        async for looked in look_at_lists(database):
            seen.append(looked)
            if not looked.holds:
                yield mend(SUBJECT, _told(looked))
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError):
        return  # So has an old schema, which is told elsewhere.
    finally:
        await database.close()
    if not seen:
        yield good(SUBJECT, "none is long yet")
    elif all(looked.holds for looked in seen):
        yield good(SUBJECT, f"{len(seen)} of {seen[-1].lists} long ones looked at, all as their rows say")


def _told(looked: Looked) -> str:
    parts = (
        (looked.rows, f"{looked.rows:+} rows beside the total"),
        (looked.tallies, f"{looked.tallies} other totals"),
        (looked.texts, f"what searches find {looked.texts} rows by"),
    )
    wrong = ", ".join(words for count, words in parts if count)
    return (
        f"{looked.kind} of store {looked.user_id} in {looked.environment} don't agree with their rows: {wrong}; "
        f"run `gateway admin keep-lists-anew {looked.user_id}`"
    )
