"""What the outbox needs now and then. Each act runs in small batches of its own, so that none holds locks for long."""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.switching_off import switch_off_failing

BATCH = 1000
MOST_BATCHES = 20

END_GRACE = Statement(
    text("""
update webhook_endpoints set previous_secret = null, previous_secret_until = null where previous_secret_until <= now()
""")
)
# An attempt under way is left alone: it ends by itself, and what came of it belongs in the log.
CANCEL = Statement(
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
EMPTY_DELETED = Statement(
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
# A minute's wait: an emission that still saw the endpoint has committed by then. (`not exists` would
# read better, here and below, and PostgreSQL would read all deliveries for it, as for a join.)
DROP_DELETED = Statement(
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


async def keep_house(ctx: Context, batch: int = BATCH) -> None:
    """End expired secrets, cancel what is bound for endpoints that are off, clear deleted ones."""
    await ctx.database.run(END_GRACE)
    await switch_off_failing(ctx)
    for statement in (CANCEL, EMPTY_DELETED, DROP_DELETED):
        await _in_batches(ctx, statement, batch=batch)


async def _in_batches(ctx: Context, statement: Statement, *, batch: int) -> None:
    for _ in range(MOST_BATCHES):
        if await ctx.database.run(statement, batch=batch) < batch:
            return
