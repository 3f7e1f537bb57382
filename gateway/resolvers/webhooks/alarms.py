"""What merchants are told of endpoints that don't receive: a warning after a day without a success and one after three,
and once a day how many deliveries were given up.

What was told is noted beside the endpoint's health in the transaction that queues the mail, so several workers tell it
once. An endpoint whose failures have ended is warned anew when they begin again.
"""

from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.outbox import enqueue
from gateway.resolvers.email.webhook_templates import WebhookDeliveriesExhausted, WebhookEndpointFailing
from gateway.resolvers.webhooks.letters import about, letter, problem

# Rows that the dispatcher is writing at this moment are left to the next turn: nobody waits for anybody.
WARN = Statement(
    text("""
with failing as (
    select h.endpoint_id, h.first_failure_at,
           case when h.first_failure_at <= now() - interval '72 hours' then 72 else 24 end as hours
      from webhook_endpoint_health h join webhook_endpoints e on e.id = h.endpoint_id
     where e.active and h.degraded and h.first_failure_at <= now() - interval '24 hours'
       and h.warned_hours < case when h.first_failure_at <= now() - interval '72 hours' then 72 else 24 end
       for update of h skip locked
)
update webhook_endpoint_health h
   set warned_hours = failing.hours
  from failing
  join webhook_endpoints e on e.id = failing.endpoint_id
  left join lateral (
      select d.last_status, d.last_error from webhook_deliveries d
       where d.endpoint_id = e.id and d.last_error is not null order by d.created_at desc limit 1
  ) latest on true
 where h.endpoint_id = failing.endpoint_id
returning e.id, e.user_id, e.environment, e.name, e.url, failing.first_failure_at, failing.hours,
          latest.last_status, latest.last_error
""")
)
# A day is one of São Paulo's. What is counted begins where the last mail ended, so a day on which no worker ran is
# told with the next; what was sent again meanwhile is given up no more and doesn't count.
TELL_EXHAUSTED = Statement(
    text("""
with today as (
    select date_trunc('day', now(), 'America/Sao_Paulo') as begins
),
untold as (
    select h.endpoint_id, coalesce(h.exhausted_told_until, '-infinity') as told_until, today.begins
      from webhook_endpoint_health h cross join today
     where coalesce(h.exhausted_told_until, '-infinity') < today.begins
       and exists (select from webhook_deliveries d
                    where d.endpoint_id = h.endpoint_id and d.state = 2 and d.finished_at < today.begins
                      and d.finished_at >= coalesce(h.exhausted_told_until, '-infinity'))
       for update of h skip locked
)
update webhook_endpoint_health h
   set exhausted_told_until = untold.begins
  from untold
  join webhook_endpoints e on e.id = untold.endpoint_id and e.deleted_at is null
  cross join lateral (
      select count(*) as deliveries from webhook_deliveries d
       where d.endpoint_id = e.id and d.state = 2
         and d.finished_at >= untold.told_until and d.finished_at < untold.begins
  ) given_up
 where h.endpoint_id = untold.endpoint_id
returning e.id, e.user_id, e.environment, e.name, e.url, e.active, given_up.deliveries,
          cast(untold.begins at time zone 'America/Sao_Paulo' as date) - 1 as day
""")
)


async def raise_alarms(ctx: Context) -> None:
    """Queue the mails that are due: at most one of each kind for an endpoint and a run of failures, or a day."""
    async with ctx.database.transaction() as transaction:
        failing = await transaction.all(WARN)
        await enqueue(ctx, transaction, *(letter(_failing(row), row) for row in failing))
    async with ctx.database.transaction() as transaction:
        given_up = await transaction.all(TELL_EXHAUSTED)
        await enqueue(ctx, transaction, *(letter(_exhausted(row), row) for row in given_up))


def _failing(row: Row) -> WebhookEndpointFailing:
    said = problem(row["last_status"], row["last_error"])
    return WebhookEndpointFailing(
        **about(row), hours=row["hours"], failing_since=row["first_failure_at"], last_problem=said
    )


def _exhausted(row: Row) -> WebhookDeliveriesExhausted:
    told = {name: row[name] for name in ("day", "deliveries", "active")}
    return WebhookDeliveriesExhausted(**about(row), **told)
