"""The dispatcher: claims due deliveries, sends them concurrently, and records the attempts.

It needs PostgreSQL only, and polls every second unless notified. One loop uses the database: each tick records the
finished attempts in one statement, then claims for the free slots in one transaction. No transaction or connection is
open during a request.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import asyncpg
from msgspec import Struct

from gateway.models.database import DatabaseUnavailable
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.attempts import Attempt, record_attempts
from gateway.resolvers.webhooks.claims import LEASE_SECONDS, MAX_ABANDONED, Claim, Lane, claim_due, release
from gateway.telemetry import DELIVERIES, DELIVERY_SECONDS, EVENT_TO_DELIVERY_SECONDS, log
from gateway.workers.backoff import Backoff
from gateway.workers.webhook_sender import internal_failure

Send = Callable[[Claim], Awaitable[Attempt]]
NON_RETRYABLE_DB_ERRORS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
"""Errors that a retry doesn't fix."""


class DispatcherConfig(Struct, frozen=True):
    """Limits and intervals (seconds) of one process."""

    slots: int = 128
    """Concurrent requests; at most a quarter for retries, and a quarter for degraded endpoints."""
    hanging: float = 1.0
    """A request occupies no slot after this long, so one provider that is down can't occupy all. Running requests are
    at most four times the slots, in each lane as well.
    """
    poll: float = 1.0
    linger: float = 0.01
    """With many requests running, a tick waits this long, so that one statement records more attempts."""
    lease: float = LEASE_SECONDS
    drain: float = 12.0
    """The time for running requests when the worker stops; more than the deadline of one."""


