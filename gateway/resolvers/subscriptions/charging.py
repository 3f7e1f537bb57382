"""What a subscription charges: who pays, the plan of one charge, and the event that tells of it."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import orjson
from sqlalchemy import FromClause, and_, func

from gateway.integrations.engines.interface import Payer
from gateway.models.customers import customers
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.subscriptions.views import RHYTHM_COLUMNS, SUBSCRIPTION_COLUMNS, SubscriptionView

NAMELESS = "Assinatura"
_S, _K = subscriptions, customers
CHARGED_COLUMNS = [
    *SUBSCRIPTION_COLUMNS,
    *RHYTHM_COLUMNS,
    func.coalesce(_S.c.customer_email, _K.c.email).label("payer_email"),
    func.coalesce(_S.c.customer_cpf, _K.c.cpf).label("payer_cpf"),
    _K.c.phone.label("payer_phone"),
]
"""A subscription with its payer: where it says nothing, its saved customer does, as of now."""


class Trigger(StrEnum):
    """What made a subscription charge."""

    schedule = "schedule"
    manual = "manual"


def with_customer() -> FromClause:
    """Subscriptions, each with its saved customer, if it has one."""
    own = and_(_K.c.id == _S.c.customer_id, _K.c.user_id == _S.c.user_id, _K.c.environment == _S.c.environment)
    return _S.outerjoin(_K, own)


def plan_of(row: Mapping[str, Any], *, store_name: str, expires_at: datetime, cycle: datetime | None) -> ChargeParams:
    """The charge that a row of `CHARGED_COLUMNS` asks for. `cycle` is None for one that somebody asked for."""
    return ChargeParams(
        store_id=row["user_id"],
        environment=row["environment"],
        store_name=store_name,
        description=row["description"] or NAMELESS,
        amount=row["amount"],
        original_amount=row["amount"],
        expires_at=expires_at,
        payer=Payer(row["customer_name"], row["payer_email"], row["payer_cpf"], row["payer_phone"]),
        customer_id=row["customer_id"],
        subscription_id=row["id"],
        billing_cycle=cycle,
    )


def told(
    subscription: SubscriptionView | Mapping[str, Any],
    charge: ChargeView | Mapping[str, Any] | orjson.Fragment,
    trigger: Trigger,
) -> dict[str, Any]:
    """The `data` of `subscription.charged` (contract section 5). The charge may be its JSON already."""
    return {"subscription": subscription, "charge": charge, "trigger": trigger.value}
