"""Sweeps: what must happen now and then, whether or not anybody asks.

They run from tickers of this process, so that they go on without Redis; arq's crons only say "look now". Each runs in
a task of its own: settling asks payment engines, and nothing else shall wait for them. All are safe to run anywhere at
any time, by several workers at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from arq.typing import OptionType
from msgspec import Struct, field

from gateway.errors import JobUnderway
from gateway.resolvers.accounts.password_changes import purge_password_resets
from gateway.resolvers.audit.sealing import seal_trail
from gateway.resolvers.charges.expire import BATCH_SIZE, expire_charges, expire_test_clock_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.clocks.advance import advance_clocks
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.core.listing.index import flush_search_indexes
from gateway.resolvers.core.partitions import maintain_partitions
from gateway.resolvers.email.retention import expire_emails, purge_emails
from gateway.resolvers.engine_notices.housekeeping import forget_notices
from gateway.resolvers.engine_notices.retry import retry_notices
from gateway.resolvers.production.document_storage import delete_orphaned_objects
from gateway.resolvers.receiving.upkeep import look_after_accounts
from gateway.resolvers.reconciliation.checks import ENROLLED_AT_ONCE
from gateway.resolvers.reconciliation.looking import enrol_old, look_at_due
from gateway.resolvers.reconciliation.measuring import measure_differences
from gateway.resolvers.sessions.store import purge_sessions
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill
from gateway.resolvers.two_factor.enrollment import purge_unconfirmed_factors
from gateway.resolvers.webhooks.backlog import measure_backlog
from gateway.resolvers.webhooks.endpoint_maintenance import maintain_endpoints
from gateway.resolvers.webhooks.failure_alerts import send_failure_alerts
from gateway.resolvers.withdrawals.folding import fold_balances
from gateway.resolvers.withdrawals.settling import settle_withdrawals
from gateway.settings import Settings
from gateway.telemetry import log
from gateway.values.ids import new_id

Act = Callable[[Context], Awaitable[object]]
# A ticker waits a little longer than its cron: with Redis there, the cron sets the beat for all workers together.
_BEYOND_THE_CRON = 1.2


class Beat(Struct, frozen=True):
    """When something is done again and again: `every` so many seconds by the ticker of each process, and at
    the moments of `cron`, in arq's words and São Paulo's hours, in one process of all. What is done each
    second has its tickers only.
    """

    name: str
    every: float
    cron: Mapping[str, OptionType] | None = None

    @property
    def pause(self) -> float:
        """How many seconds a ticker waits for its cron."""
        return self.every if self.cron is None else self.every * _BEYOND_THE_CRON


def _each(apart: float) -> set[int]:
    """The minutes of an hour, or seconds of a minute, that lie so far apart; what doesn't
    divide it begins anew with each.
    """
    return set(range(0, 60, max(1, min(60, round(apart)))))


SECOND = Beat("second", 1)
TEN_SECONDS = Beat("ten_seconds", 10, {"second": _each(10)})
MINUTE = Beat("minute", 60, {"second": 5})
FIVE_MINUTES = Beat("five_minutes", 5 * 60, {"minute": _each(5), "second": 40})
TEN_MINUTES = Beat("ten_minutes", 10 * 60, {"minute": _each(10), "second": 20})
QUARTER = Beat("quarter_of_an_hour", 15 * 60, {"minute": _each(15), "second": 50})
HOUR = Beat("hour", 3600, {"minute": 7, "second": 0})


class Sweep(Struct, eq=False):
    """One recurring act, by its beat, and sooner when told to `look`."""

    name: str
    beat: Beat
    act: Act
    at_start: bool = True
    """Whether it also acts when the worker starts."""
    _asked: asyncio.Event = field(default_factory=asyncio.Event)

    def look(self) -> None:
        """Run now."""
        self._asked.set()

    async def run(self, services: Services) -> None:
        """Run until canceled. A failure is logged, and the next turn comes as usual."""
        if not self.at_start:
            await self._pause()
        while True:
            try:
                await self.act(system_context(services, source="job", request_id=new_id()))
            except Exception as error:  # noqa: BLE001  # One bad turn must not end the sweep for good.
                log.error("sweep_failed", sweep=self.name, exc_info=error)
            await self._pause()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self.beat.pause):
                await self._asked.wait()
        except TimeoutError:
            return
        self._asked.clear()


async def expire_overdue(ctx: Context) -> None:
    """Expire charges until a batch is not full, and those of test stores that have clocks of their own."""
    full = True
    while full:
        full = await expire_charges(ctx) == BATCH_SIZE
    await expire_test_clock_charges(ctx)


async def bill_due(ctx: Context) -> None:
    """Bill what has come due, unless somebody is at it; what failed within the hour waits."""
    with suppress(JobUnderway):
        await bill(ctx, BillingOptions(retry_failed=False))


async def bill_all(ctx: Context) -> None:
    """The daily billing, which also tries what failed within the hour."""
    with suppress(JobUnderway):
        await bill(ctx, BillingOptions())


async def tend_old_charges(ctx: Context) -> None:
    """Have charges looked at that have been pending for long, and measure what differs."""
    while await enrol_old(ctx) == ENROLLED_AT_ONCE:
        continue
    await measure_differences(ctx)


def all_sweeps(settings: Settings) -> list[Sweep]:
    """Every sweep of the worker, and when it acts."""
    apart = settings.billing_sweep_minutes
    billing = Beat("billing", apart * 60, {"minute": _each(apart), "second": 30})
    daily = Beat("day", 24 * 3600, {"hour": settings.billing_hour, "minute": 0, "second": 0})
    return [
        Sweep("audit", SECOND, seal_trail),
        Sweep("partitions", HOUR, maintain_partitions),
        Sweep("webhook_endpoints", TEN_SECONDS, maintain_endpoints),
        Sweep("backlog", TEN_SECONDS, measure_backlog),
        Sweep("failure_alerts", TEN_MINUTES, send_failure_alerts),
        Sweep("expiry", TEN_SECONDS, expire_overdue),
        Sweep("clocks", SECOND, advance_clocks),
        Sweep("issuances", MINUTE, recover_issuances),
        Sweep("notices", MINUTE, retry_notices),
        Sweep("receiving", MINUTE, look_after_accounts),
        Sweep("withdrawals", MINUTE, settle_withdrawals),
        Sweep("balances", TEN_SECONDS, fold_balances),
        Sweep("looks", TEN_SECONDS, look_at_due),
        Sweep("old_charges", FIVE_MINUTES, tend_old_charges),
        Sweep("mails", TEN_SECONDS, expire_emails),
        Sweep("billing", billing, bill_due),
        Sweep("daily_billing", daily, bill_all, at_start=False),
        Sweep("search_indexes", TEN_SECONDS, flush_search_indexes),
        Sweep("archive", MINUTE, delete_orphaned_objects),
        Sweep("old_mails", HOUR, purge_emails),
        Sweep("old_notices", HOUR, forget_notices),
        Sweep("idempotency", HOUR, idempotency.forget),
        Sweep("sessions", HOUR, purge_sessions),
        Sweep("enrolments", HOUR, purge_unconfirmed_factors),
        Sweep("password_resets", HOUR, purge_password_resets),
    ]
