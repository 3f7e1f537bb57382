"""Secrets at rest: whether the key that is configured opens them all, and whether an old one is still needed."""

from collections.abc import AsyncIterator

import asyncpg

from gateway.doctor.asking import PATIENCE_SECONDS
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.models.database import open_database
from gateway.resolvers.key_rotation import count_key_usage
from gateway.services import open_vault
from gateway.settings import Settings

SUBJECT = "secrets at rest"


async def secrets(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about secrets at rest."""
    database = await open_database(settings.asyncpg_dsn, size=2, timeout=PATIENCE_SECONDS)
    try:
        found = await count_key_usage(database, open_vault(settings))
    except asyncpg.UndefinedTableError:  # So has a schema that isn't there yet.
        return
    finally:
        await database.close()
    lost, stale = sum(each.lost for each in found), sum(each.stale for each in found)
    if lost:
        where = ", ".join(each.column for each in found if each.lost)
        yield mend(
            SUBJECT, f"{lost} can't be opened ({where}): add the key that sealed them to GATEWAY_SECRET_KEY_PREVIOUS"
        )
    if stale:
        yield mind(SUBJECT, f"{stale} under an older key: run `gateway admin reseal`")
    if not lost and not stale:
        told = f"{sum(each.current for each in found)}, all under the newest key"
        spare = len(settings.secret_key_previous)
        yield good(SUBJECT, told + ("; GATEWAY_SECRET_KEY_PREVIOUS isn't needed any more" if spare else ""))
