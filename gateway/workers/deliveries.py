"""The dispatcher: claims deliveries that are due, sends them side by side, writes down what came of them.

It needs PostgreSQL and nothing else. A wake-up makes it look at once; without any it looks every second. One loop owns
the database: what ended since its last turn is written in one statement, then the free slots are claimed for in one
transaction. While requests are under way neither a transaction nor a connection is held.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

import asyncpg
from msgspec import Struct

from gateway.models.database import DatabaseUnavailable
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.attempts import Attempt, record_attempts
from gateway.resolvers.webhooks.claims import LEASE_SECONDS, MAX_ABANDONED, Claim, Lane, claim_due, release
from gateway.telemetry import DELIVERIES, DELIVERY_SECONDS, RECEIPT_SECONDS, log
from gateway.workers.patience import Patience
from gateway.workers.sender import internal_failure

Send = Callable[[Claim], Awaitable[Attempt]]
UNWRITABLE = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
"""Errors that a second try can't mend."""


class Pace(Struct, frozen=True):
    """How much at once, and how often. `slots` are requests of this process under way, of them a quarter for retries
    and a quarter for degraded endpoints; seconds for the rest.

    `hanging`: a request that has been under way for so long holds no slot any more, or the merchants of one provider
    that is down would hold all of them until their deadlines. Requests under way, hanging ones included, are at most
    four times the slots; in each of the two quarters, four times its own. `linger`: with many under way, a turn waits
    this long for more to end, so that fewer statements write more rows. `drain`: what requests under way get when the
    worker stops; beyond the deadline of one.
    """

    slots: int = 128
    hanging: float = 1.0
    poll: float = 1.0
    linger: float = 0.01
    lease: float = LEASE_SECONDS
    drain: float = 12.0


class Dispatcher:
    """Runs until it is told to stop. `wake` may be called at any time."""

    def __init__(self, ctx: Context, send: Send, pace: Pace | None = None, *, time_scale: float = 1.0) -> None:
        self._ctx = ctx
        self._send = send
        self._pace = pace or Pace()
        self._time_scale = time_scale
        self._running: dict[asyncio.Task[None], Claim] = {}
        self._ended: list[Attempt] = []
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()

    def wake(self) -> None:
        """Look for due deliveries now."""
        self._news.set()

    def stop(self) -> None:
        """Claim no more; `run` returns when what is under way has ended or was given back."""
        self._stopping.set()
        self._news.set()

    async def run(self) -> None:
        patience = Patience()
        while not self._stopping.is_set():
            await self._wait(self._pace.poll)
            await self._supervised(self._turn, patience)
        await self._drain(patience)

    async def _turn(self) -> None:
        await self._write()
        if not self._stopping.is_set():
            await self._fill()

    async def _wait(self, seconds: float) -> None:
        """Until there is news or `seconds` have passed; nothing is missed in between."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return
        if len(self._running) > self._pace.slots // 8:
            await asyncio.sleep(self._pace.linger)
        self._news.clear()

    async def _supervised(self, act: Callable[[], Awaitable[None]], patience: Patience) -> None:
        try:
            await act()
        except DatabaseUnavailable as error:
            log.warning("dispatcher_without_database", error=type(error).__name__)
            await patience.wait()
        except Exception as error:  # noqa: BLE001  # Whatever it is, deliveries must go on.
            log.error("dispatcher_failed", exc_info=error)
            await patience.wait()
        else:
            patience.reset()

    async def _fill(self) -> None:
        """Claim for the free slots, and start to send. A slot is free once its attempt has been written."""
        room = self._room(self._pace.slots, *Lane)
        quarter = max(1, self._pace.slots // 4)
        if room > 0:
            claims = await claim_due(
                self._ctx,
                room=room,
                retry_room=self._room(quarter, Lane.retry),
                degraded_room=self._room(quarter, Lane.degraded),
                lease_seconds=self._pace.lease,
            )
            for claim in claims:
                self._start(claim)

    def _room(self, slots: int, *lanes: Lane) -> int:
        """How many more may be under way in these lanes, which have so many slots."""
        running = [claim for claim in self._running.values() if claim.lane in lanes]
        under_way = len(running) + sum(attempt.claim.lane in lanes for attempt in self._ended)
        since = time.monotonic() - self._pace.hanging
        hanging = sum(claim.received < since for claim in running)
        return max(0, min(slots - under_way + hanging, 4 * slots - under_way))

    def _start(self, claim: Claim) -> None:
        """Send, unless whoever tried it before has died of it, or with it, again and again:
        then it counts as a failure.
        """
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
        except Exception as error:  # noqa: BLE001  # Whatever it is, it is a failure, and the schedule knows an end.
            log.error("delivery_failed", delivery_id=claim.id, exc_info=error)
            attempt = internal_failure(claim, time_scale=self._time_scale)
        self._end(attempt)

    def _end(self, attempt: Attempt) -> None:
        self._ended.append(attempt)
        self._news.set()

    async def _write(self) -> None:
        """Write down what ended; what can't be written now is kept for as long as its lease holds.

        One attempt that the database refuses must not keep the others from being written: they then go one by one, and
        of that one what happened is written without what was said.
        """
        attempts, self._ended = self._ended, []
        size = len(attempts)
        while attempts:
            batch = attempts[:size]
            try:
                _count(batch, await record_attempts(self._ctx, batch))
            except UNWRITABLE as error:
                if size > 1:
                    size = 1
                    continue
                log.error("attempt_not_written", delivery_id=batch[0].claim.id, exc_info=error)
                if not batch[0].internal:
                    attempts[0] = internal_failure(batch[0].claim, batch[0].answer, time_scale=self._time_scale)
                    continue
            except BaseException:
                self._ended[:0] = [attempt for attempt in attempts if self._holds(attempt)]
                self._news.set()
                raise
            attempts = attempts[size:]

    def _holds(self, attempt: Attempt) -> bool:
        held = attempt.claim.database_time() - attempt.claim.claimed_at
        return held.total_seconds() < self._pace.lease

    async def _drain(self, patience: Patience) -> None:
        """Let what is under way end; what takes too long is given back, due at once."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._pace.drain
        while (self._running or self._ended) and loop.time() < deadline:
            await self._supervised(self._write, patience)
            if self._running:
                await self._wait(min(self._pace.poll, max(0.0, deadline - loop.time())))
        await self._supervised(self._give_back, patience)

    async def _give_back(self) -> None:
        claims = list(self._running.values())
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._write()
        if claims:
            log.warning("deliveries_given_back", count=len(claims))
            await release(self._ctx, claims)


def _count(attempts: list[Attempt], written: set[str]) -> None:
    for attempt in attempts:
        outcome = _outcome(attempt) if attempt.claim.id in written else "lease_lost"
        DELIVERIES.labels(outcome).inc()
        _time(attempt)
        if outcome in {"lease_lost", "exhausted"}:
            log.warning(f"webhook_{outcome}", delivery_id=attempt.claim.id, endpoint_id=attempt.claim.endpoint_id)


def _time(attempt: Attempt) -> None:
    seconds, delivered = attempt.answer.duration_ms / 1000, attempt.answer.delivered
    DELIVERY_SECONDS.labels("yes" if delivered else "no").observe(seconds)
    if delivered and attempt.claim.number == 1:
        waited = attempt.started_at - attempt.claim.emitted_at
        RECEIPT_SECONDS.observe(waited.total_seconds() + seconds)


def _outcome(attempt: Attempt) -> str:
    state = attempt.decision.state
    return "retry" if state is DeliveryState.due else state.name
