"""Claims of due deliveries: which worker may send which delivery now.

A claim is a lease with a token. A delivery with an expired lease is due again, so nothing has to be cleaned up after a
worker that died. The token keeps a worker that was suspended from recording anything. All times are the database's, so
a worker's wrong clock neither hides nor frees a delivery. docs/webhooks.md says what merchants may rely on.
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
"""Longer than DNS, dialling and the deadline of one request together, with a wide margin."""
MAX_IN_FLIGHT = 4
"""Concurrent requests to one endpoint, from all workers; one while it is degraded."""
MAX_ABANDONED = 4
"""Consecutive claims without a recorded attempt, because their worker died. The next one is recorded as a failure."""

# * `pending` is a loose index scan: it jumps along the partial index to the first delivery of each endpoint. Its cost
#   is the number of endpoints with pending deliveries, not of deliveries.
# * `endpoint`: those of the `ready` ones that may have one of the first `slots` deliveries. These are the `slots` that
#   begin with a fresh delivery, have the fewest requests in progress and wait the longest; all that begin with a retry;
#   and as many degraded ones as there are slots for, those first whose last attempt is the oldest. (docs/adr/0021.)
# * `candidate`: the deliveries that each endpoint may claim. Where the first one is a retry, fresh ones are looked up
#   by an index of their own, however many retries are before them.
# * `admitted`: an endpoint with fresh deliveries leaves one of its requests to them.
# * `chosen`: the first delivery of each endpoint comes before the second of any, and requests in progress count. So a
#   hundred endpoints that hang get one request each, and not four.
# * `mine`: candidates are selected without locks, and only those that are claimed are locked.
#
# `abandoned` is counted only where claims and failures are far apart.
CLAIM = Statement(
    text("""
