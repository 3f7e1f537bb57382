"""Periodic jobs: their schedules, and the loop that runs each one.

Each job runs in its own task, by a timer of the process, so it runs without Redis and waits for no other job. arq's
crons trigger jobs in addition. Several workers may run the same job at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from arq.typing import OptionType
from msgspec import Struct, field

from gateway.errors import JobInProgress
from gateway.resolvers.accounts.password_changes import purge_password_resets
from gateway.resolvers.audit.hash_chain_writer import extend_chain
from gateway.resolvers.charges.expire import BATCH_SIZE, expire_charges, expire_test_clock_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.clocks.advance import advance_clocks
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.core.listing.search import flush_search_indexes
from gateway.resolvers.core.partitions import maintain_partitions
from gateway.resolvers.email.retention import expire_emails, purge_emails
from gateway.resolvers.engine_notifications.process import retry_notifications
from gateway.resolvers.engine_notifications.retention import purge_notifications
from gateway.resolvers.production.document_storage import delete_orphaned_objects
from gateway.resolvers.receiving.maintenance import maintain_accounts
from gateway.resolvers.reconciliation.discrepancies import measure_discrepancies
from gateway.resolvers.reconciliation.payment_listing import list_payments
from gateway.resolvers.reconciliation.queue import MAX_SCHEDULED, schedule_old_charges
from gateway.resolvers.reconciliation.runner import run_due_checks
from gateway.resolvers.refunds.recover import recover_refunds
from gateway.resolvers.sessions.store import purge_sessions
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill
from gateway.resolvers.two_factor.enrollment import purge_unconfirmed_factors
from gateway.resolvers.webhooks.backlog import measure_backlog
from gateway.resolvers.webhooks.endpoint_maintenance import maintain_endpoints
from gateway.resolvers.webhooks.failure_alerts import send_failure_alerts
from gateway.resolvers.withdrawals.balance import roll_up_balances
from gateway.resolvers.withdrawals.recover import recover_withdrawals
from gateway.settings import Settings
from gateway.telemetry import log
from gateway.values.ids import new_id

Act = Callable[[Context], Awaitable[object]]
_TIMER_SLACK = 1.2
"""A timer waits longer than its cron, so that with Redis the cron decides, for all workers together."""


class Schedule(Struct, frozen=True):
    """When a job runs: `every` so many seconds in each process, and by arq's `cron` (in São Paulo's time zone) in one
    process of all.
    """

    name: str
    every: float
    cron: Mapping[str, OptionType] | None = None

    @property
    def pause(self) -> float:
        """The seconds that the timer waits."""
        return self.every if self.cron is None else self.every * _TIMER_SLACK


def _every(interval: float) -> set[int]:
    """The minutes of an hour, or seconds of a minute, at this interval; it restarts each hour or minute."""
    return set(range(0, 60, max(1, min(60, round(interval)))))


SECOND = Schedule("second", 1)
TEN_SECONDS = Schedule("ten_seconds", 10, {"second": _every(10)})
MINUTE = Schedule("minute", 60, {"second": 5})
FIVE_MINUTES = Schedule("five_minutes", 5 * 60, {"minute": _every(5), "second": 40})
TEN_MINUTES = Schedule("ten_minutes", 10 * 60, {"minute": _every(10), "second": 20})
HALF_HOUR = Schedule("half_hour", 30 * 60, {"minute": _every(30), "second": 10})
HOUR = Schedule("hour", 3600, {"minute": 7, "second": 0})


class PeriodicJob(Struct, eq=False):
    """A function that runs by its schedule, and sooner after `trigger`."""

    name: str
    schedule: Schedule
    act: Act
    at_start: bool = True
    """Whether it also runs when the worker starts."""
    _triggered: asyncio.Event = field(default_factory=asyncio.Event)

    def trigger(self) -> None:
        self._triggered.set()

    async def run(self, services: Services) -> None:
        """Run until canceled. A failure is logged, and the schedule goes on."""
        if not self.at_start:
            await self._pause()
        while True:
            try:
                await self.act(system_context(services, source="job", request_id=new_id()))
            except Exception as error:  # noqa: BLE001  # One failure must not end the schedule.
                log.error("job_failed", job=self.name, exc_info=error)
            await self._pause()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self.schedule.pause):
                await self._triggered.wait()
        except TimeoutError:
            return
        self._triggered.clear()


async def expire_overdue(ctx: Context) -> None:
    """Expire charges until a batch is not full, then those of stores with test clocks."""
    full = True
    while full:
        full = await expire_charges(ctx) == BATCH_SIZE
    await expire_test_clock_charges(ctx)


async def bill_due(ctx: Context) -> None:
    """Bill what is due, unless another billing runs; failures of the last hour wait."""
    with suppress(JobInProgress):
        await bill(ctx, BillingOptions(retry_failed=False))


async def bill_all(ctx: Context) -> None:
    """The daily billing, which also retries failures of the last hour."""
    with suppress(JobInProgress):
        await bill(ctx, BillingOptions())


async def enqueue_old_charges(ctx: Context) -> None:
    """Enqueue charges that have been pending for long for reconciliation, and update the metrics."""
    while await schedule_old_charges(ctx) == MAX_SCHEDULED:
        continue
    await measure_discrepancies(ctx)


def all_jobs(settings: Settings) -> list[PeriodicJob]:
    """Every job of the worker and its schedule."""
    minutes = settings.billing_interval_minutes
    billing = Schedule("billing", minutes * 60, {"minute": _every(minutes), "second": 30})
    daily = Schedule("day", 24 * 3600, {"hour": settings.billing_hour, "minute": 0, "second": 0})
    return [
        PeriodicJob("audit", SECOND, extend_chain),
        PeriodicJob("partitions", HOUR, maintain_partitions),
        PeriodicJob("webhook_endpoints", TEN_SECONDS, maintain_endpoints),
        PeriodicJob("backlog", TEN_SECONDS, measure_backlog),
        PeriodicJob("failure_alerts", TEN_MINUTES, send_failure_alerts),
        PeriodicJob("expiry", TEN_SECONDS, expire_overdue),
        PeriodicJob("clocks", SECOND, advance_clocks),
        PeriodicJob("issuances", MINUTE, recover_issuances),
        PeriodicJob("engine_notifications", MINUTE, retry_notifications),
        PeriodicJob("receiving", MINUTE, maintain_accounts),
        PeriodicJob("withdrawals", MINUTE, recover_withdrawals),
        PeriodicJob("refunds", MINUTE, recover_refunds),
        PeriodicJob("balances", TEN_SECONDS, roll_up_balances),
        PeriodicJob("reconciliation_checks", TEN_SECONDS, run_due_checks),
        PeriodicJob("payment_listing", HALF_HOUR, list_payments),
        PeriodicJob("old_charges", FIVE_MINUTES, enqueue_old_charges),
        PeriodicJob("email_expiry", TEN_SECONDS, expire_emails),
        PeriodicJob("billing", billing, bill_due),
        PeriodicJob("daily_billing", daily, bill_all, at_start=False),
        PeriodicJob("search_indexes", TEN_SECONDS, flush_search_indexes),
        PeriodicJob("archive", MINUTE, delete_orphaned_objects),
        PeriodicJob("old_emails", HOUR, purge_emails),
        PeriodicJob("old_engine_notifications", HOUR, purge_notifications),
        PeriodicJob("idempotency", HOUR, idempotency.delete_expired),
        PeriodicJob("sessions", HOUR, purge_sessions),
        PeriodicJob("enrolments", HOUR, purge_unconfirmed_factors),
        PeriodicJob("password_resets", HOUR, purge_password_resets),
    ]
