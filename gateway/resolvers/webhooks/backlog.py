"""The backlog of the outbox, for `/health` and the metrics: how many deliveries, for how long, and stuck endpoints.

A slow endpoint causes a backlog of its own. An endpoint is stuck if its oldest delivery has been due for `STUCK_AFTER`,
and nothing was sent to it in that time: no worker runs, or there are too few for the endpoints that hang.
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
"""Longer than a deploy, and than the lease of a worker that died."""
MAX_COUNTED = 50_000

# Reads only the partial indexes of due and leased deliveries, so its cost does not depend on the history. The count has
# a limit. The oldest delivery is found from endpoint to endpoint, as by the claim, so it is exact.
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
             where state = 0 order by endpoint_id, next_attempt_at limit :max_counted) waiting
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
    """Pending deliveries, counted up to a limit: `due` now, `in_flight`, and the rest later.

    `oldest_seconds`: how long the oldest one is overdue. `stuck` and `degraded` count endpoints.
    """

    pending: int
    in_flight: int
    due: int
    oldest_seconds: float
    stuck: int
    degraded: int


async def read_backlog(ctx: Context, max_counted: int = MAX_COUNTED) -> Backlog:
    """Read the backlog."""
    row = await ctx.database.single(BACKLOG, max_counted=max_counted, stuck_after=STUCK_AFTER)
    return Backlog(**dict(row))


async def measure_backlog(ctx: Context) -> None:
    """Set the metrics of this process."""
    current = await read_backlog(ctx)
    OUTBOX_DUE.set(current.due)
    OUTBOX_IN_FLIGHT.set(current.in_flight)
    OUTBOX_SCHEDULED.set(max(0, current.pending - current.due - current.in_flight))
    OUTBOX_OLDEST.set(current.oldest_seconds)
    OUTBOX_STUCK.set(current.stuck)
    ENDPOINTS_DEGRADED.set(current.degraded)
