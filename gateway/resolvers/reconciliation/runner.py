"""Run reconciliation: claim due charges, fetch each at its engine, sync it, and schedule its next check.

Charges are independent, a few at a time. After an outage or a rate limit, the engine is not called again in that batch.
"""

import asyncio
from datetime import datetime, timedelta

from msgspec import Struct, field

from gateway.errors import RateLimited
from gateway.integrations.engines.errors import EngineBusy, EngineError, EngineMisconfigured, EngineUnavailable
from gateway.integrations.engines.interface import Engine
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.resolvers.charges.engine_calls import belongs_to_engine, fetch_from_engine
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.core.concurrency import run_concurrently
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import log_engine_failure
from gateway.resolvers.engine_notifications.process import retry_notifications
from gateway.resolvers.reconciliation.apply_engine_state import STATUS_AFTER, SyncResult, sync_charge
from gateway.resolvers.reconciliation.compare import Action, compare
from gateway.resolvers.reconciliation.payment_listing import list_payments
from gateway.resolvers.reconciliation.queue import (
    BATCH_SIZE,
    DRY_RUN,
    FIRST_CHECK_AGE,
    LEASE,
    MAX_SCHEDULED,
    POSTPONE,
    REMOVE,
    RUN_NOW,
    claim,
    is_settled,
    next_wait,
    retry_wait,
    schedule_old_charges,
)
from gateway.resolvers.reconciliation.quota import consume_quota
from gateway.telemetry import RECONCILIATION_CHECKS, log
from gateway.values.ids import FIRST_ID

MAX_CONCURRENT_CHECKS = 5
_STOPS_BATCH = (EngineUnavailable, EngineBusy, EngineMisconfigured)
_OUTCOMES = {
    Action.mark_paid: "paid",
    Action.mark_canceled: "canceled",
    Action.mark_refunded: "refunded",
    Action.hold: "held",
    Action.release: "released",
}


class ReconciliationSummary(Struct):
    """Counts that `gateway reconcile` prints. `differing`: charges with an open discrepancy after the check."""

    checked: int = 0
    paid: int = 0
    canceled: int = 0
    refunded: int = 0
    proved: int = 0
    """Charges that got their missing EndToEndId."""
    differing: int = 0
    corrected: int = 0
    unanswered: int = 0
    issuances_closed: int = 0
    notifications_handled: int = 0

    def add(self, environment: Environment, result: SyncResult) -> None:
        """Count a check that the engine answered."""
        outcome = _OUTCOMES[result.comparison.action] if result.changed else "differs" if result.differs else "agreed"
        RECONCILIATION_CHECKS.labels(environment, outcome).inc()
        self.checked += 1
        self.paid += outcome == "paid"
        self.canceled += outcome == "canceled"
        self.refunded += outcome == "refunded"
        self.proved += result.set_end_to_end_id
        self.differing += result.differs
        self.corrected += result.resolved

    def add_unanswered(self, environment: Environment) -> None:
        """Count a check that the engine did not answer."""
        RECONCILIATION_CHECKS.labels(environment, "unanswered").inc()
        self.unanswered += 1


async def reconcile(ctx: Context, *, run_all: bool = False) -> ReconciliationSummary:
    """`gateway reconcile`: recover issuances, find lost notifications, retry all, and check charges. `run_all`: also
    those that are not due yet.
    """
    summary = ReconciliationSummary()
    while recovered := await recover_issuances(ctx):
        summary.issuances_closed += recovered
    await list_payments(ctx)
    while handled := await retry_notifications(ctx):
        summary.notifications_handled += handled
    while await schedule_old_charges(ctx) == MAX_SCHEDULED:
        continue
    if run_all:
        await ctx.database.run(RUN_NOW, now=ctx.real_clock.now())
    return await run_due_checks(ctx, summary)


async def run_due_checks(ctx: Context, summary: ReconciliationSummary | None = None) -> ReconciliationSummary:
    """Check every due charge. The environments run concurrently: a bank that hangs delays only its own."""
    total = summary or ReconciliationSummary()
    await run_concurrently(_check_environment(ctx, environment, total) for environment in Environment)
    return total


async def dry_run(ctx: Context) -> ReconciliationSummary:
    """Fetch the charges that a run would check, without changing anything, and count what it would do."""
    summary = ReconciliationSummary()
    await run_concurrently(_dry_run(ctx, environment, summary) for environment in Environment)
    return summary


