"""Payment engines: whether the accounts behind them can do what the gateway will ask."""

from collections.abc import AsyncIterator

from gateway.clock import SystemClock
from gateway.doctor.asking import PATIENCE_SECONDS
from gateway.doctor.findings import Finding, Mark
from gateway.engines.registry import open_engines
from gateway.models.base import Environment
from gateway.models.database import open_database
from gateway.settings import Settings


async def engines(settings: Settings) -> AsyncIterator[Finding]:
    """What each environment's engine says of its account; an engine without a bank says nothing."""
    database = await open_database(settings.asyncpg_dsn, size=2, timeout=PATIENCE_SECONDS)
    try:
        async with open_engines(settings, database, SystemClock()) as opened:
            for environment in Environment:
                for symptom in await opened.of(environment).check_up():
                    mark = Mark.good if symptom.good else Mark.mend
                    yield Finding(mark, f"{environment} engine", symptom.text)
    finally:
        await database.close()
