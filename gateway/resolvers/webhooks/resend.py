"""Send deliveries again: one of them now, or all that an endpoint missed. The bytes and the `webhook-id` are the same,
and the retry schedule starts again.

A replay is spread over time. An endpoint gets its deliveries in the order in which they are due, and 10,000 old ones
that are due at once would delay the event of a payment that a customer is waiting for.
"""

from datetime import timedelta

from sqlalchemy import bindparam, func, or_, text, update

from gateway.errors import Conflict, InvalidInput
from gateway.models.database import Row, Statement
from gateway.models.webhooks import RETENTION_DAYS, DeliveryState, webhook_deliveries
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.webhooks.deliveries import find_delivery
from gateway.resolvers.webhooks.endpoints import ROWS as ENDPOINTS
from gateway.resolvers.webhooks.inputs import ReplayDeliveries, WhichDelivery
from gateway.resolvers.webhooks.views import WebhookDeliveryView, WebhookReplayView

MAX_ATTEMPTS = 500
MAX_REPLAYED = 10_000
"""Deliveries of one replay."""
REPLAY_SPACING = timedelta(milliseconds=20)
"""Between two deliveries of a replay. The last one is due after 200 s."""
REDELIVERY_LIMIT = (100, 600)
"""Redeliveries per endpoint, and in how many seconds."""
REPLAY_LIMIT = (10, 600)
"""Replays per endpoint, and in how many seconds."""

_D = webhook_deliveries
REDELIVER = Statement(
    update(_D)
    .where(
        _D.c.event_id == bindparam("event_id"),
        _D.c.endpoint_id == bindparam("endpoint_id"),
        or_(_D.c.lease_token.is_(None), _D.c.lease_until <= func.now()),
        _D.c.attempts < MAX_ATTEMPTS,
    )
    .values(
        state=DeliveryState.due.value,
        failures=0,
        next_attempt_at=func.now(),
        finished_at=None,
        canceled_reason=None,
        lease_token=None,
        lease_until=None,
    )
)
# Exhausted deliveries, and those that were canceled because the endpoint was inactive. The oldest first.
REPLAY = Statement(
    text("""
with missed as (
    select event_id, endpoint_id, id from webhook_deliveries
     where endpoint_id = :endpoint_id and state in (2, 3) and created_at >= :since and attempts < :max_attempts
     order by created_at, id limit :max_replayed for update skip locked
),
numbered as (
    select event_id, endpoint_id, row_number() over (order by id) - 1 as number from missed
)
update webhook_deliveries d
   set state = 0, failures = 0, next_attempt_at = now() + numbered.number * cast(:spacing as interval),
       finished_at = null, canceled_reason = null, lease_token = null, lease_until = null
  from numbered where d.event_id = numbered.event_id and d.endpoint_id = numbered.endpoint_id
""")
)
HAS_MORE = Statement(
    text("""
select exists(
    select from webhook_deliveries
     where endpoint_id = :endpoint_id and state in (2, 3) and created_at >= :since and attempts < :max_attempts
)
""")
)


@operation("webhooks.redeliver", Permission.owner, idempotent=True)
async def redeliver(ctx: Context, which: WhichDelivery) -> WebhookDeliveryView:
    """Send an event again to one endpoint, now. Its delivery may be in any state.

    Supports `Idempotency-Key`: a retry after a lost response would send the event twice.
    """
    await ctx.services.limiter.hit(f"webhook:redelivery:{ctx.store_id}:{which.id}", *REDELIVERY_LIMIT)
    async with ctx.database.transaction() as transaction:
        _require_active(await ENDPOINTS.find(ctx, which.id, transaction))
        before = await find_delivery(ctx, transaction, which.id, which.delivery_id)
        if not await transaction.run(REDELIVER, event_id=before.event_id, endpoint_id=which.id):
            raise Conflict("A entrega está em andamento ou já passou do limite de tentativas.").retryable()
        await record(ctx, transaction, "webhook_delivery.redelivered", which.delivery_id)
        delivery = await find_delivery(ctx, transaction, which.id, which.delivery_id)
        await idempotency.complete(ctx, transaction, delivery)
    ctx.services.notifier.webhooks()
    return delivery


@operation("webhooks.replay", Permission.owner, idempotent=True)
async def replay(ctx: Context, request: ReplayDeliveries) -> WebhookReplayView:
    """Send again all exhausted and canceled deliveries of an endpoint since a timestamp, 10,000 per call.

    The oldest first. `has_more` means that another call will find more.
    """
    now = ctx.real_clock.now()
    if not now - timedelta(days=RETENTION_DAYS) <= request.since <= now:
        raise InvalidInput(("since", f"informe um momento dos últimos {RETENTION_DAYS} dias"))
    await ctx.services.limiter.hit(f"webhook:replay:{ctx.store_id}:{request.id}", *REPLAY_LIMIT)
    missed = {"endpoint_id": request.id, "since": request.since, "max_attempts": MAX_ATTEMPTS}
    async with ctx.database.transaction() as transaction:
        _require_active(await ENDPOINTS.find(ctx, request.id, transaction))
        count = await transaction.run(REPLAY, **missed, max_replayed=MAX_REPLAYED, spacing=REPLAY_SPACING)
        changes = {"since": {"to": request.since}, "replayed": {"to": count}}
        await record(ctx, transaction, "webhook_endpoint.replayed", request.id, changes=changes)
        has_more = count == MAX_REPLAYED and await transaction.value(HAS_MORE, **missed)
        replayed = WebhookReplayView.of(
            {"endpoint_id": request.id, "since": request.since, "replayed": count, "has_more": has_more}
        )
        await idempotency.complete(ctx, transaction, replayed)
    if count:
        ctx.services.notifier.webhooks()
    return replayed


def _require_active(endpoint: Row) -> None:
    if not endpoint["active"]:
        raise Conflict("O endpoint está desativado; ative-o antes de reenviar.").retryable()
