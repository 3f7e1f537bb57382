"""Emails to a store's owner about endpoints that fail: a warning after a day without a success and one after three
days, and a daily count of exhausted deliveries.

Each alert is recorded in the endpoint's health, by the transaction that enqueues the email. So it is sent once, however
many workers run. A success resets it.
"""

from typing import Any

from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.outbox import EmailMessage, enqueue
from gateway.resolvers.email.webhook_templates import EndpointData, WebhookDeliveriesExhausted, WebhookEndpointFailing

PROBLEMS = {
    "timeout": "tempo esgotado",
    "dns_failure": "domínio não encontrado",
    "blocked_address": "o domínio aponta para uma rede interna",
    "tls_failure": "certificado ou conexão TLS inválidos",
    "connection_refused": "conexão recusada",
    "connection_failed": "conexão interrompida",
    "protocol_error": "resposta que não é HTTP",
    "invalid_url": "endereço inválido",
}
"""The email's "Último problema" for an attempt that got no response."""

# Rows that the dispatcher has locked are left to the next run.
ALERT_FAILING = Statement(
    text("""
with failing as (
    select h.endpoint_id, h.first_failure_at,
           case when h.first_failure_at <= now() - interval '72 hours' then 72 else 24 end as hours
      from webhook_endpoint_health h join webhook_endpoints e on e.id = h.endpoint_id
     where e.active and h.degraded and h.first_failure_at <= now() - interval '24 hours'
       and h.last_alert_hours < case when h.first_failure_at <= now() - interval '72 hours' then 72 else 24 end
       for update of h skip locked
)
update webhook_endpoint_health h
   set last_alert_hours = failing.hours
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
# A day is a day in São Paulo. Counting starts where the last email ended, so no day is skipped if no worker runs.
# A delivery that was resent in the meantime is not exhausted any more, and does not count.
NOTIFY_EXHAUSTED = Statement(
    text("""
with today as (
    select date_trunc('day', now(), 'America/Sao_Paulo') as starts_at
),
pending as (
    select h.endpoint_id, coalesce(h.exhausted_notified_until, '-infinity') as notified_until, today.starts_at
      from webhook_endpoint_health h cross join today
     where coalesce(h.exhausted_notified_until, '-infinity') < today.starts_at
       and exists (select from webhook_deliveries d
                    where d.endpoint_id = h.endpoint_id and d.state = 2 and d.finished_at < today.starts_at
                      and d.finished_at >= coalesce(h.exhausted_notified_until, '-infinity'))
       for update of h skip locked
)
update webhook_endpoint_health h
   set exhausted_notified_until = pending.starts_at
  from pending
  join webhook_endpoints e on e.id = pending.endpoint_id and e.deleted_at is null
  cross join lateral (
      select count(*) as deliveries from webhook_deliveries d
       where d.endpoint_id = e.id and d.state = 2
         and d.finished_at >= pending.notified_until and d.finished_at < pending.starts_at
  ) exhausted
 where h.endpoint_id = pending.endpoint_id
returning e.id, e.user_id, e.environment, e.name, e.url, e.active, exhausted.deliveries,
          cast(pending.starts_at at time zone 'America/Sao_Paulo' as date) - 1 as day
""")
)


async def send_failure_alerts(ctx: Context) -> None:
    """Enqueue the emails that are due: at most one of each kind per endpoint and run of failures, or per day."""
    async with ctx.database.transaction() as transaction:
        failing = await transaction.all(ALERT_FAILING)
        await enqueue(ctx, transaction, *(endpoint_email(_failing(ctx, row), row) for row in failing))
    async with ctx.database.transaction() as transaction:
        exhausted = await transaction.all(NOTIFY_EXHAUSTED)
        await enqueue(ctx, transaction, *(endpoint_email(_exhausted(ctx, row), row) for row in exhausted))


def endpoint_email(data: EndpointData, endpoint: Row) -> EmailMessage:
    """An email to the owner of the endpoint's store."""
    return EmailMessage(data, store_id=endpoint["user_id"], environment=endpoint["environment"])


def endpoint_data(ctx: Context, endpoint: Row) -> dict[str, Any]:
    """The template data that all emails about an endpoint share."""
    link = ctx.settings.panel_page(f"/dev/webhooks/{endpoint['id']}")
    return {"endpoint_id": endpoint["id"], "link": link} | {n: endpoint[n] for n in ("name", "url", "environment")}


def _failing(ctx: Context, row: Row) -> WebhookEndpointFailing:
    status, error = row["last_status"], row["last_error"]
    return WebhookEndpointFailing(
        **endpoint_data(ctx, row),
        hours=row["hours"],
        failing_since=row["first_failure_at"],
        last_problem=f"resposta {status}" if status else PROBLEMS.get(error or ""),
    )


def _exhausted(ctx: Context, row: Row) -> WebhookDeliveriesExhausted:
    counts = {name: row[name] for name in ("day", "deliveries", "active")}
    return WebhookDeliveriesExhausted(**endpoint_data(ctx, row), **counts)
