"""An advance, step by step: the clock of a test store stands at the next moment at which something falls due,
that happens by the resolvers that do it in earnest, and the clock goes on to the next, until it is where its
merchant wants it.

    claim   a lease with a token; one that has run out is anybody's                     CLAIM
    act     expiries, then cycles of subscriptions, each in the order of moment and id  expiry, billing
    wait    until the webhooks that are due have been sent, for as long as the advance has patience
    move    to the next moment, and the waiting retries with the clock                  NEXT, MOVE

What somebody held in its step has its moment behind the clock: the next step is then a
microsecond later, until it is done.

Nothing of it is remembered but where the clock stands. What is done twice after a crash is done once: an expired charge
isn't pending any more, and a cycle is claimed by its issuance. So a worker that dies, or that wakes up late
and finds its token gone, neither skips nor doubles anything.
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
from gateway.resolvers.subscriptions.billing import bill_store
from gateway.telemetry import log
from gateway.values.clock import StandingClock

LEASE = timedelta(seconds=30)
_MILLISECOND = timedelta(milliseconds=1)

CLAIM = Statement(
    text("""
with free as (
    select store_id from test_clocks
     where target is not null and (lease_until is null or lease_until < now())
     order by updated_at, store_id limit :room for update skip locked
)
update test_clocks t set lease_token = gen_random_uuid(), lease_until = now() + :lease, updated_at = now()
  from free where t.store_id = free.store_id
returning t.store_id, t.lease_token, t.stands_at, t.target, t.patience_ms
""")
)
INSIST = Statement(
    text("update test_clocks set lease_until = now() + :lease where store_id = :store and lease_token = :token")
)
ON_THEIR_WAY = Statement(
    text("""
select exists (
    select from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where e.user_id = :store and e.environment = 'test' and e.active
       and d.state = 0 and (d.next_attempt_at <= now() or d.lease_token is not null))
""")
)
# A moment that has passed is of what somebody held in its step, or has just dated back: the clock doesn't go on without
# it. A minimum with a filter, because a plain one would be looked for along an index over all stores' dates. What
# couldn't be charged is tried again with the other cycles, and a day later at the latest, as the daily run would.
# Retries of one second share a step.
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
    update test_clocks set stands_at = :to, patience_ms = :patience_ms, lease_until = now() + :lease, updated_at = now()
     where store_id = :store and lease_token = :token
    returning store_id
),
waiting as (
    select d.id from moved
      join webhook_endpoints e on e.user_id = moved.store_id and e.environment = 'test'
      join webhook_deliveries d on d.endpoint_id = e.id
     where d.state = 0 and d.lease_token is null and d.next_attempt_at > now()
     order by d.id for update of d
),
pulled as (
    update webhook_deliveries d set next_attempt_at = d.next_attempt_at - cast(:by as interval)
      from waiting where d.id = waiting.id
)
select store_id from moved
""")
)
FINISH = Statement(
    text("""
update test_clocks
   set ahead = greatest(ahead, cast(:at as timestamptz) - :real), stands_at = null, target = null,
       lease_token = null, lease_until = null, updated_at = now()
 where store_id = :store and lease_token = :token
""")
)
GIVE_BACK = Statement(
    text("""
update test_clocks set lease_token = null, lease_until = null, patience_ms = :patience_ms, updated_at = now()
 where store_id = :store and lease_token = :token
""")
)


class LeaseLost(RuntimeError):
    """Another worker has taken the advance over."""


class Stint(Struct, frozen=True):
    """What one turn of a worker does: `stores` advances side by side, each for `seconds`; others then have their turn.
    `look`: seconds between two looks at webhooks on their way.
    """

    stores: int = 4
    seconds: float = 5.0
    look: float = 0.02


async def advance_clocks(ctx: Context, stint: Stint | None = None) -> None:
    """Go on with the advances that are under way and that nobody is at."""
    stint = stint or Stint()
    rows = await ctx.database.all(CLAIM, room=stint.stores, lease=LEASE)
    # Not a task group: one that fails must not cut the others off in the middle of a step.
    ended = await asyncio.gather(*(_Advance.of(ctx, row, stint).run() for row in rows), return_exceptions=True)
    for row, failure in zip(rows, ended, strict=True):
        if isinstance(failure, BaseException):
            log.error("test_clock_stuck", store_id=row["store_id"], exc_info=failure)


