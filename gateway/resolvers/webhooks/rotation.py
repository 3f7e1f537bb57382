"""A fresh secret for an endpoint, while the previous one still signs for a while."""

from datetime import timedelta

from sqlalchemy import bindparam, update

from gateway.models.database import Statement
from gateway.models.webhooks import webhook_endpoints
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.webhooks.commands import SHOWN_OF_SECRET
from gateway.resolvers.webhooks.endpoints import OF_STORE, found
from gateway.resolvers.webhooks.inputs import RotateSecret
from gateway.resolvers.webhooks.views import ENDPOINT_COLUMNS, NewWebhookEndpointView
from gateway.security import new_webhook_secret

_P = webhook_endpoints
_rotate = update(_P).where(_P.c.id == bindparam("endpoint_id"), *OF_STORE).returning(*ENDPOINT_COLUMNS)
_fresh = {
    "secret": bindparam("new_secret", type_=_P.c.secret.type),
    "secret_preview": bindparam("preview", type_=_P.c.secret_preview.type),
    "updated_at": bindparam("now", type_=_P.c.updated_at.type),
}
_until = bindparam("until", type_=_P.c.previous_secret_until.type)
ROTATE = Statement(_rotate.values(_fresh | {"previous_secret": _P.c.secret, "previous_secret_until": _until}))
REPLACE = Statement(_rotate.values(_fresh | {"previous_secret": None, "previous_secret_until": None}))


@operation("webhooks.rotate_secret", Permission.holder, creates=True)
async def rotate_secret(ctx: Context, order: RotateSecret) -> NewWebhookEndpointView:
    """Give an endpoint a fresh secret. For `grace_hours`, `webhook-signature` carries the previous one's signature too.

    It honours `Idempotency-Key`: rotating twice because an answer was lost would end the secret that is still in use.
    """
    secret, now = new_webhook_secret(), ctx.real_clock.now()
    values = {
        "endpoint_id": order.id,
        "user_id": ctx.store_id,
        "environment": ctx.environment,
        "new_secret": ctx.services.vault.seal(secret),
        "preview": secret[:SHOWN_OF_SECRET],
        "now": now,
        "until": now + timedelta(hours=order.grace_hours),
    }
    async with ctx.database.transaction() as transaction:
        row = found(await transaction.one(ROTATE if order.grace_hours else REPLACE, **values))
        rotated = NewWebhookEndpointView.of(dict(row) | {"secret": secret})
        grace = {"grace_hours": {"to": order.grace_hours}}
        await record(ctx, transaction, "webhook_endpoint.secret_rotated", order.id, changes=grace)
        await idempotency.conclude(ctx, transaction, rotated)
    return rotated
