"""Periodic maintenance of endpoints: disable those that fail, end replaced secrets and test receivers, cancel the
deliveries of inactive endpoints, and delete deleted endpoints with their log.

An endpoint is disabled after days of failures, not after a number of failures: one bad deploy on a Friday would stop
all payment events of a merchant. Deletions run in small batches, so that no transaction holds locks for long.
"""

from collections.abc import Sequence

from sqlalchemy import text

from gateway.models.database import Executor, Row, Statement
from gateway.models.webhooks import DisabledReason
from gateway.resolvers.audit.audit_log import RECORD, record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.outbox import enqueue
from gateway.resolvers.email.webhook_templates import EndpointData, WebhookEndpointDisabled, WebhookEndpointGone
from gateway.resolvers.webhooks.failure_alerts import endpoint_data, endpoint_email
from gateway.telemetry import log

END_PREVIOUS_SECRETS = Statement(
    text("""
update webhook_endpoints set previous_secret = null, previous_secret_until = null where previous_secret_until <= now()
""")
)
END_TEST_RECEIVERS = Statement(
    text("""
update webhook_endpoints set active = false, deleted_at = now(), updated_at = now(), secret = '', previous_secret = null
 where expires_at <= now() and deleted_at is null
""")
)
DISABLE_FAILING = Statement(
    text("""
update webhook_endpoints e
   set active = false, disabled_reason = 'failing', disabled_at = now(), updated_at = now()
  from webhook_endpoint_health h
 where h.endpoint_id = e.id and e.active and h.consecutive_failures >= 20
   and h.first_failure_at < now() - interval '5 days'
   and exists (select from webhook_deliveries d
                where d.endpoint_id = e.id and d.state = 2 and d.finished_at > h.first_failure_at)
returning e.id, e.user_id, e.environment, e.name, e.url, h.first_failure_at
""")
)
# An attempt in progress finishes, and is logged.
CANCEL_INACTIVE = Statement(
    text("""
with stale as (
    select d.event_id, d.endpoint_id, coalesce(e.disabled_reason, 'inactive') as reason
      from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where not e.active and d.state = 0 and (d.lease_until is null or d.lease_until <= now())
     limit :batch for update of d skip locked
)
update webhook_deliveries d
   set state = 3, canceled_reason = stale.reason, finished_at = now(), lease_token = null, lease_until = null
  from stale where d.event_id = stale.event_id and d.endpoint_id = stale.endpoint_id
""")
)
DELETE_LOGS = Statement(
    text("""
with doomed as (
    select d.event_id, d.endpoint_id, d.id from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where e.deleted_at is not null and (d.lease_until is null or d.lease_until <= now())
     limit :batch for update of d skip locked
),
attempt as (delete from webhook_attempts a using doomed where a.delivery_id = doomed.id)
delete from webhook_deliveries d using doomed
 where d.event_id = doomed.event_id and d.endpoint_id = doomed.endpoint_id
""")
)
# After a minute, every transaction that still saw the endpoint has committed. The subquery instead of `not exists`
# keeps the planner from a join that reads all deliveries.
DELETE_ENDPOINTS = Statement(
    text("""
with doomed as (
    select e.id from webhook_endpoints e
     where e.deleted_at < now() - interval '1 minute'
       and coalesce((select false from webhook_deliveries d where d.endpoint_id = e.id limit 1), true)
     limit :batch for update of e skip locked
),
health as (delete from webhook_endpoint_health h using doomed where h.endpoint_id = doomed.id)
delete from webhook_endpoints e using doomed where e.id = doomed.id
""")
)


async def maintain_endpoints(ctx: Context, batch: int = 1000) -> None:
    """Run all maintenance once."""
    await ctx.database.run(END_PREVIOUS_SECRETS)
    await ctx.database.run(END_TEST_RECEIVERS)
    await disable_failing(ctx)
    for statement in (CANCEL_INACTIVE, DELETE_LOGS, DELETE_ENDPOINTS):
        await ctx.database.run_in_batches(statement, batch)


async def disable_failing(ctx: Context) -> None:
    """Disable endpoints without a success for five days, with 20 failed attempts and an exhausted delivery since."""
    async with ctx.database.transaction() as transaction:
        rows = await transaction.all(DISABLE_FAILING)
        await record_disabled(ctx, transaction, rows, DisabledReason.failing)


async def record_disabled(
    ctx: Context, transaction: Executor, endpoints: Sequence[Row], reason: DisabledReason
) -> None:
    """Write the audit records and emails about endpoints that this transaction has disabled."""
    for endpoint in endpoints:
        log.warning("webhook_endpoint_disabled", endpoint_id=endpoint["id"], reason=reason)
    await transaction.run_many(RECORD, [_record(ctx, endpoint, reason) for endpoint in endpoints])
    emails = [endpoint_email(_email_data(ctx, endpoint, reason), endpoint) for endpoint in endpoints]
    await enqueue(ctx, transaction, *emails)


def _email_data(ctx: Context, endpoint: Row, reason: DisabledReason) -> EndpointData:
    data, at = endpoint_data(ctx, endpoint), ctx.clock.now()
    if reason is DisabledReason.gone:
        return WebhookEndpointGone(**data, at=at)
    return WebhookEndpointDisabled(**data, at=at, failing_since=endpoint["first_failure_at"])


def _record(ctx: Context, endpoint: Row, reason: DisabledReason) -> dict[str, object]:
    changes = {"active": {"from": True, "to": False}, "disabled_reason": reason}
    about = {"store_id": endpoint["user_id"], "environment": endpoint["environment"]}
    return record_of(ctx, "webhook_endpoint.disabled", endpoint["id"], changes=changes, **about)
