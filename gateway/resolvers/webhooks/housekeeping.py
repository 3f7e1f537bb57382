"""What the outbox needs now and then. Each act runs in small batches of its own, so that none holds locks for long."""

import asyncio

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.models.webhooks import KEPT_DAYS
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.switching_off import switch_off_failing

BATCH = 1000
MOST_BATCHES = 20
BREATH_SECONDS = 0.05
"""Between two batches of forgetting, so that a month's worth of deletions leaves the disk to the payments."""

END_GRACE = Statement(
    text("""
update webhook_endpoints set previous_secret = null, previous_secret_until = null where previous_secret_until <= now()
""")
)
# An attempt under way is left alone: it ends by itself, and what came of it belongs in the log.
CANCEL = Statement(
    text("""
with stale as (
    select d.id, coalesce(e.disabled_reason, 'inactive') as reason
      from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where not e.active and d.state = 0 and (d.lease_until is null or d.lease_until <= now())
     limit :batch for update of d skip locked
)
update webhook_deliveries d
   set state = 3, canceled_reason = stale.reason, finished_at = now(), lease_token = null, lease_until = null
  from stale where d.id = stale.id
""")
)
EMPTY_DELETED = Statement(
    text("""
with doomed as (
    select d.id from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
     where e.deleted_at is not null and (d.lease_until is null or d.lease_until <= now())
     limit :batch for update of d skip locked
),
attempt as (delete from webhook_attempts a using doomed where a.delivery_id = doomed.id)
delete from webhook_deliveries d using doomed where d.id = doomed.id
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
# Ids are UUIDv7: the primary key is in order of creation, and the oldest rows are at its beginning. The selected
# boundary is made once; as a bare call it would be made for each row, and no index be used.
FORGET_DELIVERIES = Statement(
    text("""
with old as (
    select id from webhook_deliveries
     where id < (select uuidv7(make_interval(days => - cast(:days as integer)))) and state <> 0
     order by id limit :batch for update skip locked
),
attempt as (delete from webhook_attempts a using old where a.delivery_id = old.id)
delete from webhook_deliveries d using old where d.id = old.id
""")
)
FORGET_EVENTS = Statement(
    text("""
with old as (
    select v.id from webhook_events v
     where v.id < (select uuidv7(make_interval(days => - cast(:days as integer))))
       and coalesce((select false from webhook_deliveries d where d.event_id = v.id limit 1), true)
     order by v.id limit :batch for update skip locked
)
delete from webhook_events v using old where v.id = old.id
""")
)


async def keep_house(ctx: Context, batch: int = BATCH) -> None:
    """End expired secrets, cancel what is bound for endpoints that are off, clear deleted ones, forget the old."""
    await ctx.database.run(END_GRACE)
    await switch_off_failing(ctx)
    for statement in (CANCEL, EMPTY_DELETED, DROP_DELETED):
        await _in_batches(ctx, statement, batch=batch)


async def forget_old(ctx: Context, days: int = KEPT_DAYS, batch: int = BATCH) -> None:
    """Delete deliveries that ended and began more than `days` ago, with their attempts, and then their events."""
    for statement in (FORGET_DELIVERIES, FORGET_EVENTS):
        await _in_all_batches(ctx, statement, batch=batch, days=days)


async def _in_all_batches(ctx: Context, statement: Statement, *, batch: int, **values: int) -> None:
    """As many as it takes: what comes in within an hour must go out within one, or the tables grow."""
    full = True
    while full:
        full = await ctx.database.run(statement, batch=batch, **values) == batch
        await asyncio.sleep(BREATH_SECONDS)


async def _in_batches(ctx: Context, statement: Statement, *, batch: int) -> None:
    for _ in range(MOST_BATCHES):
        if await ctx.database.run(statement, batch=batch) < batch:
            return
