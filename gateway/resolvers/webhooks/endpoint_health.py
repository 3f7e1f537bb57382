"""The health of endpoints: what the worker recorded of them, and the outcome of the last 24 hours."""

from collections.abc import Sequence

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.totals import MAX_COUNTED
from gateway.resolvers.webhooks.views import WebhookEndpointHealthView

# Each count reads at most `max_counted` rows of an index of the endpoint.
HEALTH = Statement(
    text("""
select e.id, h.last_success_at, h.last_attempt_at, h.first_failure_at,
       coalesce(h.consecutive_failures, 0) as consecutive_failures,
       (select count(*) from (
           select from webhook_deliveries d
            where d.endpoint_id = e.id and d.created_at > now() - interval '24 hours' and d.state = 1 limit :max_counted
       ) delivered) as delivered_24h,
       (select count(*) from (
           select from webhook_deliveries d
            where d.endpoint_id = e.id and d.created_at > now() - interval '24 hours' and d.last_error is not null
            limit :max_counted
       ) failed) as failed_24h
  from webhook_endpoints e left join webhook_endpoint_health h on h.endpoint_id = e.id
 where e.id = any(cast(:ids as uuid[])) and e.user_id = :user_id and e.environment = :environment
   and e.deleted_at is null
""")
)


async def health_by_endpoint(ctx: Context, ids: Sequence[str]) -> dict[str, WebhookEndpointHealthView]:
    """The health of the store's endpoints among these ids."""
    rows = await ctx.database.all(HEALTH, **ctx.scope, ids=list(ids), max_counted=MAX_COUNTED)
    views = [dict(row) for row in rows]
    return {values.pop("id"): WebhookEndpointHealthView.adopt(values) for values in views}
