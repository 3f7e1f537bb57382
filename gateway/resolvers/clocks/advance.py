"""Advance the clock of a test store step by step, up to its target (ADR 0026).

    claim   take a lease with a token; an expired lease is free                  CLAIM
    act     expire charges, then bill subscriptions, each in order of time       charges.expire, billing_job
    wait    until due webhooks are sent, or the time for waiting is used up      IN_FLIGHT
    move    to the next time at which something is due, retries included         NEXT, MOVE

Only the clock's time is stored. A step that is repeated after a crash changes nothing: an expired charge isn't pending
any more, and a cycle is unique per issuance (ADR 0019). So a worker that dies or loses its lease skips and doubles
nothing. If another transaction locks a due row, its time is in the past; the next steps retry it.
"""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.resolvers.charges.expire import expire_store_charges
from gateway.resolvers.core.context import Context
from gateway.resolvers.subscriptions.billing_job import bill_store
from gateway.telemetry import log
from gateway.values.clock import FixedClock

LEASE = timedelta(seconds=30)
_MILLISECOND = timedelta(milliseconds=1)

CLAIM = Statement(
    text("""
with free as (
    select store_id from test_clocks
     where target_time is not null and (lease_until is null or lease_until < now())
     order by updated_at, store_id limit :max for update skip locked
)
update test_clocks t set lease_token = gen_random_uuid(), lease_until = now() + :lease, updated_at = now()
  from free where t.store_id = free.store_id
returning t.store_id, t.lease_token, t.frozen_time, t.target_time, t.webhook_wait_ms
""")
)
RENEW_LEASE = Statement(
    text("update test_clocks set lease_until = now() + :lease where store_id = :store and lease_token = :token")
)
IN_FLIGHT = Statement(
    text("""
select exists (
    select from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where e.user_id = :store and e.environment = 'test' and e.active
       and d.state = 0 and (d.next_attempt_at <= now() or d.lease_token is not null))
""")
)
# The filter keeps min() from a scan of the index over all stores' dates. A failed subscription is retried after a day,
# as the daily run would. Webhook retries of one second share a step.
NEXT = Statement(
    text("""
select (select min(expires_at) filter (where true) from charges
         where user_id = :store and environment = 'test' and status = 'pending' and held_at is null) as expiry,
       (select min(due.at)
          from subscriptions s
         cross join lateral (select greatest(s.next_billing_at, s.retry_at + interval '23 hours') as at) due
         where s.user_id = :store and s.environment = 'test' and s.status = 'active') as cycle,
       (select cast(:at as timestamptz) + (min(d.next_attempt_at) - now()) + interval '1 second'
          from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
         where e.user_id = :store and e.environment = 'test' and e.active
           and d.state = 0 and d.lease_token is null and d.next_attempt_at > now()) as retry
""")
)
MOVE = Statement(
    text("""
with moved as (
    update test_clocks set frozen_time = :to, webhook_wait_ms = :webhook_wait_ms, lease_until = now() + :lease, updated_at = now()
     where store_id = :store and lease_token = :token
    returning store_id
),
waiting as (
    select d.event_id, d.endpoint_id from moved
      join webhook_endpoints e on e.user_id = moved.store_id and e.environment = 'test'
      join webhook_deliveries d on d.endpoint_id = e.id
     where d.state = 0 and d.lease_token is null and d.next_attempt_at > now()
     order by d.id for update of d
),
pulled as (
    update webhook_deliveries d set next_attempt_at = d.next_attempt_at - cast(:by as interval)
      from waiting where d.event_id = waiting.event_id and d.endpoint_id = waiting.endpoint_id
)
select store_id from moved
""")
)
FINISH = Statement(
    text("""
update test_clocks
   set time_offset = greatest(time_offset, cast(:at as timestamptz) - :real), frozen_time = null, target_time = null,
       lease_token = null, lease_until = null, updated_at = now()
 where store_id = :store and lease_token = :token
""")
)
RELEASE = Statement(
    text("""
update test_clocks set lease_token = null, lease_until = null, webhook_wait_ms = :webhook_wait_ms, updated_at = now()
 where store_id = :store and lease_token = :token
""")
)


class LeaseLost(RuntimeError):
    """Another worker has taken over the advance."""


class AdvanceConfig(Struct, frozen=True):
    """The limits of one call: `max_stores` advances in parallel, each for `seconds`. `poll_seconds`: the time between
    two checks for webhooks in flight.
    """

    max_stores: int = 4
    seconds: float = 5.0
    poll_seconds: float = 0.02