async def _check_environment(ctx: Context, environment: Environment, summary: ReconciliationSummary) -> None:
    full = True
    while full:
        now = ctx.real_clock.now()
        batch = _Batch(ctx, environment, ctx.services.engines.of(environment), now + LEASE, summary)
        rows = await claim(ctx.database, environment, now, batch.lease)
        await run_concurrently(batch.check(row) for row in rows)
        full = len(rows) == BATCH_SIZE and not batch.stopped


class _Batch(Struct):
    """Claimed charges of one environment. `stopped`: make no more engine calls."""

    ctx: Context
    environment: Environment
    engine: Engine
    lease: datetime
    summary: ReconciliationSummary
    stopped: bool = False
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT_CHECKS))

    async def check(self, row: Row) -> None:
        """Check one charge and schedule its next check."""
        if is_settled(row) or not belongs_to_engine(self.engine, row):
            await self.ctx.database.run(REMOVE, charge_id_=row["id"], lease=self.lease)
            return
        async with self._slots:
            try:
                if not self.stopped:
                    await consume_quota(self.ctx, self.engine, self.environment)
            except RateLimited:
                self.stopped = True
            if self.stopped:
                await self._postpone(row, retry_wait(0), row["attempts"], row["failures"])
                return
            result = await self._sync(row)
        if result is None:
            failures = min(row["failures"] + 1, 1000)
            await self._postpone(row, retry_wait(failures), row["attempts"], failures)
            return
        self.summary.add(self.environment, result)
        wait = next_wait(row, result)
        if wait is None:
            await self.ctx.database.run(REMOVE, charge_id_=row["id"], lease=self.lease)
        else:
            await self._postpone(row, wait, row["attempts"] + 1, 0)

    async def _sync(self, row: Row) -> SyncResult | None:
        """Fetch and sync the charge. None where the engine did not answer."""
        try:
            found = await fetch_from_engine(self.ctx, self.engine, row)
            return await sync_charge(self.ctx, self.engine, row, found)
        except EngineError as error:
            self.stopped = self.stopped or isinstance(error, _STOPS_BATCH)
            log_engine_failure(self.engine, error)
            log.warning(
                "reconciliation_check_unanswered",
                charge_id=row["id"],
                engine=self.engine.name,
                error=type(error).__name__,
            )
        except Exception as error:  # noqa: BLE001  # One charge must not stop the others.
            log.error("reconciliation_check_failed", charge_id=row["id"], exc_info=error)
        self.summary.add_unanswered(self.environment)
        return None

    async def _postpone(self, row: Row, wait: timedelta, attempts: int, failures: int) -> None:
        later = self.ctx.real_clock.now() + wait
        values = {"later": later, "attempts": attempts, "failures": failures}
        await self.ctx.database.run(POSTPONE, charge_id_=row["id"], lease=self.lease, **values)


async def _dry_run(ctx: Context, environment: Environment, summary: ReconciliationSummary) -> None:
    now, after = ctx.real_clock.now(), FIRST_ID
    slots = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
    scope = {"environment": environment.value, "now": now, "oldest": now - FIRST_CHECK_AGE}
    while rows := await ctx.database.all(DRY_RUN, **scope, after=after):
        after = rows[-1]["id"]
        await run_concurrently(_dry_check(ctx, environment, row, slots, summary) for row in rows if not is_settled(row))
        if len(rows) < BATCH_SIZE or summary.unanswered:
            return


async def _dry_check(
    ctx: Context, environment: Environment, row: Row, slots: asyncio.Semaphore, summary: ReconciliationSummary
) -> None:
    engine = ctx.services.engines.of(environment)
    if not belongs_to_engine(engine, row):
        return
    async with slots:
        try:
            await consume_quota(ctx, engine, environment)
            found = await fetch_from_engine(ctx, engine, row)
        except (EngineError, RateLimited):
            summary.add_unanswered(environment)
            return
    comparison = compare(row, found)
    adds_id = found is not None and found.end_to_end_id is not None and row["end_to_end_id"] is None
    differs = comparison.discrepancy is not None
    summary.add(
        environment,
        SyncResult(
            comparison,
            found,
            changed=comparison.action in STATUS_AFTER,
            set_end_to_end_id=adds_id and row["paid_at"] is not None,
            differs=differs,
            resolved=int(row["differs"] and not differs),
        ),
    )
