"""The catalogue of events: exactly five (specification section 6)."""

from gateway.models.webhooks import EventType
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.webhooks.views import WebhookEventView

VERSION = "v1"
DESCRIPTIONS = {
    EventType.charge_created: "Uma cobrança foi emitida.",
    EventType.charge_paid: "Uma cobrança foi paga.",
    EventType.subscription_charged: "Uma assinatura foi cobrada.",
    EventType.withdrawal_completed: "Um saque foi concluído.",
    EventType.withdrawal_rejected: "Um saque foi recusado.",
}
CATALOGUE = [
    WebhookEventView.of({"event": event.value, "description": DESCRIPTIONS[event], "version": VERSION})
    for event in EventType
]


@operation("webhooks.catalogue", Permission.read)
async def list_events(_ctx: Context, _nothing: Nothing) -> Page[WebhookEventView]:
    """List the events that an endpoint can receive."""
    return Page(CATALOGUE, limit=len(CATALOGUE))
