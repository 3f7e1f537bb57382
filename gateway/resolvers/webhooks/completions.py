"""Writing down what came of attempts: the log, the delivery's next step, and the endpoint's health.

Many at once in one statement: a round trip and a commit for each would cost more than sending.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.integrations.egress.answers import Answer
from gateway.models.database import Statement
from gateway.models.webhooks import DisabledReason
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.claims import Claim
from gateway.resolvers.webhooks.schedule import Verdict
from gateway.resolvers.webhooks.switching_off import record_switch_off

# An attempt whose token is no longer the row's has lost its lease: nothing of it is written. Health keeps what followed
# the last success of the batch; rows are taken in order of their key, so that two workers can't wait for each other.
COMPLETE = Statement(
    text("""
with given as (
    select * from unnest(
        cast(:events as uuid[]), cast(:endpoints as uuid[]), cast(:tokens as uuid[]),
        cast(:states as smallint[]), cast(:delays as float8[]),
        cast(:started as timestamptz[]), cast(:durations as integer[]), cast(:addresses as text[]),
        cast(:statuses as smallint[]), cast(:errors as text[]), cast(:responses as bytea[])
    ) with ordinality as g(
        event_id, endpoint_id, token, state, delay, started_at, duration_ms, address, status, error, response, place
    )
),
done as (
    update webhook_deliveries d
       set state = g.state,
           lease_token = null,
           lease_until = null,
           failures = d.failures + case when g.state = 1 then 0 else 1 end,
           next_attempt_at = now() + g.delay * interval '1 second',
           last_status = g.status,
           last_error = g.error,
           canceled_reason = case when g.state = 3 then 'gone' end,
           finished_at = case when g.state <> 0 then now() end
      from given g
     where d.event_id = g.event_id and d.endpoint_id = g.endpoint_id and d.lease_token = g.token and d.state = 0
    returning d.id, d.endpoint_id, d.attempts, g.state, g.started_at, g.duration_ms, g.address, g.status, g.error,
              g.response, g.place
),
attempt as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, address, status, error_code, response)
    select id, attempts, started_at, duration_ms, address, status, error, response from done
),
last_success as (
    select endpoint_id, max(place) filter (where state = 1) as place from done group by endpoint_id
),
tally as (
    select s.endpoint_id, s.place is not null as succeeded,
           count(*) filter (where done.place > coalesce(s.place, 0)) as failures
      from last_success s join done on done.endpoint_id = s.endpoint_id
     group by s.endpoint_id, s.place
),
health as (
    insert into webhook_endpoint_health as h
           (endpoint_id, consecutive_failures, degraded, first_failure_at, last_success_at, last_attempt_at)
    select endpoint_id, failures, failures >= 3,
           case when failures > 0 then now() end, case when succeeded then now() end, now()
      from tally order by endpoint_id
    on conflict (endpoint_id) do update
       set consecutive_failures = excluded.consecutive_failures
               + case when excluded.last_success_at is null then h.consecutive_failures else 0 end,
           degraded = excluded.consecutive_failures
               + case when excluded.last_success_at is null then h.consecutive_failures else 0 end >= 3,
           first_failure_at = case when excluded.last_success_at is null
               then coalesce(h.first_failure_at, excluded.first_failure_at) else excluded.first_failure_at end,
           last_success_at = coalesce(excluded.last_success_at, h.last_success_at),
           last_attempt_at = excluded.last_attempt_at,
           warned_hours = case when excluded.last_success_at is null then h.warned_hours else 0 end
     where excluded.consecutive_failures > 0 or h.consecutive_failures > 0
        or h.last_success_at is null or h.last_success_at < now() - interval '1 minute'
)
select id from done
""")
)
SWITCH_OFF_GONE = Statement(
    text("""
update webhook_endpoints e
   set active = false, disabled_reason = 'gone', updated_at = now()
  from unnest(cast(:ids as uuid[]), cast(:urls as text[])) as gone(id, url)
 where e.id = gone.id and e.url = gone.url and e.active
returning e.id, e.user_id, e.environment, e.name, e.url
""")
)


class Attempt(Struct, frozen=True):
    """One request that was made, or refused to be, for a claim. `started_at` is the database's time. `bare`: without
    what was said, because something failed here.
    """

    claim: Claim
    started_at: datetime
    answer: Answer
    verdict: Verdict
    bare: bool = False


async def complete(ctx: Context, attempts: Sequence[Attempt]) -> set[str]:
    """Write what came of attempts, given in the order in which they ended.

    Returns the ids of the deliveries written; the others had lost their lease, and what they did is somebody else's.
    """
    gone = [attempt.claim for attempt in attempts if attempt.verdict.gone]
    if not gone:
        return {row["id"] for row in await ctx.database.all(COMPLETE, **_columns(attempts))}
    async with ctx.database.transaction() as transaction:
        written = {row["id"] for row in await transaction.all(COMPLETE, **_columns(attempts))}
        ended = {claim.endpoint_id: claim.url for claim in gone if claim.id in written}
        off = await transaction.all(SWITCH_OFF_GONE, ids=list(ended), urls=list(ended.values()))
        await record_switch_off(ctx, transaction, off, DisabledReason.gone)
    return written


def _columns(attempts: Sequence[Attempt]) -> dict[str, list[Any]]:
    answers = [attempt.answer for attempt in attempts]
    return {
        "events": [attempt.claim.event_id for attempt in attempts],
        "endpoints": [attempt.claim.endpoint_id for attempt in attempts],
        "tokens": [attempt.claim.token for attempt in attempts],
        "states": [attempt.verdict.state.value for attempt in attempts],
        "delays": [attempt.verdict.delay for attempt in attempts],
        "started": [attempt.started_at for attempt in attempts],
        "durations": [answer.duration_ms for answer in answers],
        "addresses": [answer.address for answer in answers],
        "statuses": [answer.status for answer in answers],
        "errors": [answer.error_code for answer in answers],
        "responses": [answer.excerpt or None for answer in answers],
    }
