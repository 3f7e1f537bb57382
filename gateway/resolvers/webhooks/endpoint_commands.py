"""Create, update and delete webhook endpoints, and rotate their secrets: operations of the store owner."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Update, bindparam, case, func, insert, literal_column, select, update

from gateway.errors import Conflict, InvalidInput, NotFound
from gateway.models.database import Row, Statement, StatementCache, Transaction
from gateway.models.webhooks import TEST_RECEIVER_URL, webhook_endpoint_health, webhook_endpoints
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import Empty, require_changes
from gateway.resolvers.core.operation import operation, require_test
from gateway.resolvers.sessions.store import lock_account
from gateway.resolvers.webhooks.endpoints import OF_STORE
from gateway.resolvers.webhooks.endpoints import ROWS as ENDPOINTS
from gateway.resolvers.webhooks.inputs import (
    CreateWebhookEndpoint,
    RotateSecret,
    UpdateWebhookEndpoint,
    WhichWebhookEndpoint,
)
from gateway.resolvers.webhooks.views import ENDPOINT_COLUMNS, NewWebhookEndpointView, WebhookEndpointView
from gateway.security import new_webhook_secret
from gateway.values.ids import new_id

MAX_ACTIVE_ENDPOINTS = 20
"""Per store and environment. Each active endpoint is a row that every payment writes."""
MAX_ENDPOINTS = 50
TEST_RECEIVER_LIFETIME = timedelta(hours=24)
SECRET_PREVIEW_LENGTH = 12
CHANGEABLE = ("name", "url", "events", "active")

_P, _H = webhook_endpoints, webhook_endpoint_health
_NEW = ("id", "user_id", "environment", "name", "url", "events", "secret", "secret_preview", "expires_at", "created_at")
_new = {name: bindparam(name, type_=_P.c[name].type) for name in _NEW}
CREATE = Statement(insert(_P).values(_new | {"updated_at": _new["created_at"]}).returning(*ENDPOINT_COLUMNS))
_now = bindparam("now", type_=_P.c.updated_at.type)
_own = (_P.c.id == bindparam("endpoint_id"), *OF_STORE)


def _update(*fields: str) -> Update:
    values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_P.c[name].type) for name in fields}
    if "active" in fields:
        since = case((values["active"], None), else_=_now)
        values |= {"disabled_reason": None, "disabled_at": since}
    return update(_P).where(*_own).values(values | {"updated_at": _now}).returning(*ENDPOINT_COLUMNS)


# FOR NO KEY UPDATE: the foreign key of each new delivery, and so each payment of the store, would wait for FOR UPDATE.
LOCK = Statement(select(*ENDPOINT_COLUMNS).where(*_own).with_for_update(key_share=True))
UPDATE = StatementCache(_update)
RESET_HEALTH = Statement(
    update(_H)
    .where(_H.c.endpoint_id == bindparam("endpoint_id"))
    .values(consecutive_failures=0, degraded=False, first_failure_at=None, last_alert_hours=0)
)
DELETE = Statement(
    update(_P)
    .where(*_own)
    .values(
        active=False,
        deleted_at=_now,
        updated_at=_now,
        secret=literal_column("''::bytea"),
        previous_secret=None,
        previous_secret_until=None,
    )
)
_rotate = update(_P).where(*_own).returning(*ENDPOINT_COLUMNS)
_new_secret = {
    "secret": bindparam("new_secret"),
    "secret_preview": bindparam("preview"),
    "updated_at": _now,
}
_until = bindparam("until", type_=_P.c.previous_secret_until.type)
ROTATE = Statement(_rotate.values(_new_secret | {"previous_secret": _P.c.secret, "previous_secret_until": _until}))
REPLACE = Statement(_rotate.values(_new_secret | {"previous_secret": None, "previous_secret_until": None}))
COUNT = Statement(select(func.count(), func.count().filter(_P.c.active)).where(*OF_STORE))


@operation("webhooks.create_endpoint", Permission.owner, idempotent=True)
async def create_endpoint(ctx: Context, request: CreateWebhookEndpoint) -> NewWebhookEndpointView:
    """Create a webhook endpoint. Only this response contains its secret."""
    url = await _validate_url(ctx, request.url)
    return await _create(ctx, request.name, url, request.events, request.secret or new_webhook_secret())


@operation("webhooks.open_test_receiver", Permission.owner, idempotent=True, precondition=require_test)
async def open_test_receiver(ctx: Context, _nothing: Empty) -> NewWebhookEndpointView:
    """Create an endpoint inside the gateway, which receives all events of the test environment for 24 hours.

    It is claimed, signed and logged like any endpoint, but no request leaves. Its deliveries show what was received.
    """
    expires_at = ctx.real_clock.now() + TEST_RECEIVER_LIFETIME
    return await _create(ctx, "Receptor de teste", TEST_RECEIVER_URL, [], new_webhook_secret(), expires_at)


async def _create(
    ctx: Context, name: str, url: str, events: list[str], secret: str, expires_at: datetime | None = None
) -> NewWebhookEndpointView:
    async with ctx.database.transaction() as transaction:
        await lock_account(ctx, transaction)
        await _enforce_limits(ctx, transaction, new=True)
        row = await transaction.single(
            CREATE,
            id=new_id(),
            **ctx.scope,
            name=name,
            url=url,
            events=events,
            secret=ctx.services.vault.encrypt(secret),
            secret_preview=secret[:SECRET_PREVIEW_LENGTH],
            expires_at=expires_at,
            created_at=ctx.real_clock.now(),
        )
        created = NewWebhookEndpointView.of(dict(row) | {"secret": secret})
        await record(ctx, transaction, "webhook_endpoint.created", created.id, changes={"url": url})
        await idempotency.complete(ctx, transaction, created)
    return created


@operation("webhooks.update_endpoint", Permission.owner)
async def update_endpoint(ctx: Context, request: UpdateWebhookEndpoint) -> WebhookEndpointView:
    """Update an endpoint, or switch it off and on. Its pending deliveries are canceled when it is switched off."""
    fields = request.sent()
    require_changes(fields, CHANGEABLE)
    if "url" in fields:
        if (await ENDPOINTS.find(ctx, request.id))["url"] == TEST_RECEIVER_URL:
            raise InvalidInput(("url", "um receptor de teste não muda de endereço; crie um endpoint"))
        fields["url"] = await _validate_url(ctx, fields["url"])
    async with ctx.database.transaction() as transaction:
        if fields.get("active"):
            await lock_account(ctx, transaction)
        row = await _update_locked(ctx, transaction, request.id, fields)
    return WebhookEndpointView.of(row).as_of(ctx.real_clock.now())


async def _update_locked(ctx: Context, transaction: Transaction, endpoint_id: str, fields: dict[str, Any]) -> Row:
    scope = ctx.scope | {"endpoint_id": endpoint_id}
    before = ENDPOINTS.require(await transaction.one(LOCK, **scope))
    changes = differences(before, fields)
    if not changes:
        return before
    if changes.get("active", {}).get("to"):
        await _enforce_limits(ctx, transaction, new=False)
        await transaction.run(RESET_HEALTH, endpoint_id=endpoint_id)
    values = {f"new_{name}": fields[name] for name in changes}
    after = await transaction.single(UPDATE.of(*changes), **scope, **values, now=ctx.real_clock.now())
    await record(ctx, transaction, "webhook_endpoint.updated", endpoint_id, changes=changes)
    return after


@operation("webhooks.delete_endpoint", Permission.owner)
async def delete_endpoint(ctx: Context, which: WhichWebhookEndpoint) -> Deleted:
    """Delete an endpoint: nothing more is sent, and its secret is deleted at once.

    This updates one row, however long its log is. Maintenance deletes the log and the row in small batches.
    """
    scope = ctx.scope | {"endpoint_id": which.id}
    async with ctx.database.transaction() as transaction:
        if not await transaction.run(DELETE, **scope, now=ctx.real_clock.now()):
            raise NotFound(ENDPOINTS.missing)
        await record(ctx, transaction, "webhook_endpoint.deleted", which.id)
    return Deleted.of_id(which.id)


@operation("webhooks.rotate_secret", Permission.owner, idempotent=True)
async def rotate_secret(ctx: Context, request: RotateSecret) -> NewWebhookEndpointView:
    """Replace an endpoint's secret. For `grace_hours`, `webhook-signature` also has the previous secret's signature.

    Supports `Idempotency-Key`: a retry after a lost response would end the secret that is still in use.
    """
    secret, now = new_webhook_secret(), ctx.real_clock.now()
    values = {
        "endpoint_id": request.id,
        **ctx.scope,
        "new_secret": ctx.services.vault.encrypt(secret),
        "preview": secret[:SECRET_PREVIEW_LENGTH],
        "now": now,
        "until": now + timedelta(hours=request.grace_hours),
    }
    async with ctx.database.transaction() as transaction:
        row = ENDPOINTS.require(await transaction.one(ROTATE if request.grace_hours else REPLACE, **values))
        rotated = NewWebhookEndpointView.of(dict(row) | {"secret": secret})
        changes = {"grace_hours": request.grace_hours}
        await record(ctx, transaction, "webhook_endpoint.secret_rotated", request.id, changes=changes)
        await idempotency.complete(ctx, transaction, rotated)
    return rotated


async def _enforce_limits(ctx: Context, transaction: Transaction, *, new: bool) -> None:
    """Raise `Conflict` at the limit of active endpoints, or of all for a `new` one. Locks until the commit."""
    # Payments do not take this lock.
    await transaction.lock(f"webhook endpoints of {ctx.store_id} in {ctx.environment}")
    row = await transaction.single(COUNT, **ctx.scope)
    if row[1] >= MAX_ACTIVE_ENDPOINTS:
        raise Conflict(
            f"O limite é de {MAX_ACTIVE_ENDPOINTS} endpoints ativos por ambiente; desative ou exclua algum."
        ).retryable()
    if new and row[0] >= MAX_ENDPOINTS:
        raise Conflict(f"O limite é de {MAX_ENDPOINTS} endpoints por ambiente; exclua algum.").retryable()


async def _validate_url(ctx: Context, url: str) -> str:
    """The URL to store, or `InvalidInput` on `url` (specification section 6, rule 3)."""
    try:
        return await ctx.services.addresses.accept(url, test=ctx.environment == "test")
    except ValueError as refusal:
        raise InvalidInput(("url", str(refusal))) from None