async def advance_clocks(ctx: Context, config: AdvanceConfig | None = None) -> None:
    """Claim and continue advances."""
    config = config or AdvanceConfig()
    rows = await ctx.database.all(CLAIM, max=config.max_stores, lease=LEASE)
    # Not a task group: a failure must not cancel the others in the middle of a step.
    ended = await asyncio.gather(*(_Advance.of(ctx, row, config).run() for row in rows), return_exceptions=True)
    for row, failure in zip(rows, ended, strict=True):
        if isinstance(failure, BaseException):
            log.error("test_clock_stuck", store_id=row["store_id"], exc_info=failure)


class _Advance(Struct):
    """One store's advance, with its lease. `at`: the time of the current step. `expires` and `bills`: what the step
    does; the first and the last step do both. `wait`: the time left to wait for webhooks.
    """

    ctx: Context
    config: AdvanceConfig
    store: str
    token: str
    target: datetime
    at: datetime
    wait: timedelta
    clock: FixedClock
    until: float
    expires: bool = True
    bills: bool = True

    @classmethod
    def of(cls, ctx: Context, row: Mapping[str, Any], config: AdvanceConfig) -> "_Advance":
        at = row["frozen_time"]
        clock = FixedClock(at)
        return cls(
            ctx.timed_by(clock),
            config,
            row["store_id"],
            row["lease_token"],
            row["target_time"],
            at,
            row["webhook_wait_ms"] * _MILLISECOND,
            clock,
            time.monotonic() + config.seconds,
        )

    async def run(self) -> None:
        """Advance until the target is reached or the time of this call is over."""
        try:
            while not self._is_over():
                if self.expires:
                    await expire_store_charges(self.ctx, self.store)
                if self.bills:
                    await bill_store(self.ctx, self.store, self)
                if not await self._wait_for_webhooks():
                    break
                due = await self._next()
                locked = any(when is not None and when <= self.at for when in (due["expiry"], due["cycle"]))
                if locked:
                    await asyncio.sleep(self.config.poll_seconds)
                elif self.at >= self.target:
                    await self._finish()
                    return
                await self._move(due)
            await self._release()
        except LeaseLost:
            log.warning("test_clock_lease_lost", store_id=self.store)
        except asyncio.CancelledError:
            # The worker stops: another one must not wait for the lease to expire.
            with suppress(LeaseLost):
                await self._release()
            raise

    async def verify(self) -> None:
        """Renew the lease. Raises `LeaseLost`."""
        await self._write(RENEW_LEASE, lease=LEASE)

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    async def _wait_for_webhooks(self) -> bool:
        """Whether the clock may move: all due webhooks are sent, or the time to wait is used up."""
        began = time.monotonic()
        notified = False
        while self.wait > timedelta(0) and await self.ctx.database.value(IN_FLIGHT, store=self.store):
            if self._is_over():
                return False
            if not notified:
                self.ctx.services.notifier.webhooks()
                notified = True
            await asyncio.sleep(self.config.poll_seconds)
            waited, began = time.monotonic() - began, time.monotonic()
            self.wait -= timedelta(seconds=waited)
        return True

    async def _next(self) -> Row:
        return await self.ctx.database.single(NEXT, store=self.store, at=self.at)

    async def _move(self, due: Row) -> None:
        following = min(when for when in (*due, self.target) if when is not None)
        # The clock moved some microseconds during the step.
        to = max(following, self.clock.now())
        await self._write(MOVE, to=to, by=to - self.at, webhook_wait_ms=self._wait_ms(), lease=LEASE)
        last = to >= self.target
        self.expires, self.bills = (last or (when is not None and when <= to) for when in (due["expiry"], due["cycle"]))
        self.at, self.clock = to, FixedClock(to)
        self.ctx = self.ctx.timed_by(self.clock)

    async def _release(self) -> None:
        await self._write(RELEASE, webhook_wait_ms=self._wait_ms())

    def _wait_ms(self) -> int:
        return max(0, self.wait // _MILLISECOND)

    async def _finish(self) -> None:
        await self._write(FINISH, at=self.clock.now(), real=self.ctx.real_clock.now())

    async def _write(self, statement: Statement, **values: Any) -> None:
        """Update the advance. Raises `LeaseLost`."""
        if not await self.ctx.database.run(statement, store=self.store, token=self.token, **values):
            raise LeaseLost
