"""What waits in the outbox, for `/health` and for the metrics: how much, for how long, and whether anybody takes it.

Long waiting alone is no fault of ours: an endpoint that answers slowly has a backlog of its own making. Stuck is what
nobody takes: the oldest delivery of an active endpoint is due for `STUCK_AFTER`, and in all that time nothing was sent
there. That is a worker that isn't running, or workers too few for the endpoints that hang.
"""

from datetime import timedelta

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.telemetry import (
    ENDPOINTS_DEGRADED,
    OUTBOX_DUE,
    OUTBOX_IN_FLIGHT,
    OUTBOX_OLDEST,
    OUTBOX_SCHEDULED,
    OUTBOX_STUCK,
)

STUCK_AFTER = timedelta(minutes=2)
"""A deploy takes less, and so does a lease that its dead worker has left behind."""
COUNTED_AT_MOST = 50_000

# All of it reads the small indexes of what is due and leased: however much was delivered, and whatever the statistics
# say. The count is bounded; the oldest is looked for from endpoint to endpoint, as the claim does, and so has no bound.
BACKLOG = Statement(
    text("""
with recursive pending(endpoint_id, due_at) as (
    (select endpoint_id, next_attempt_at from webhook_deliveries
      where state = 0 order by endpoint_id, next_attempt_at limit 1)
    union all
    select first.* from pending cross join lateral (
        select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
         where d.state = 0 and d.endpoint_id > pending.endpoint_id order by d.endpoint_id, d.next_attempt_at limit 1
    ) first
),
in_flight as (
    select endpoint_id, count(*) as requests from webhook_deliveries
     where state = 0 and lease_token is not null and lease_until > now() group by endpoint_id
),
overdue as (
    select now() - pending.due_at as waits, h.last_attempt_at, f.endpoint_id is null as idle
      from pending
      join webhook_endpoints e on e.id = pending.endpoint_id and e.active
      left join webhook_endpoint_health h on h.endpoint_id = pending.endpoint_id
      left join in_flight f on f.endpoint_id = pending.endpoint_id
     where pending.due_at <= now()
),
counted as (
    select count(*) as pending, count(*) filter (where next_attempt_at <= now()) as due
      from (select next_attempt_at from webhook_deliveries
             where state = 0 order by endpoint_id, next_attempt_at limit :most) waiting
)
select counted.pending, counted.due,
       (select coalesce(sum(requests), 0) from in_flight)::bigint as in_flight,
       (select coalesce(extract(epoch from max(waits)), 0) from overdue)::float8 as oldest_seconds,
       (select count(*) from overdue
         where idle and waits > :stuck_after and coalesce(last_attempt_at < now() - :stuck_after, true)) as stuck,
       (select count(*) from webhook_endpoint_health h join webhook_endpoints e on e.id = h.endpoint_id
         where h.degraded and e.active) as degraded
  from counted
""")
)


class Backlog(Struct, frozen=True):
    """Deliveries that are neither delivered nor given up, counted up to a bound: `due` now,
    `in_flight`, the rest later.

    `oldest_seconds`: how long the one that waits longest is overdue. `stuck` and `degraded` count endpoints.
    """

    pending: int
    in_flight: int
    due: int
    oldest_seconds: float
    stuck: int
    degraded: int


async def backlog(ctx: Context, most: int = COUNTED_AT_MOST) -> Backlog:
    """What waits now."""
    row = await ctx.database.one(BACKLOG, most=most, stuck_after=STUCK_AFTER)
    assert row is not None
    return Backlog(**dict(row))


async def measure(ctx: Context) -> None:
    """Put what waits into the metrics of this process."""
    waiting = await backlog(ctx)
    OUTBOX_DUE.set(waiting.due)
    OUTBOX_IN_FLIGHT.set(waiting.in_flight)
    OUTBOX_SCHEDULED.set(max(0, waiting.pending - waiting.due - waiting.in_flight))
    OUTBOX_OLDEST.set(waiting.oldest_seconds)
    OUTBOX_STUCK.set(waiting.stuck)
    ENDPOINTS_DEGRADED.set(waiting.degraded)
