"""Record the outcome of attempts: the log, the next step of the delivery, and the health of the endpoint.

One statement records many attempts: a round trip and a commit for each would cost more than sending.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.integrations.egress.response import DeliveryResponse
from gateway.models.database import Statement
from gateway.models.webhooks import DisabledReason
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.claims import Claim
from gateway.resolvers.webhooks.endpoint_maintenance import record_disabled
from gateway.resolvers.webhooks.retry_policy import RetryDecision

# An attempt without its delivery's current token has lost the lease: nothing of it is recorded. Health counts the
# failures after the last success of the batch. Its rows are locked in the order of their keys, against deadlocks.
RECORD_ATTEMPTS = Statement(
    text("""
with attempts as (
    select * from unnest(
        cast(:events as uuid[]), cast(:endpoints as uuid[]), cast(:tokens as uuid[]),
        cast(:states as smallint[]), cast(:delays as float8[]),
        cast(:started as timestamptz[]), cast(:durations as integer[]), cast(:addresses as text[]),
        cast(:statuses as smallint[]), cast(:errors as text[]), cast(:responses as bytea[]),
        cast(:request_headers as jsonb[]), cast(:response_headers as jsonb[])
    ) with ordinality as a(
        event_id, endpoint_id, token, state, delay, started_at, duration_ms, address, status, error, response,
        request_headers, response_headers, position
    )
),
recorded as (
    update webhook_deliveries d
       set state = a.state,
           lease_token = null,
           lease_until = null,
           failures = d.failures + case when a.state = 1 then 0 else 1 end,
           next_attempt_at = now() + a.delay * interval '1 second',
           last_status = a.status,
           last_error = a.error,
           canceled_reason = case when a.state = 3 then 'gone' end,
           finished_at = case when a.state <> 0 then now() end
      from attempts a
     where d.event_id = a.event_id and d.endpoint_id = a.endpoint_id and d.lease_token = a.token and d.state = 0
    returning d.id, d.endpoint_id, d.attempts, a.state, a.started_at, a.duration_ms, a.address, a.status, a.error,
              a.response, a.request_headers, a.response_headers, a.position
),
attempt as (
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, address, status, error_code, response,
                                  request_headers, response_headers)
    select id, attempts, started_at, duration_ms, address, status, error, response, request_headers, response_headers
      from recorded
),
last_success as (
    select endpoint_id, max(position) filter (where state = 1) as position from recorded group by endpoint_id
),
tally as (
    select s.endpoint_id, s.position is not null as succeeded,
           count(*) filter (where recorded.position > coalesce(s.position, 0)) as failures
      from last_success s join recorded on recorded.endpoint_id = s.endpoint_id
     group by s.endpoint_id, s.position
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
           last_alert_hours = case when excluded.last_success_at is null then h.last_alert_hours else 0 end
     where excluded.consecutive_failures > 0 or h.consecutive_failures > 0
        or h.last_success_at is null or h.last_success_at < now() - interval '1 minute'
)
select id from recorded
""")
)
DISABLE_GONE = Statement(
    text("""
update webhook_endpoints e
   set active = false, disabled_reason = 'gone', disabled_at = now(), updated_at = now()
  from unnest(cast(:ids as uuid[]), cast(:urls as text[])) as gone(id, url)
 where e.id = gone.id and e.url = gone.url and e.active
returning e.id, e.user_id, e.environment, e.name, e.url
""")
)


class Attempt(Struct, frozen=True):
    """One request that was sent for a claim, or refused before. `started_at` is the database's time. `internal`: it
    failed in this process, and only what can always be recorded is recorded. `request_headers`: none if not signed.
    """

    claim: Claim
    started_at: datetime
    response: DeliveryResponse
    decision: RetryDecision
    internal: bool = False
    request_headers: Mapping[str, str] = {}


async def record_attempts(ctx: Context, attempts: Sequence[Attempt]) -> set[str]:
    """Record attempts, in the order in which they finished.

    Returns the ids of the deliveries that were updated. The others had lost their lease.
    """
    gone = [attempt.claim for attempt in attempts if attempt.decision.gone]
    if not gone:
        return {row["id"] for row in await ctx.database.all(RECORD_ATTEMPTS, **_columns(attempts))}
    async with ctx.database.transaction() as transaction:
        recorded = {row["id"] for row in await transaction.all(RECORD_ATTEMPTS, **_columns(attempts))}
        urls = {claim.endpoint_id: claim.url for claim in gone if claim.id in recorded}
        disabled = await transaction.all(DISABLE_GONE, ids=list(urls), urls=list(urls.values()))
        await record_disabled(ctx, transaction, disabled, DisabledReason.gone)
    return recorded


def _columns(attempts: Sequence[Attempt]) -> dict[str, list[Any]]:
    responses = [attempt.response for attempt in attempts]
    return {
        "events": [attempt.claim.event_id for attempt in attempts],
        "endpoints": [attempt.claim.endpoint_id for attempt in attempts],
        "tokens": [attempt.claim.token for attempt in attempts],
        "states": [attempt.decision.state.value for attempt in attempts],
        "delays": [attempt.decision.delay for attempt in attempts],
        "started": [attempt.started_at for attempt in attempts],
        "durations": [response.duration_ms for response in responses],
        "addresses": [response.address for response in responses],
        "statuses": [response.status for response in responses],
        "errors": [response.error_code for response in responses],
        "responses": [response.excerpt or None for response in responses],
        "request_headers": [attempt.request_headers for attempt in attempts],
        "response_headers": [response.headers for response in responses],
    }
