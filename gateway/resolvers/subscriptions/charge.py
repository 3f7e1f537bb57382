"""Charge a subscription at once (`POST /subscriptions/{id}/charge`); and what every charge of a subscription holds."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

import orjson
from sqlalchemy import FromClause, and_, bindparam, func, select

from gateway.errors import InvalidInput, NotFound, SubscriptionCanceled
from gateway.integrations.engines.interface import Payer
from gateway.models.api_keys import Scope
from gateway.models.customers import customers
from gateway.models.database import Statement, Transaction
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.models.webhooks import EventType
from gateway.resolvers.charges.charge_params import ChargeParams, expiry_of
from gateway.resolvers.charges.create_charge import issue
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.subscriptions.operations import MISSING
from gateway.resolvers.subscriptions.types import (
    RECURRENCE_COLUMNS,
    SUBSCRIPTION_COLUMNS,
    SubscriptionView,
    WhichSubscription,
    subscription_view,
)
from gateway.resolvers.webhooks import outbox

DEFAULT_DESCRIPTION = "Assinatura"
_S, _K = subscriptions, customers
CHARGED_COLUMNS = [
    *SUBSCRIPTION_COLUMNS,
    *RECURRENCE_COLUMNS,
    func.coalesce(_S.c.customer_email, _K.c.email).label("payer_email"),
    func.coalesce(_S.c.customer_cpf, _K.c.cpf).label("payer_cpf"),
    _K.c.phone.label("payer_phone"),
]
"""A subscription with its payer. The saved customer fills in what the subscription doesn't have."""


class Trigger(StrEnum):
    """What made a subscription charge."""

    schedule = "schedule"
    manual = "manual"


def with_customer() -> FromClause:
    """Subscriptions joined with their saved customer, if any."""
    own = and_(_K.c.id == _S.c.customer_id, _K.c.user_id == _S.c.user_id, _K.c.environment == _S.c.environment)
    return _S.outerjoin(_K, own)


BY_ID = Statement(
    select(*CHARGED_COLUMNS).select_from(with_customer()).where(*of_store(_S), _S.c.id == bindparam("id"))
)
_charged = select(_S.c.user_id, _S.c.environment).where(_S.c.id == bindparam("subscription_id")).cte("charged")
INSERT_EVENT = Statement(select(_charged.c.user_id).add_cte(outbox.insert_event_and_deliveries(_charged)))


@operation("subscriptions.charge", Permission.operate, needs_live_approval=True, idempotent=True, scope=Scope.charges)
async def charge_subscription(ctx: Context, which: WhichSubscription) -> ChargeView:
    """Charge a subscription at once; its next date stays."""
    row = await ctx.database.one(BY_ID, **ctx.scope, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    if row["status"] == SubscriptionStatus.canceled:
        raise SubscriptionCanceled
    if not row["payer_cpf"]:
        raise InvalidInput(("customer_cpf", "a assinatura não tem o CPF ou CNPJ do pagador"))
    params = charge_params(row, store_name=ctx.actor.store_name, expires_at=expiry_of(ctx, None), cycle=None)
    return await issue(ctx, params, then=partial(_insert_event, ctx, subscription_view(row)))


async def _insert_event(
    ctx: Context, subscription: SubscriptionView, transaction: Transaction, charge: ChargeView
) -> None:
    """Insert `subscription.charged` in the transaction that inserts the charge."""
    data: dict[str, Any] = event_data(subscription, charge, Trigger.manual)
    event = outbox.compose(
        ctx, EventType.subscription_charged, charge.environment, f"subscription.charged:{charge.id}", data
    )
    await transaction.run(INSERT_EVENT, subscription_id=subscription.id, **event.values())


def charge_params(
    row: Mapping[str, Any], *, store_name: str, expires_at: datetime, cycle: datetime | None
) -> ChargeParams:
    """The charge of a row of `CHARGED_COLUMNS`. `cycle` is None for a manual charge."""
    return ChargeParams(
        store_id=row["user_id"],
        environment=row["environment"],
        store_name=store_name,
        description=row["description"] or DEFAULT_DESCRIPTION,
        amount=row["amount"],
        original_amount=row["amount"],
        expires_at=expires_at,
        payer=Payer(row["customer_name"], row["payer_email"], row["payer_cpf"], row["payer_phone"]),
        customer_id=row["customer_id"],
        subscription_id=row["id"],
        billing_cycle=cycle,
    )


def event_data(
    subscription: SubscriptionView | Mapping[str, Any],
    charge: ChargeView | Mapping[str, Any] | orjson.Fragment,
    trigger: Trigger,
) -> dict[str, Any]:
    """The `data` of `subscription.charged` (contract section 5). The charge may be encoded JSON."""
    return {"subscription": subscription, "charge": charge, "trigger": trigger.value}