with recursive pending(endpoint_id, due_at, attempts) as (
    (select endpoint_id, next_attempt_at, attempts from webhook_deliveries
      where state = 0 order by endpoint_id, next_attempt_at limit 1)
    union all
    select first.* from pending cross join lateral (
        select d.endpoint_id, d.next_attempt_at, d.attempts from webhook_deliveries d
         where d.state = 0 and d.endpoint_id > pending.endpoint_id
         order by d.endpoint_id, d.next_attempt_at limit 1
    ) first
),
in_flight as (
    select endpoint_id, count(*) as requests, count(*) filter (where attempts > 1) as retries from webhook_deliveries
     where state = 0 and lease_token is not null and lease_until > now() group by endpoint_id
),
ready as (
    select pending.endpoint_id, pending.due_at, pending.attempts > 0 as retries, h.last_attempt_at,
           coalesce(h.degraded, false) as degraded, coalesce(f.requests, 0) as in_progress,
           case when h.degraded then 1 else :max_in_flight end - coalesce(f.requests, 0) as allowance,
           :max_in_flight - 1 - coalesce(f.retries, 0) as retry_allowance
      from pending
      join webhook_endpoints e on e.id = pending.endpoint_id and e.active
      left join webhook_endpoint_health h on h.endpoint_id = pending.endpoint_id
      left join in_flight f on f.endpoint_id = pending.endpoint_id
     where pending.due_at <= now()
),
endpoint as (
    (select * from ready where not degraded and not retries and allowance > 0 order by in_progress, due_at limit :slots)
    union all
    select * from ready where not degraded and retries and allowance > 0
    union all
    (select * from ready where degraded and allowance > 0
      order by last_attempt_at nulls first, due_at limit :degraded_slots)
),
candidate as (
    select due.event_id, due.next_attempt_at, endpoint.endpoint_id,
           endpoint.in_progress, endpoint.allowance, endpoint.retry_allowance,
           case when endpoint.degraded then 'degraded' when due.attempts > 0 then 'retry' else 'fresh' end as lane
      from endpoint cross join lateral (
          select d.event_id, d.next_attempt_at, d.attempts from webhook_deliveries d
           where d.state = 0
             and d.endpoint_id = endpoint.endpoint_id and d.next_attempt_at <= now()
           order by d.next_attempt_at limit endpoint.allowance
      ) due
     where due.attempts > 0 or endpoint.degraded or not endpoint.retries
    union all
    select due.event_id, due.next_attempt_at, endpoint.endpoint_id,
           endpoint.in_progress, endpoint.allowance, endpoint.retry_allowance, 'fresh'
      from endpoint cross join lateral (
          select d.event_id, d.next_attempt_at from webhook_deliveries d
           where d.state = 0 and d.attempts = 0
             and d.endpoint_id = endpoint.endpoint_id and d.next_attempt_at <= now()
           order by d.next_attempt_at limit endpoint.allowance
      ) due
     where endpoint.retries and not endpoint.degraded
),
numbered_in_lane as (
    select *, row_number() over (partition by endpoint_id, lane order by next_attempt_at) as number_in_lane,
           bool_or(lane = 'fresh') over (partition by endpoint_id) as has_fresh
      from candidate
),
admitted as (
    select *, row_number() over (partition by lane order by next_attempt_at) as number
      from numbered_in_lane where lane <> 'retry' or not has_fresh or number_in_lane <= retry_allowance
),
numbered as (
    select *, row_number() over (partition by endpoint_id order by next_attempt_at) as endpoint_number
      from admitted where lane <> 'retry' or number <= :retry_slots
),
chosen as (
    select event_id, endpoint_id, lane from numbered where endpoint_number <= allowance
     order by in_progress + endpoint_number, next_attempt_at limit :slots
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
          case when d.attempts - d.failures <= :max_abandoned then 0
               else d.attempts - 1 - coalesce(
                   (select max(a.number) from webhook_attempts a where a.delivery_id = d.id), 0
               )
          end as abandoned
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
    """Each lane has its own limit, so that none delays another."""

    fresh = "fresh"
    """Its first attempt."""
    retry = "retry"
    """A later attempt, at an endpoint that is not degraded."""
    degraded = "degraded"
    """Any attempt at an endpoint that has failed three times in a row."""


class Claim(Struct, frozen=True):
    """One attempt that this worker may make until the lease expires. Secrets are encrypted; `body` is sent as it is.

    `emitted_at`: the time of the event. `abandoned`: how many claims before this one have no recorded attempt, if they
    may be more than `MAX_ABANDONED`. `received`: when this process received the claim, by the monotonic clock.
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
    abandoned: int
    received: float

    def database_time(self) -> datetime:
        """The current time of the database, independent of this machine's clock."""
        return self.claimed_at + timedelta(seconds=time.monotonic() - self.received)


async def claim_due(
    ctx: Context, *, slots: int, retry_slots: int, degraded_slots: int, lease_seconds: float = LEASE_SECONDS
) -> list[Claim]:
    """Claim up to `slots` due deliveries, fairly between endpoints; of them up to `retry_slots` retries and up to
    `degraded_slots` for degraded endpoints.
    """
    lease = timedelta(seconds=lease_seconds)
    values = {"lease": lease, "max_in_flight": MAX_IN_FLIGHT, "max_abandoned": MAX_ABANDONED}
    values |= {"slots": slots, "retry_slots": retry_slots, "degraded_slots": degraded_slots}
    async with ctx.database.transaction() as transaction:
        # One worker at a time: the limit per endpoint counts leases, which two concurrent snapshots would not share.
        await transaction.lock("webhook claims")
        rows = await transaction.all(CLAIM, **values)
    received = time.monotonic()
    return [_claim(row, received) for row in rows]


async def release(ctx: Context, claims: list[Claim]) -> None:
    """Release unfinished claims; they are due at once."""
    values: dict[str, Any] = {
        "events": [claim.event_id for claim in claims],
        "endpoints": [claim.endpoint_id for claim in claims],
        "tokens": [claim.token for claim in claims],
    }
    await ctx.database.run(RELEASE, **values)


def _claim(row: Row, received: float) -> Claim:
    return Claim(**(dict(row) | {"lane": Lane(row["lane"]), "received": received}))
