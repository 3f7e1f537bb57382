"""Sending an event again: the same bytes, the same `webhook-id`, the schedule from its beginning."""

from sqlalchemy import bindparam, func, or_, update

from gateway.errors import Conflict
from gateway.models.database import Row, Statement
from gateway.models.webhooks import DeliveryState, webhook_deliveries
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.webhooks.delivery_log import find_delivery
from gateway.resolvers.webhooks.endpoints import find_endpoint
from gateway.resolvers.webhooks.inputs import WhichDelivery
from gateway.resolvers.webhooks.views import WebhookDeliveryView

MOST_ATTEMPTS = 500
REDELIVERIES_PER_ENDPOINT = (100, 600)
"""How many, in how many seconds. A replay sends thousands at once."""

_D = webhook_deliveries
_this = (_D.c.event_id == bindparam("event_id"), _D.c.endpoint_id == bindparam("endpoint_id"))
_free = or_(_D.c.lease_token.is_(None), _D.c.lease_until <= func.now())
AGAIN = Statement(
    update(_D)
    .where(*_this, _free, _D.c.attempts < MOST_ATTEMPTS)
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


@operation("webhooks.redeliver", Permission.holder, creates=True)
async def redeliver(ctx: Context, which: WhichDelivery) -> WebhookDeliveryView:
    """Send an event again to one endpoint, now, whatever became of it before.

    It honours `Idempotency-Key`: repeated because an answer was lost, it would send the event twice.
    """
    await ctx.services.limiter.hit(f"webhook:redelivery:{ctx.store_id}:{which.id}", *REDELIVERIES_PER_ENDPOINT)
    async with ctx.database.transaction() as transaction:
        require_active(await find_endpoint(ctx, transaction, which.id))
        before = await find_delivery(ctx, transaction, which.id, which.delivery_id)
        if not await transaction.run(AGAIN, event_id=before.event_id, endpoint_id=which.id):
            raise Conflict("A entrega está em andamento ou já passou do limite de tentativas.").for_now()
        await record(ctx, transaction, "webhook_delivery.redelivered", which.delivery_id)
        delivery = await find_delivery(ctx, transaction, which.id, which.delivery_id)
        await idempotency.conclude(ctx, transaction, delivery)
    ctx.services.wake.webhooks()
    return delivery


def require_active(endpoint: Row) -> None:
    """Refuse to send again to an endpoint that is off."""
    if not endpoint["active"]:
        raise Conflict("O endpoint está desativado; ative-o antes de reenviar.").for_now()
