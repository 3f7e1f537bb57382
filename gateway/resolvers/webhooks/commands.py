"""Creating, changing and deleting webhook endpoints: acts of the store's holder, in the panel."""

from typing import Any

from sqlalchemy import Update, bindparam, insert, literal_column, select, update

from gateway.errors import InvalidInput
from gateway.models.database import Executor, Row, Shapes, Statement
from gateway.models.webhooks import webhook_endpoint_health, webhook_endpoints
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import refuse_unchanged
from gateway.resolvers.webhooks.endpoints import OF_STORE, find_endpoint, found
from gateway.resolvers.webhooks.inputs import CreateWebhookEndpoint, UpdateWebhookEndpoint, WhichWebhookEndpoint
from gateway.resolvers.webhooks.places import require_place
from gateway.resolvers.webhooks.views import ENDPOINT_COLUMNS, NewWebhookEndpointView, WebhookEndpointView
from gateway.security import new_webhook_secret
from gateway.values.ids import new_id

SHOWN_OF_SECRET = 12
CHANGEABLE = ("name", "url", "events", "active")

_P, _H = webhook_endpoints, webhook_endpoint_health
_GIVEN = ("id", "user_id", "environment", "name", "url", "events", "secret", "secret_preview", "created_at")
_given = {name: bindparam(name, type_=_P.c[name].type) for name in _GIVEN}
CREATE = Statement(insert(_P).values(_given | {"updated_at": _given["created_at"]}).returning(*ENDPOINT_COLUMNS))
_now = bindparam("now", type_=_P.c.updated_at.type)
_mine = (_P.c.id == bindparam("endpoint_id"), *OF_STORE)


def _update(*fields: str) -> Update:
    given: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_P.c[name].type) for name in fields}
    cleared = {"disabled_reason": None} if "active" in fields else {}
    return update(_P).where(*_mine).values(given | cleared | {"updated_at": _now}).returning(*ENDPOINT_COLUMNS)


# Not the stronger lock, for which the foreign key of every delivery, and so every payment of the store, would wait.
LOCK = Statement(select(*ENDPOINT_COLUMNS).where(*_mine).with_for_update(key_share=True))
UPDATE = Shapes(_update)
FORGET_FAILURES = Statement(
    update(_H)
    .where(_H.c.endpoint_id == bindparam("endpoint_id"))
    .values(consecutive_failures=0, degraded=False, first_failure_at=None, warned_hours=0)
)
DELETE = Statement(
    update(_P)
    .where(*_mine)
    .values(
        active=False,
        deleted_at=_now,
        updated_at=_now,
        secret=literal_column("''::bytea"),
        previous_secret=None,
        previous_secret_until=None,
    )
)


@operation("webhooks.create_endpoint", Permission.holder, creates=True)
async def create_endpoint(ctx: Context, order: CreateWebhookEndpoint) -> NewWebhookEndpointView:
    """Create a webhook endpoint; the answer is the only sight of its secret."""
    url = await accepted(ctx, order.url)
    secret = order.secret or new_webhook_secret()
    async with ctx.database.transaction() as transaction:
        await require_place(ctx, transaction, new=True)
        row = await transaction.one(
            CREATE,
            id=new_id(),
            user_id=ctx.store_id,
            environment=ctx.environment,
            name=order.name,
            url=url,
            events=order.events,
            secret=ctx.services.vault.seal(secret),
            secret_preview=secret[:SHOWN_OF_SECRET],
            created_at=ctx.real_clock.now(),
        )
        created = NewWebhookEndpointView.of(dict(found(row)) | {"secret": secret})
        await record(ctx, transaction, "webhook_endpoint.created", created.id, changes={"url": {"to": url}})
        await idempotency.conclude(ctx, transaction, created)
    return created


@operation("webhooks.update_endpoint", Permission.holder)
async def update_endpoint(ctx: Context, order: UpdateWebhookEndpoint) -> WebhookEndpointView:
    """Change an endpoint, or switch it off and on; what was on its way when it went off is canceled."""
    fields = order.sent()
    del fields["id"]
    refuse_unchanged(fields, CHANGEABLE)
    if "url" in fields:
        await find_endpoint(ctx, ctx.database, order.id)
        fields["url"] = await accepted(ctx, fields["url"])
    async with ctx.database.transaction() as transaction:
        row = await _change(ctx, transaction, order.id, fields)
    return WebhookEndpointView.of(row).as_of(ctx.real_clock.now())


async def _change(ctx: Context, transaction: Executor, endpoint_id: str, fields: dict[str, Any]) -> Row:
    scope = {"endpoint_id": endpoint_id, "user_id": ctx.store_id, "environment": ctx.environment}
    before = found(await transaction.one(LOCK, **scope))
    changes = differences(before, fields)
    if not changes:
        return before
    if changes.get("active", {}).get("to"):
        # It was off and goes on: it needs a place, and what failed before counts no more.
        await require_place(ctx, transaction, new=False)
        await transaction.run(FORGET_FAILURES, endpoint_id=endpoint_id)
    values = {f"new_{name}": fields[name] for name in changes}
    after = found(await transaction.one(UPDATE.of(*changes), **scope, **values, now=ctx.real_clock.now()))
    await record(ctx, transaction, "webhook_endpoint.updated", endpoint_id, changes=changes)
    return after


@operation("webhooks.delete_endpoint", Permission.holder)
async def delete_endpoint(ctx: Context, which: WhichWebhookEndpoint) -> Deleted:
    """Delete an endpoint: nothing more is sent, and its secret is gone at once.

    One row changes here, however long its log is; housekeeping clears the log and the row in small batches.
    """
    scope = {"endpoint_id": which.id, "user_id": ctx.store_id, "environment": ctx.environment}
    async with ctx.database.transaction() as transaction:
        if not await transaction.run(DELETE, **scope, now=ctx.real_clock.now()):
            found(None)
        await record(ctx, transaction, "webhook_endpoint.deleted", which.id)
    return Deleted.of({"id": which.id, "deleted": True, "desvinculados": {}})


async def accepted(ctx: Context, url: str) -> str:
    """The URL as it is stored, or `InvalidInput` on `url`: specification section 6, rule 3."""
    try:
        return await ctx.services.addresses.accept(url, test=ctx.environment == "test")
    except ValueError as refusal:
        raise InvalidInput(("url", str(refusal))) from None
