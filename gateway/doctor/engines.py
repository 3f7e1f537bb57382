"""Payment engines: whether the accounts behind them can do what the gateway will ask, and which ones they refuse."""

from collections.abc import AsyncIterator

from gateway.doctor.asking import NOT_TOLD, PATIENCE_SECONDS, connected
from gateway.doctor.findings import Finding, Mark, mend, mind
from gateway.integrations.engines.registry import open_engines
from gateway.models.base import Environment
from gateway.models.database import open_database
from gateway.settings import Settings
from gateway.values.clock import SystemClock

_REFUSED = """
    select engine, environment, account_id, reason, refusals, last_at > now() - interval '1 hour' as is_fresh,
           to_char(last_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') as last_at
      from account_refusals where last_at > now() - interval '1 day' order by 1, 2, 3 limit 20
"""


async def refusals(settings: Settings) -> AsyncIterator[Finding]:
    """Accounts that an engine has refused to serve within a day: no Pix key, blocked, a key that isn't accepted."""
    async with connected(settings) as connection:
        try:
            rows = await connection.fetch(_REFUSED)
        except NOT_TOLD:  # A schema that is older is told of elsewhere.
            return
    for row in rows:
        whose = f"account {row['account_id']}" if row["account_id"] else "the main account"
        found = mend if row["is_fresh"] else mind
        yield found(
            f"{row['environment']} engine",
            f"{row['engine']} refused {whose} {row['refusals']} times, last at {row['last_at']} UTC: {row['reason']}",
        )


async def engines(settings: Settings) -> AsyncIterator[Finding]:
    """What each environment's engine says of its account; an engine without a bank says nothing."""
    database = await open_database(settings.asyncpg_dsn, size=2, timeout=PATIENCE_SECONDS)
    try:
        async with open_engines(settings, database, SystemClock()) as opened:
            for environment in Environment:
                for result in await opened.of(environment).check_health():
                    mark = Mark.good if result.ok else Mark.mend
                    yield Finding(mark, f"{environment} engine", result.text)
    finally:
        await database.close()
