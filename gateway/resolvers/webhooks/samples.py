"""Example data of each event, for the test that a merchant sends to an endpoint. Nobody in it exists."""

from datetime import datetime, timedelta
from typing import Any

from gateway.integrations.engines.br_code import build_dynamic
from gateway.integrations.engines.end_to_end_id import new_end_to_end_id
from gateway.models.charges import ChargeStatus
from gateway.models.engines import PixKeyType
from gateway.models.subscriptions import Interval, Method, SubscriptionStatus
from gateway.models.webhooks import EventType
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.charges.views import ChargeView, charge_view
from gateway.resolvers.core.context import Context
from gateway.resolvers.subscriptions.charge import Trigger, event_data
from gateway.resolvers.subscriptions.types import SubscriptionView
from gateway.resolvers.withdrawals.types import WithdrawalView, withdrawal_view
from gateway.values.ids import new_id, new_txid

AMOUNT = 12_990
_STORED = set(ChargeView.model_fields) - {"checkout_url", "receipt_url"}


def sample_of(ctx: Context, event: EventType) -> Any:
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
    said = {
        "id": charge_id,
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "txid": new_txid(charge_id),
        "status": ChargeStatus.paid if paid else ChargeStatus.pending,
        "description": "Cobrança de exemplo",
        "amount": AMOUNT,
        "original_amount": AMOUNT,
        "discount_amount": 0,
        "fee_amount": 0,
        "net_amount": AMOUNT,
        "customer_name": "José Exemplo",
        "customer_email": "jose@example.com",
        "customer_cpf": "52998224725",
        "metadata": {},
        "expires_at": now + timedelta(hours=24),
        "pix_code": build_dynamic(
            url="pix.example/exemplo", amount=AMOUNT, merchant_name="Loja Exemplo", merchant_city="Sao Paulo"
        ),
        "under_review": False,
        "paid_late": False,
        "created_at": now,
        "updated_at": now,
    }
    return charge_view(ctx.settings, dict.fromkeys(_STORED) | said | (_proof(ctx, now) if paid else {}))


def _proof(ctx: Context, now: datetime) -> dict[str, Any]:
    return {"paid_at": now, "end_to_end_id": new_end_to_end_id(now), "store_name": ctx.actor.store_name}


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
        "amount": AMOUNT,
        "method": Method.pix,
        "interval": Interval.monthly,
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
    said = {
        "id": new_id(),
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "status": WithdrawalStatus.completed if completed else WithdrawalStatus.rejected,
        "amount": AMOUNT,
        "fee_amount": 0,
        "pix_key": "jose@example.com",
        "pix_key_type": PixKeyType.email,
        "description": "Saque de exemplo",
        "created_at": now,
    }
    proof = {"completed_at": now, "end_to_end_id": new_end_to_end_id(now)}
    refusal = {"rejected_at": now, "reject_reason": "Chave Pix inexistente"}
    return withdrawal_view(dict.fromkeys(WithdrawalView.model_fields) | said | (proof if completed else refusal))
