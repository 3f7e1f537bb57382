"""The event types: their catalogue, an example of each, and the test event that sends an example to an endpoint.

All persons in the examples are fictitious.
"""

from datetime import timedelta
from typing import Any

import orjson
from sqlalchemy import bindparam, func, insert, select

from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.br_code import build_dynamic
from gateway.integrations.engines.end_to_end_id import new_end_to_end_id
from gateway.models.charges import ChargeStatus
from gateway.models.database import Statement
from gateway.models.engines import PixKeyType
from gateway.models.subscriptions import Interval, Method, SubscriptionStatus
from gateway.models.webhooks import EventType, webhook_deliveries, webhook_endpoints
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.views import ChargeView, charge_view
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.subscriptions.charge import Trigger, event_data
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.webhooks.deliveries import find_delivery
from gateway.resolvers.webhooks.endpoints import OF_STORE
from gateway.resolvers.webhooks.endpoints import ROWS as ENDPOINTS
from gateway.resolvers.webhooks.inputs import SendTestEvent, WhichEventType
from gateway.resolvers.webhooks.views import EventSampleView, WebhookDeliveryView, WebhookEventView
from gateway.resolvers.withdrawals.types import WithdrawalView, withdrawal_view
from gateway.values.ids import new_id, new_txid

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
TEST_EVENT_LIMIT = (20, 600)
"""Test events per endpoint, and in how many seconds."""
EXAMPLE_AMOUNT = 12_990
_CHARGE_FIELDS = set(ChargeView.model_fields) - {"checkout_url", "receipt_url"}

_P, _D = webhook_endpoints, webhook_deliveries
_target = (
    select(_P.c.id, _P.c.user_id, _P.c.environment)
    .where(_P.c.id == bindparam("endpoint_id"), _P.c.active, *OF_STORE)
    .cte("target")
)
_event = outbox.insert_event(_target)
INSERT_TEST_EVENT = Statement(
    insert(_D)
    .from_select(
        ["event_id", "endpoint_id", "next_attempt_at", "created_at"],
        select(_event.c.id, _target.c.id, func.now(), func.now()),
    )
    .returning(_D.c.id)
)


@operation("webhooks.catalogue", Permission.read)
async def list_event_types(_ctx: Context, _nothing: Empty) -> Page[WebhookEventView]:
    """List the events that an endpoint can receive."""
    return Page(CATALOGUE, limit=len(CATALOGUE))


@operation("webhooks.sample", Permission.read)
async def sample_event(ctx: Context, which: WhichEventType) -> EventSampleView:
    """Read an example of an event's body, as a test event would send it."""
    if which.event not in DESCRIPTIONS:
        raise NotFound("Evento desconhecido.")
    event = _compose_example(ctx, EventType(which.event))
    return EventSampleView.of(orjson.loads(event.body))


@operation("webhooks.try_endpoint", Permission.owner, idempotent=True)
async def send_test_event(ctx: Context, request: SendTestEvent) -> WebhookDeliveryView:
    """Send an example of an event to an endpoint, subscribed or not; its body has `"test": true`."""
    await ctx.services.limiter.hit(f"webhook:test:{ctx.store_id}:{request.id}", *TEST_EVENT_LIMIT)
    event = _compose_example(ctx, EventType(request.event))
    scope = ctx.scope | {"endpoint_id": request.id}
    async with ctx.database.transaction() as transaction:
        await ENDPOINTS.find(ctx, request.id, transaction)
        delivery_id = await transaction.value(INSERT_TEST_EVENT, **scope, **event.values())
        if delivery_id is None:
            raise Conflict("O endpoint está desativado; ative-o antes de enviar um teste.").retryable()
        await record(ctx, transaction, "webhook_endpoint.tried", request.id, changes={"event": {"to": request.event}})
        delivery = await find_delivery(ctx, transaction, request.id, delivery_id)
        await idempotency.complete(ctx, transaction, delivery)
    ctx.services.notifier.webhooks()
    return delivery


def _compose_example(ctx: Context, kind: EventType) -> outbox.Event:
    return outbox.compose(ctx, kind, ctx.environment, f"test:{new_id()}", _example_of(ctx, kind), test=True)


def _example_of(ctx: Context, event: EventType) -> Any:
    """The `data` of an event, as the API would show it."""
    match event:
        case EventType.charge_created:
            return _charge(ctx, paid=False)
        case EventType.charge_paid:
            return _charge(ctx, paid=True)
        case EventType.subscription_charged:
            return _subscription_charged(ctx)
        case EventType.withdrawal_completed | EventType.withdrawal_rejected:
            return _withdrawal(ctx, completed=event is EventType.withdrawal_completed)


def _charge(ctx: Context, *, paid: bool) -> ChargeView:
    now, charge_id = ctx.clock.now(), new_id()
    values: dict[str, Any] = {
        "id": charge_id,
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "txid": new_txid(charge_id),
        "status": ChargeStatus.paid if paid else ChargeStatus.pending,
        "description": "Cobrança de exemplo",
        "amount": EXAMPLE_AMOUNT,
        "original_amount": EXAMPLE_AMOUNT,
        "discount_amount": 0,
        "fee_amount": 0,
        "net_amount": EXAMPLE_AMOUNT,
        "customer_name": "José Exemplo",
        "customer_email": "jose@example.com",
        "customer_cpf": "52998224725",
        "metadata": {},
        "expires_at": now + timedelta(hours=24),
        "pix_code": build_dynamic(
            url="pix.example/exemplo", amount=EXAMPLE_AMOUNT, merchant_name="Loja Exemplo", merchant_city="Sao Paulo"
        ),
        "under_review": False,
        "paid_late": False,
        "refunded_amount": 0,
        "created_at": now,
        "updated_at": now,
    }
    if paid:
        values |= {"paid_at": now, "end_to_end_id": new_end_to_end_id(now), "store_name": ctx.actor.store_name}
    return charge_view(ctx.settings, dict.fromkeys(_CHARGE_FIELDS) | values)


def _subscription_charged(ctx: Context) -> dict[str, Any]:
    now = ctx.clock.now()
    subscription = dict.fromkeys(SubscriptionView.model_fields) | {
        "id": new_id(),
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "customer_name": "José Exemplo",
        "customer_email": "jose@example.com",
        "customer_cpf": "52998224725",
        "description": "Assinatura de exemplo",
        "amount": EXAMPLE_AMOUNT,
        "method": Method.pix,
        "interval": Interval.monthly,
        "interval_count": 1,
        "status": SubscriptionStatus.active,
        "next_billing_at": now + timedelta(days=30),
        "cycles_count": 1,
        "metadata": {},
        "created_at": now,
        "updated_at": now,
    }
    return event_data(SubscriptionView.of(subscription), _charge(ctx, paid=False), Trigger.schedule)


def _withdrawal(ctx: Context, *, completed: bool) -> WithdrawalView:
    now = ctx.clock.now()
    values: dict[str, Any] = {
        "id": new_id(),
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "status": WithdrawalStatus.completed if completed else WithdrawalStatus.rejected,
        "amount": EXAMPLE_AMOUNT,
        "fee_amount": 0,
        "pix_key": "jose@example.com",
        "pix_key_type": PixKeyType.email,
        "description": "Saque de exemplo",
        "created_at": now,
    }
    completion = {"completed_at": now, "end_to_end_id": new_end_to_end_id(now)}
    rejection = {"rejected_at": now, "reject_reason": "Chave Pix inexistente"}
    return withdrawal_view(
        dict.fromkeys(WithdrawalView.model_fields) | values | (completion if completed else rejection)
    )
