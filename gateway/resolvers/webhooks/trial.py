"""`POST /webhook-endpoints/{id}/test`: an example of an event, to one endpoint, by the way that real ones go."""

from sqlalchemy import bindparam, func, insert, select

from gateway.errors import Conflict
from gateway.models.database import Statement
from gateway.models.webhooks import EventType, webhook_deliveries, webhook_endpoints
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.webhooks.delivery_log import find_delivery
from gateway.resolvers.webhooks.endpoints import OF_STORE, find_endpoint
from gateway.resolvers.webhooks.inputs import TryWebhookEndpoint
from gateway.resolvers.webhooks.samples import sample_of
from gateway.resolvers.webhooks.views import WebhookDeliveryView
from gateway.values.ids import new_id

TESTS_PER_ENDPOINT = (20, 600)
"""How many, in how many seconds."""

_P, _D = webhook_endpoints, webhook_deliveries
_target = (
    select(_P.c.id, _P.c.user_id, _P.c.environment)
    .where(_P.c.id == bindparam("endpoint_id"), _P.c.active, *OF_STORE)
    .cte("target")
)
_event = outbox.insert_event(_target)
SEND = Statement(
    insert(_D)
    .from_select(
        ["event_id", "endpoint_id", "next_attempt_at", "created_at"],
        select(_event.c.id, _target.c.id, func.now(), func.now()),
    )
    .returning(_D.c.id)
)


@operation("webhooks.try_endpoint", Permission.holder, creates=True)
async def try_endpoint(ctx: Context, order: TryWebhookEndpoint) -> WebhookDeliveryView:
    """Send an example of an event to an endpoint, subscribed or not; its body has `"test": true`."""
    await ctx.services.limiter.hit(f"webhook:test:{ctx.store_id}:{order.id}", *TESTS_PER_ENDPOINT)
    kind = EventType(order.event)
    event = outbox.compose(ctx, kind, ctx.environment, f"trial:{new_id()}", sample_of(ctx, kind), trial=True)
    scope = {"endpoint_id": order.id, "user_id": ctx.store_id, "environment": ctx.environment}
    async with ctx.database.transaction() as transaction:
        await find_endpoint(ctx, transaction, order.id)
        delivery_id = await transaction.value(SEND, **scope, **event.values())
        if delivery_id is None:
            raise Conflict("O endpoint está desativado; ative-o antes de enviar um teste.").for_now()
        await record(ctx, transaction, "webhook_endpoint.tried", order.id, changes={"event": {"to": order.event}})
        delivery = await find_delivery(ctx, transaction, order.id, delivery_id)
        await idempotency.conclude(ctx, transaction, delivery)
    ctx.services.wake.webhooks()
    return delivery
