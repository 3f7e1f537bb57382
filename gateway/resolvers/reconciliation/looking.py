"""Looking at charges that are due, at the engine of their environment: claim, ask, bring together, write when next.

Each charge is a look of its own, so one that fails takes no other with it; a few are under way at a time. An engine
that doesn't answer, or asks for rest, is left alone for the rest of the batch.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, field

from gateway.errors import RateLimited
from gateway.integrations.engines.port import Engine, EngineBusy, EngineError, EngineMisconfigured, EngineUnavailable
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.resolvers.charges.engine_calls import belongs_to_engine, fetch_from_engine, log_engine_failure
from gateway.resolvers.core.context import Context
from gateway.resolvers.reconciliation.bringing import Brought, bring_together
from gateway.resolvers.reconciliation.checks import BATCH, FORGET, LEASE, POSTPONE, claim, enrol
from gateway.resolvers.reconciliation.schedule import OLD, is_settled, next_wait, retry_wait
from gateway.resolvers.reconciliation.tally import Tally
from gateway.telemetry import log

AT_A_TIME = 5
_HOUR_SECONDS = 3600
_RESTS = (EngineUnavailable, EngineBusy, EngineMisconfigured)


async def enrol_old(ctx: Context) -> int:
    """Have charges looked at that have been pending for long; a bounded number, the rest next time."""
    now = ctx.real_clock.now()
    return await enrol(ctx.database, now, now - OLD)


async def look_at_due(ctx: Context, tally: Tally | None = None) -> Tally:
    """Look at every charge that is due. Both environments at the same time: a bank that hangs shall hold up its own
    only.
    """
    counted = tally or Tally()
    await together(_look_at_all(ctx, environment, counted) for environment in Environment)
    return counted


async def together(acts: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all at the same time. Where one raises, the others end before it is told."""
    try:
        async with asyncio.TaskGroup() as group:
            for act in acts:
                group.create_task(act)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed


async def _look_at_all(ctx: Context, environment: Environment, tally: Tally) -> None:
    full = True
    while full:
        now = ctx.real_clock.now()
        batch = Batch(ctx, environment, ctx.services.engines.of(environment), now + LEASE, tally)
        rows = await claim(ctx.database, environment, now, batch.lease)
        await together(batch.look(row) for row in rows)
        full = len(rows) == BATCH and not batch.rests


async def spend(ctx: Context, engine: Engine, environment: Environment) -> None:
    """Count one question. Raises `RateLimited`: a bank's quota is for selling, and looking has its share of it only."""
    if engine.has_bank:
        most = ctx.settings.reconciliation_per_hour
        await ctx.services.limiter.hit(f"reconciliation:{environment}", most, _HOUR_SECONDS)


class Batch(Struct):
    """Claimed charges of one environment. `rests`: the engine is not to be asked any more for now."""

    ctx: Context
    environment: Environment
    engine: Engine
    lease: datetime
    tally: Tally
    rests: bool = False
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))

    async def look(self, row: Row) -> None:
        """Look at one, and write when next."""
        if is_settled(row) or not belongs_to_engine(self.engine, row):
            await self.ctx.database.run(FORGET, charge_id_=row["id"], lease=self.lease)
            return
        async with self._gate:
            if self.rests:
                await self._postpone(row, retry_wait(0), row["looks"], row["failures"])
                return
            brought = await self._ask(row)
        if brought is None:
            failures = min(row["failures"] + 1, 1000)
            await self._postpone(row, retry_wait(failures), row["looks"], failures)
            return
        self.tally.add(self.environment, brought)
        wait = next_wait(row, brought)
        if wait is None:
            await self.ctx.database.run(FORGET, charge_id_=row["id"], lease=self.lease)
        else:
            await self._postpone(row, wait, row["looks"] + 1, 0)

    async def _ask(self, row: Row) -> Brought | None:
        """What came of it; None where the engine gave no answer."""
        try:
            await spend(self.ctx, self.engine, self.environment)
            held = await fetch_from_engine(self.ctx, self.engine, row)
            return await bring_together(self.ctx, self.engine, row, held)
        except RateLimited:
            self.rests = True
            return None
        except EngineError as error:
            self.rests = self.rests or isinstance(error, _RESTS)
            log_engine_failure(self.engine, error)
            log.warning("look_unanswered", charge_id=row["id"], engine=self.engine.name, error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  # One charge must not keep the others from being looked at.
            log.error("look_failed", charge_id=row["id"], exc_info=error)
        self.tally.miss(self.environment)
        return None

    async def _postpone(self, row: Row, wait: timedelta, looks: int, failures: int) -> None:
        later = self.ctx.real_clock.now() + wait
        written = {"later": later, "looks": looks, "failures": failures}
        await self.ctx.database.run(POSTPONE, charge_id_=row["id"], lease=self.lease, **written)
