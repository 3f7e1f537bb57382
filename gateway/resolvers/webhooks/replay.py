"""Sending again, at once, everything that an endpoint missed since a moment: after an outage, or a bad deploy.

What is sent again is spread over time, as new events are: an endpoint gets its deliveries in the order in which they
are due, and ten thousand old ones due at once would stand before the payment that a customer is waiting for.
"""

from datetime import timedelta

from sqlalchemy import text

from gateway.errors import InvalidInput
from gateway.models.database import Statement
from gateway.models.webhooks import KEPT_DAYS
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.webhooks.endpoints import find_endpoint
from gateway.resolvers.webhooks.inputs import ReplayDeliveries
from gateway.resolvers.webhooks.redelivery import MOST_ATTEMPTS, require_active
from gateway.resolvers.webhooks.views import WebhookReplayView

MOST = 10_000
"""Deliveries of one call (webhooks.md, section 2.5)."""
REPLAYS_PER_ENDPOINT = (10, 600)
"""How many, in how many seconds: up to 100,000 deliveries."""
SPACING = timedelta(milliseconds=20)
"""Between two of them: the whole of a call is due within 200 s."""

# Those that ended without being delivered, the oldest first: exhausted, or canceled because the endpoint was off.
REPLAY = Statement(
    text("""
with missed as (
    select event_id, endpoint_id, id from webhook_deliveries
     where endpoint_id = :endpoint_id and state in (2, 3) and created_at >= :since and attempts < :most_attempts
     order by created_at, id limit :most for update skip locked
),
placed as (
    select event_id, endpoint_id, row_number() over (order by id) - 1 as place from missed
)
update webhook_deliveries d
   set state = 0, failures = 0, next_attempt_at = now() + placed.place * cast(:spacing as interval),
       finished_at = null, canceled_reason = null, lease_token = null, lease_until = null
  from placed where d.event_id = placed.event_id and d.endpoint_id = placed.endpoint_id
""")
)
REST = Statement(
    text("""
select exists(
    select from webhook_deliveries
     where endpoint_id = :endpoint_id and state in (2, 3) and created_at >= :since and attempts < :most_attempts
)
""")
)


@operation("webhooks.replay", Permission.holder, creates=True)
async def replay(ctx: Context, order: ReplayDeliveries) -> WebhookReplayView:
    """Send again what an endpoint missed since a moment: all that is exhausted or canceled, 10,000 at a time.

    Each with the same bytes and `webhook-id`, its schedule from the beginning, the oldest first. `has_more` tells that
    another call will find more.
    """
    _require_kept(ctx, order)
    await ctx.services.limiter.hit(f"webhook:replay:{ctx.store_id}:{order.id}", *REPLAYS_PER_ENDPOINT)
    missed = {"endpoint_id": order.id, "since": order.since, "most_attempts": MOST_ATTEMPTS}
    async with ctx.database.transaction() as transaction:
        require_active(await find_endpoint(ctx, transaction, order.id))
        count = await transaction.run(REPLAY, **missed, most=MOST, spacing=SPACING)
        changes = {"since": {"to": order.since}, "replayed": {"to": count}}
        await record(ctx, transaction, "webhook_endpoint.replayed", order.id, changes=changes)
        has_more = count == MOST and await transaction.value(REST, **missed)
        told = {"endpoint_id": order.id, "since": order.since, "replayed": count, "has_more": has_more}
        replayed = WebhookReplayView.of(told)
        await idempotency.conclude(ctx, transaction, replayed)
    if count:
        ctx.services.wake.webhooks()
    return replayed


def _require_kept(ctx: Context, order: ReplayDeliveries) -> None:
    now = ctx.real_clock.now()
    if not now - timedelta(days=KEPT_DAYS) <= order.since <= now:
        raise InvalidInput(("since", f"informe um momento dos últimos {KEPT_DAYS} dias"))