class Dispatcher:
    """Runs until `stop`. `wake` may be called at any time."""

    def __init__(
        self, ctx: Context, send: Send, config: DispatcherConfig | None = None, *, time_scale: float = 1.0
    ) -> None:
        self._ctx = ctx
        self._send = send
        self._config = config or DispatcherConfig()
        self._time_scale = time_scale
        self._running: dict[asyncio.Task[None], Claim] = {}
        self._ended: list[Attempt] = []
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()

    def wake(self) -> None:
        """Claim due deliveries now."""
        self._news.set()

    def stop(self) -> None:
        """Claim no more. `run` returns when running requests have ended or are released."""
        self._stopping.set()
        self._news.set()

    async def run(self) -> None:
        backoff = Backoff()
        while not self._stopping.is_set():
            await self._wait_for_news(self._config.poll)
            await self._run_guarded(self._tick, backoff)
        await self._drain(backoff)

    async def _tick(self) -> None:
        await self._record_attempts()
        if not self._stopping.is_set():
            await self._claim()

    async def _wait_for_news(self, seconds: float) -> None:
        """Wait for a notification or a finished attempt, at most `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return
        if len(self._running) > self._config.slots // 8:
            await asyncio.sleep(self._config.linger)
        self._news.clear()

    async def _run_guarded(self, step: Callable[[], Awaitable[None]], backoff: Backoff) -> None:
        try:
            await step()
        except DatabaseUnavailable as error:
            log.warning("dispatcher_without_database", error=type(error).__name__)
            await backoff.wait()
        except Exception as error:  # noqa: BLE001  # Deliveries go on after any failure.
            log.error("dispatcher_failed", exc_info=error)
            await backoff.wait()
        else:
            backoff.reset()

    async def _claim(self) -> None:
        """Claim for the free slots and start sending. A slot is free once its attempt is recorded."""
        limit = self._free_slots(self._config.slots, *Lane)
        quarter = max(1, self._config.slots // 4)
        if limit > 0:
            claims = await claim_due(
                self._ctx,
                slots=limit,
                retry_slots=self._free_slots(quarter, Lane.retry),
                degraded_slots=self._free_slots(quarter, Lane.degraded),
                lease_seconds=self._config.lease,
            )
            for claim in claims:
                self._start(claim)

    def _free_slots(self, slots: int, *lanes: Lane) -> int:
        """How many more requests may run in these lanes, which share `slots`."""
        running = [claim for claim in self._running.values() if claim.lane in lanes]
        occupied = len(running) + sum(attempt.claim.lane in lanes for attempt in self._ended)
        since = time.monotonic() - self._config.hanging
        hanging = sum(claim.received < since for claim in running)
        return max(0, min(slots - occupied + hanging, 4 * slots - occupied))

    def _start(self, claim: Claim) -> None:
        """Send it, or record a failure if too many workers died with this delivery claimed."""
        if claim.abandoned >= MAX_ABANDONED:
            log.error("delivery_abandoned", delivery_id=claim.id, claims=claim.abandoned)
            self._end(internal_failure(claim, time_scale=self._time_scale))
            return
        task = asyncio.create_task(self._deliver(claim), name=f"delivery {claim.id}")
        self._running[task] = claim
        task.add_done_callback(partial(self._running.pop))

    async def _deliver(self, claim: Claim) -> None:
        try:
            attempt = await self._send(claim)
        except Exception as error:  # noqa: BLE001  # It counts as a failure; the schedule ends.
            log.error("delivery_failed", delivery_id=claim.id, exc_info=error)
            attempt = internal_failure(claim, time_scale=self._time_scale)
        self._end(attempt)

    def _end(self, attempt: Attempt) -> None:
        self._ended.append(attempt)
        self._news.set()

    async def _record_attempts(self) -> None:
        """Record finished attempts. Those that can't be recorded now are retried while their leases are valid.

        If the database refuses one, they are recorded one by one, and that one without the response.
        """
        attempts, self._ended = self._ended, []
        size = len(attempts)
        while attempts:
            batch = attempts[:size]
            try:
                _count(batch, await record_attempts(self._ctx, batch))
            except NON_RETRYABLE_DB_ERRORS as error:
                if size > 1:
                    size = 1
                    continue
                log.error("attempt_not_written", delivery_id=batch[0].claim.id, exc_info=error)
                if not batch[0].internal:
                    attempts[0] = internal_failure(batch[0].claim, batch[0].response, time_scale=self._time_scale)
                    continue
            except BaseException:
                lease = timedelta(seconds=self._config.lease)
                self._ended[:0] = [
                    each for each in attempts if each.claim.database_time() - each.claim.claimed_at < lease
                ]
                self._news.set()
                raise
            attempts = attempts[size:]

    async def _drain(self, backoff: Backoff) -> None:
        """Wait for running requests, then release those that take too long; they are due at once."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._config.drain
        while (self._running or self._ended) and loop.time() < deadline:
            await self._run_guarded(self._record_attempts, backoff)
            if self._running:
                await self._wait_for_news(min(self._config.poll, max(0.0, deadline - loop.time())))
        await self._run_guarded(self._release_rest, backoff)

    async def _release_rest(self) -> None:
        tasks, claims = list(self._running), list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._record_attempts()
        if claims:
            log.warning("deliveries_released", count=len(claims))
            await release(self._ctx, claims)


def _count(attempts: list[Attempt], recorded: set[str]) -> None:
    for attempt in attempts:
        claim, state = attempt.claim, attempt.decision.state
        outcome = "retry" if state is DeliveryState.due else state.name
        if claim.id not in recorded:
            outcome = "lease_lost"
        DELIVERIES.labels(outcome).inc()
        if outcome in {"lease_lost", "exhausted"}:
            log.warning(f"webhook_{outcome}", delivery_id=claim.id, endpoint_id=claim.endpoint_id)
        seconds, delivered = attempt.response.duration_ms / 1000, attempt.response.delivered
        DELIVERY_SECONDS.labels("yes" if delivered else "no").observe(seconds)
        if delivered and claim.number == 1:
            EVENT_TO_DELIVERY_SECONDS.observe((attempt.started_at - claim.emitted_at).total_seconds() + seconds)
