"""`gateway reconcile`: everything whose outcome we don't know, asked now."""

import asyncio

from gateway.errors import RateLimited
from gateway.integrations.engines.port import EngineError
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.resolvers.charges.engine_calls import belongs_to_engine, fetch_from_engine
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.retry import retry_notices
from gateway.resolvers.reconciliation.bringing import AFTER, Brought
from gateway.resolvers.reconciliation.checks import BATCH, BRING_FORWARD, ENROLLED_AT_ONCE, REHEARSE
from gateway.resolvers.reconciliation.comparing import compare
from gateway.resolvers.reconciliation.looking import AT_A_TIME, enrol_old, look_at_due, spend, together
from gateway.resolvers.reconciliation.schedule import OLD, is_settled
from gateway.resolvers.reconciliation.tally import Tally
from gateway.values.ids import FIRST_ID


async def reconcile(ctx: Context, *, at_once: bool = False) -> Tally:
    """Close issuances without an outcome, judge notices that wait, and look at charges. `at_once`: also at those that
    would be looked at later.
    """
    tally = Tally()
    while closed := await recover_issuances(ctx):
        tally.issuances_closed += closed
    while judged := await retry_notices(ctx):
        tally.notices_judged += judged
    while await enrol_old(ctx) == ENROLLED_AT_ONCE:
        continue
    if at_once:
        await ctx.database.run(BRING_FORWARD, now=ctx.real_clock.now())
    return await look_at_due(ctx, tally)


async def rehearse(ctx: Context) -> Tally:
    """Ask about the charges that a run would look at, and write nothing: the counts are of what would be done."""
    tally = Tally()
    await together(_rehearse(ctx, environment, tally) for environment in Environment)
    return tally


async def _rehearse(ctx: Context, environment: Environment, tally: Tally) -> None:
    now, after = ctx.real_clock.now(), FIRST_ID
    gate = asyncio.Semaphore(AT_A_TIME)
    scope = {"environment": environment.value, "now": now, "oldest": now - OLD}
    while rows := await ctx.database.all(REHEARSE, **scope, after=after):
        after = rows[-1]["id"]
        await together(_ask(ctx, environment, row, gate, tally) for row in rows if not is_settled(row))
        if len(rows) < BATCH or tally.unanswered:
            return


async def _ask(ctx: Context, environment: Environment, row: Row, gate: asyncio.Semaphore, tally: Tally) -> None:
    engine = ctx.services.engines.of(environment)
    if not belongs_to_engine(engine, row):
        return
    async with gate:
        try:
            await spend(ctx, engine, environment)
            held = await fetch_from_engine(ctx, engine, row)
        except (EngineError, RateLimited):
            tally.miss(environment)
            return
    finding = compare(row, held)
    proves = held is not None and held.end_to_end_id is not None and row["end_to_end_id"] is None
    proved = proves and row["paid_at"] is not None
    differs = finding.difference is not None
    tally.add(
        environment, Brought(finding, held, finding.move in AFTER, proved, differs, int(row["differs"] and not differs))
    )
