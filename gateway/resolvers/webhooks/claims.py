"""Claiming deliveries that are due: who may send what, now.

A claim is a lease with a token. A lease that has run out is simply a due row again, so nothing has to be cleaned up
after a worker that died; the token keeps one that wakes up too late from writing anything. All times are the
database's, so no worker's wrong clock hides or frees a row. docs/webhooks.md tells what merchants may rely on.
"""

import time
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.resolvers.core.context import Context

LEASE_SECONDS = 60.0
"""Beyond DNS, dialling and the deadline of one request with a wide margin."""
MOST_IN_FLIGHT = 4
"""Requests that one endpoint gets at the same time, from all workers; one while it is degraded."""
MOST_LOST = 4
"""Claims in a row of which nothing was ever written, because their worker died; the next
one is written as a failure.
"""

LOCK = Statement(text("select pg_advisory_xact_lock(7461001)"))
# One claimer at a time: the cap per endpoint counts leases, and two snapshots would each count without the other's.
#
# * `pending` skips from endpoint to endpoint along the partial index, with the first delivery of each: its cost is the
#   number of endpoints with something pending, not of deliveries, and no endpoint's backlog stands before another's.
# * `endpoint`: of those `ready`, which are looked into because they may have one of the `room` first deliveries. Of
#   those whose first is fresh, the `room` that have least under way and wait longest; all whose first is a retry; and
#   of degraded ones, which get one place each, as many as there are places, those first that were tried longest ago.
#   (The rest of `ready` can't win: docs/adr/0021.)
# * `candidate`: what each of them could have claimed. Where the first is a retry, what is fresh is looked for apart,
#   however many retries are before it.
# * `ranked`: where something is fresh, retries leave it one of its endpoint's places.
# * `chosen`: everybody's first comes before anybody's second, and what is under way counts: so a hundred that hang take
#   a place each, and not four.
# * `mine`: candidates are chosen without locks and only those taken are locked, so that a hundred rows are written
#   for a claim and no more.
#
# The bound of `event_id` is a day ahead of now: so the partitions of later months aren't read for each endpoint.
# `lost` is counted only where claims and failures are far apart.
CLAIM = Statement(
    text("""
with recursive pending(endpoint_id, due_at, attempts) as (
    (select endpoint_id, next_attempt_at, attempts from webhook_deliveries
      where state = 0 and event_id < (select uuidv7(interval '1 day')) order by endpoint_id, next_attempt_at limit 1)
    union all
    select first.* from pending cross join lateral (
        select d.endpoint_id, d.next_attempt_at, d.attempts from webhook_deliveries d
         where d.state = 0 and d.event_id < (select uuidv7(interval '1 day')) and d.endpoint_id > pending.endpoint_id
         order by d.endpoint_id, d.next_attempt_at limit 1
    ) first
),
in_flight as (
    select endpoint_id, count(*) as requests, count(*) filter (where attempts > 1) as retries from webhook_deliveries
     where state = 0 and lease_token is not null and lease_until > now() group by endpoint_id
),
ready as (
    select pending.endpoint_id, pending.due_at, pending.attempts > 0 as retries, h.last_attempt_at,
           coalesce(h.degraded, false) as degraded, coalesce(f.requests, 0) as under_way,
           case when h.degraded then 1 else :most_in_flight end - coalesce(f.requests, 0) as allowance,
           :most_in_flight - 1 - coalesce(f.retries, 0) as allowance_beside
      from pending
      join webhook_endpoints e on e.id = pending.endpoint_id and e.active
      left join webhook_endpoint_health h on h.endpoint_id = pending.endpoint_id
      left join in_flight f on f.endpoint_id = pending.endpoint_id
     where pending.due_at <= now()
),
endpoint as (
    (select * from ready where not degraded and not retries and allowance > 0 order by under_way, due_at limit :room)
    union all
    select * from ready where not degraded and retries and allowance > 0
    union all
    (select * from ready where degraded and allowance > 0
      order by last_attempt_at nulls first, due_at limit :degraded_room)
),
candidate as (
    select due.event_id, due.next_attempt_at, endpoint.endpoint_id,
           endpoint.under_way, endpoint.allowance, endpoint.allowance_beside,
           case when endpoint.degraded then 'degraded' when due.attempts > 0 then 'retry' else 'fresh' end as lane
      from endpoint cross join lateral (
          select d.event_id, d.next_attempt_at, d.attempts from webhook_deliveries d
           where d.state = 0 and d.event_id < (select uuidv7(interval '1 day')) and d.endpoint_id = endpoint.endpoint_id and d.next_attempt_at <= now()
           order by d.next_attempt_at limit endpoint.allowance
      ) due
     where due.attempts > 0 or endpoint.degraded or not endpoint.retries
    union all
    select due.event_id, due.next_attempt_at, endpoint.endpoint_id,
           endpoint.under_way, endpoint.allowance, endpoint.allowance_beside, 'fresh'
      from endpoint cross join lateral (
          select d.event_id, d.next_attempt_at from webhook_deliveries d
           where d.state = 0 and d.event_id < (select uuidv7(interval '1 day')) and d.attempts = 0 and d.endpoint_id = endpoint.endpoint_id and d.next_attempt_at <= now()
           order by d.next_attempt_at limit endpoint.allowance
      ) due
     where endpoint.retries and not endpoint.degraded
),
marked as (
    select *, row_number() over (partition by endpoint_id, lane order by next_attempt_at) as nth_of_lane,
           bool_or(lane = 'fresh') over (partition by endpoint_id) as beside_fresh
      from candidate
),
ranked as (
    select *, row_number() over (partition by lane order by next_attempt_at) as place
      from marked where lane <> 'retry' or not beside_fresh or nth_of_lane <= allowance_beside
),
placed as (
    select *, row_number() over (partition by endpoint_id order by next_attempt_at) as nth
      from ranked where lane <> 'retry' or place <= :retry_room
),
chosen as (
    select event_id, endpoint_id, lane from placed where nth <= allowance order by under_way + nth, next_attempt_at limit :room
),
mine as (
    select d.event_id, d.endpoint_id, chosen.lane
      from webhook_deliveries d join chosen on chosen.event_id = d.event_id and chosen.endpoint_id = d.endpoint_id
     where d.state = 0 and d.next_attempt_at <= now()
       for update of d skip locked
)
update webhook_deliveries d
   set lease_token = gen_random_uuid(),
       lease_until = now() + :lease,
       next_attempt_at = now() + :lease,
       attempts = d.attempts + 1
  from mine, webhook_events v, webhook_endpoints e
 where d.event_id = mine.event_id and d.endpoint_id = mine.endpoint_id
   and v.id = mine.event_id and e.id = mine.endpoint_id
returning d.id, d.lease_token as token, d.attempts as number, d.failures, d.endpoint_id, mine.lane,
          v.id as event_id, v.type as event, v.body, v.environment, e.url, e.secret,
          case when e.previous_secret_until > now() then e.previous_secret end as previous_secret,
          d.created_at as emitted_at,
          clock_timestamp() as claimed_at,
          case when d.attempts - d.failures <= :most_lost then 0
               else d.attempts - 1 - coalesce(
                   (select max(a.number) from webhook_attempts a where a.delivery_id = d.id), 0
               )
          end as lost
""")
)
RELEASE = Statement(
    text("""
update webhook_deliveries d
   set lease_token = null, lease_until = null, next_attempt_at = now()
  from unnest(cast(:events as uuid[]), cast(:endpoints as uuid[]), cast(:tokens as uuid[]))
       as mine(event_id, endpoint_id, token)
 where d.event_id = mine.event_id and d.endpoint_id = mine.endpoint_id and d.lease_token = mine.token and d.state = 0
""")
)


