"""Find payments and returns whose notification was lost, at banks that list the payments of a period.

A page has the format of a notification's body, so each payment is stored as one: what was received before is a
repetition, and `retry_notifications` handles the rest. A period begins hours before the end of the last one, because
banks' clocks differ from ours and some send local time as UTC.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import RateLimited
from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.interface import ListsPayments
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.reconciliation import payment_listings
from gateway.resolvers.core.concurrency import run_concurrently
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import log_engine_failure
from gateway.resolvers.engine_notifications.process import store_notifications
from gateway.resolvers.reconciliation.quota import consume_quota
from gateway.telemetry import log

OVERLAP = timedelta(hours=4)
FIRST_PERIOD = timedelta(days=1)
MAX_PERIOD = timedelta(days=1)
RETURN_DAYS = timedelta(days=90)
"""How long after its payment a return may happen."""
MAX_RETURN_PERIOD = timedelta(days=30)
MAX_PAGES = 1_000

_L = payment_listings
LISTED_UNTIL = Statement(
    select(_L.c.listed_until).where(_L.c.environment == bindparam("environment"), _L.c.engine == bindparam("engine"))
)
_set = insert(_L).values({name: bindparam(name) for name in ("environment", "engine", "listed_until")})
SET_LISTED_UNTIL = Statement(
    _set.on_conflict_do_update(
        index_elements=["environment", "engine"],
        set_={"listed_until": _set.excluded.listed_until},
        where=_L.c.listed_until < _set.excluded.listed_until,
    )
)


async def list_payments(ctx: Context) -> int:
    """List the payments since the last run, and the returns of 90 days, of each environment. Returns how many lost
    notifications were stored.
    """
    found: list[int] = []
    await run_concurrently(_list_environment(ctx, environment, found) for environment in Environment)
    return sum(found)


async def _list_environment(ctx: Context, environment: Environment, found: list[int]) -> None:
    engine = ctx.services.engines.of(environment)
    if not isinstance(engine, ListsPayments):
        return
    now = ctx.real_clock.now()
    scope = {"environment": environment, "engine": engine.name}
    try:
        listed_until = await ctx.database.value(LISTED_UNTIL, **scope) or now - FIRST_PERIOD
        for begin, end in _periods(listed_until - OVERLAP, now, MAX_PERIOD):
            found.append(await _store_period(ctx, engine, environment, begin, end))
            await ctx.database.run(SET_LISTED_UNTIL, **scope, listed_until=end)
        for begin, end in _periods(now - RETURN_DAYS, now, MAX_RETURN_PERIOD):
            found.append(await _store_period(ctx, engine, environment, begin, end, returned=True))
    except EngineError as error:
        log_engine_failure(engine, error)
    except RateLimited:
        log.warning("payment_listing_postponed", environment=environment.value, engine=engine.name)


async def _store_period(
    ctx: Context,
    engine: ListsPayments,
    environment: Environment,
    begin: datetime,
    end: datetime,
    *,
    returned: bool = False,
) -> int:
    """Store what is new in a period, page by page. Raises `EngineError` and `RateLimited`."""
    stored = 0
    for number in range(MAX_PAGES):
        await consume_quota(ctx, engine, environment)
        page = await engine.list_payments(begin, end, number, returned=returned)
        stored += await store_notifications(ctx, engine, environment, page.body)
        if not page.has_more:
            break
    if stored:
        log.warning("lost_notifications_found", environment=environment.value, engine=engine.name, count=stored)
    return stored


def _periods(begin: datetime, end: datetime, longest: timedelta) -> Iterator[tuple[datetime, datetime]]:
    while begin < end:
        middle = min(begin + longest, end)
        yield begin, middle
        begin = middle