class _Advance(Struct):
    """One store's advance, while its lease is ours. `at`: the moment of the present step; `expires` and `bills`:
    whether that is to be done in it. The first and the last step of a stint do both, whatever has come in between.
    """

    ctx: Context
    stint: Stint
    store: str
    token: str
    target: datetime
    at: datetime
    patience: timedelta
    clock: StandingClock
    until: float
    expires: bool = True
    bills: bool = True

    @classmethod
    def of(cls, ctx: Context, row: Mapping[str, Any], stint: Stint) -> "_Advance":
        at = row["stands_at"]
        patience = row["patience_ms"] * _MILLISECOND
        clock = StandingClock(at)
        return cls(
            ctx.timed_by(clock),
            stint,
            row["store_id"],
            row["lease_token"],
            row["target"],
            at,
            patience,
            clock,
            time.monotonic() + stint.seconds,
        )

    async def run(self) -> None:
        """Go on until the target is reached or the stint is over."""
        try:
            while not self._is_over():
                if self.expires:
                    await expire_store_charges(self.ctx, self.store)
                if self.bills:
                    await bill_store(self.ctx, self.store, self)
                if not await self._let_webhooks_arrive():
                    break
                due = await self._next()
                held = any(moment is not None and moment <= self.at for moment in (due["expiry"], due["cycle"]))
                if held:
                    await asyncio.sleep(self.stint.look)
                elif self.at >= self.target:
                    await self._finish()
                    return
                await self._move(due)
            await self._give_back()
        except LeaseLost:
            log.warning("test_clock_lease_lost", store_id=self.store)
        except asyncio.CancelledError:
            # The worker is being stopped: another one needn't wait for the lease to run out.
            with suppress(LeaseLost):
                await self._give_back()
            raise

    async def insist(self) -> None:
        """Raise `LeaseLost` where the advance is somebody else's by now."""
        await self._write(INSIST, lease=LEASE)

    def _is_over(self) -> bool:
        return time.monotonic() >= self.until

    async def _let_webhooks_arrive(self) -> bool:
        """Whether the clock may go on: all that is due has been sent, or the advance has run out of patience."""
        began = time.monotonic()
        woken = False
        while self.patience > timedelta(0) and await self.ctx.database.value(ON_THEIR_WAY, store=self.store):
            if self._is_over():
                return False
            if not woken:
                self.ctx.services.wake.webhooks()
                woken = True
            await asyncio.sleep(self.stint.look)
            waited, began = time.monotonic() - began, time.monotonic()
            self.patience -= timedelta(seconds=waited)
        return True

    async def _next(self) -> Row:
        due = await self.ctx.database.one(NEXT, store=self.store, at=self.at)
        assert due is not None
        return due

    async def _move(self, due: Row) -> None:
        following = min(moment for moment in (*due, self.target) if moment is not None)
        # What happened in the present step took its microseconds: the next one comes after it.
        to = max(following, self.clock.now())
        await self._write(MOVE, to=to, by=to - self.at, patience_ms=self._patience_ms(), lease=LEASE)
        last = to >= self.target
        self.expires, self.bills = (
            last or (moment is not None and moment <= to) for moment in (due["expiry"], due["cycle"])
        )
        self.at, self.clock = to, StandingClock(to)
        self.ctx = self.ctx.timed_by(self.clock)

    async def _give_back(self) -> None:
        await self._write(GIVE_BACK, patience_ms=self._patience_ms())

    def _patience_ms(self) -> int:
        return max(0, self.patience // _MILLISECOND)

    async def _finish(self) -> None:
        await self._write(FINISH, at=self.clock.now(), real=self.ctx.real_clock.now())

    async def _write(self, statement: Statement, **values: Any) -> None:
        """Write where the advance stands, or raise `LeaseLost`."""
        if not await self.ctx.database.run(statement, store=self.store, token=self.token, **values):
            raise LeaseLost
