"""`POST /subscriptions/{id}/charge`: charge a subscription at once. Its date doesn't move, and no cycle is counted."""

from functools import partial
from typing import Any

from sqlalchemy import bindparam, select

from gateway.errors import InvalidInput, NotFound, SubscriptionCanceled
from gateway.models.api_keys import Scope
from gateway.models.database import Statement, Transaction
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.models.webhooks import EventType
from gateway.resolvers.charges.charge_params import expiry_of
from gateway.resolvers.charges.issue import issue
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.subscriptions.charging import CHARGED_COLUMNS, Trigger, plan_of, told, with_customer
from gateway.resolvers.subscriptions.commands import MISSING
from gateway.resolvers.subscriptions.inputs import WhichSubscription
from gateway.resolvers.subscriptions.views import SubscriptionView, subscription_view
from gateway.resolvers.webhooks import outbox

_S = subscriptions
BY_ID = Statement(
    select(*CHARGED_COLUMNS)
    .select_from(with_customer())
    .where(
        _S.c.user_id == bindparam("user_id"),
        _S.c.environment == bindparam("environment"),
        _S.c.id == bindparam("id"),
    )
)
_charged = select(_S.c.user_id, _S.c.environment).where(_S.c.id == bindparam("subscription_id")).cte("charged")
TELL = Statement(select(_charged.c.user_id).add_cte(outbox.emitting(_charged)))


@operation("subscriptions.charge", Permission.operate, issues=True, creates=True, scope=Scope.charges)
async def charge_subscription(ctx: Context, which: WhichSubscription) -> ChargeView:
    """Charge a subscription at once; its next date stays."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    if row["status"] == SubscriptionStatus.canceled:
        raise SubscriptionCanceled
    if not row["payer_cpf"]:
        raise InvalidInput(("customer_cpf", "a assinatura não tem o CPF ou CNPJ do pagador"))
    plan = plan_of(row, store_name=ctx.actor.store_name, expires_at=expiry_of(ctx, None), cycle=None)
    return await issue(ctx, plan, then=partial(_tell, ctx, subscription_view(row)))


async def _tell(ctx: Context, subscription: SubscriptionView, transaction: Transaction, charge: ChargeView) -> None:
    """Write `subscription.charged` in the transaction in which the charge is born."""
    data: dict[str, Any] = told(subscription, charge, Trigger.manual)
    event = outbox.compose(
        ctx, EventType.subscription_charged, charge.environment, f"subscription.charged:{charge.id}", data
    )
    await transaction.run(TELL, subscription_id=subscription.id, **event.values())