class Lane(StrEnum):
    """What a delivery takes a place among, so that none of the three is held up by another."""

    fresh = "fresh"
    """Its first attempt."""
    retry = "retry"
    """A later one, at an endpoint that answers as far as is known."""
    degraded = "degraded"
    """Any, at an endpoint that has failed three times in a row."""


class Claim(Struct, frozen=True):
    """One attempt that is ours to make, until the lease runs out. Secrets are sealed; `body` is sent as it is.

    `emitted_at`: when its event happened. `lost`: how many claims before this one have come to nothing that was
    written, told when they may be more than `MOST_LOST`. `received`: when the claim came here, by the monotonic clock.
    """

    id: str
    token: str
    number: int
    failures: int
    endpoint_id: str
    lane: Lane
    event_id: str
    event: str
    body: bytes
    environment: str
    url: str
    secret: bytes
    previous_secret: bytes | None
    emitted_at: datetime
    claimed_at: datetime
    lost: int
    received: float

    def database_time(self) -> datetime:
        """What time it is at the database, whatever this machine's clock says."""
        return self.claimed_at + timedelta(seconds=time.monotonic() - self.received)


async def claim_due(
    ctx: Context, *, room: int, retry_room: int, degraded_room: int, lease_seconds: float = LEASE_SECONDS
) -> list[Claim]:
    """Claim up to `room` due deliveries, fairly between endpoints; of them up to `retry_room` retries and up to
    `degraded_room` for degraded endpoints.
    """
    lease = timedelta(seconds=lease_seconds)
    values = claim_values(lease, room=room, retry_room=retry_room, degraded_room=degraded_room)
    async with ctx.database.transaction() as transaction:
        await transaction.run(LOCK)
        rows = await transaction.all(CLAIM, **values)
    received = time.monotonic()
    return [_claim(row, received) for row in rows]


def claim_values(lease: timedelta, **rooms: int) -> dict[str, Any]:
    """What `CLAIM` binds."""
    return {"lease": lease, "most_in_flight": MOST_IN_FLIGHT, "most_lost": MOST_LOST, **rooms}


async def release(ctx: Context, claims: list[Claim]) -> None:
    """Give unfinished claims back, due at once."""
    values: dict[str, Any] = {
        "events": [claim.event_id for claim in claims],
        "endpoints": [claim.endpoint_id for claim in claims],
        "tokens": [claim.token for claim in claims],
    }
    await ctx.database.run(RELEASE, **values)


def _claim(row: Row, received: float) -> Claim:
    return Claim(**(dict(row) | {"lane": Lane(row["lane"]), "received": received}))
