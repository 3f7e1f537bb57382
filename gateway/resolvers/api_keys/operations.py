"""Create, list, change and revoke API keys. The keys of both environments are listed together."""

from functools import partial
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, or_

from gateway.errors import LiveNotApproved
from gateway.models.api_keys import Scope, api_keys
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.resolvers.api_keys.types import (
    API_KEY_COLUMNS,
    ApiKeyView,
    CreateApiKey,
    ListApiKeys,
    NewApiKeyView,
    UpdateApiKey,
    WhichApiKey,
)
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import refuse_past_end, require_changes
from gateway.resolvers.core.listing.definition import Listing, enum_filter, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page
from gateway.resolvers.sessions.store import lock_account
from gateway.security import hash_api_key, new_api_key
from gateway.values.ids import new_id

SECRET_PREVIEW_LENGTH = 6
CHANGEABLE = ("name", "active")
_K = api_keys
# Keys expire by real time, also in a store with a test clock.
_accepted = and_(
    _K.c.active,
    or_(_K.c.expires_at.is_(None), _K.c.expires_at > bindparam("real_now")),
)
ROWS = StoreRows(
    _K, API_KEY_COLUMNS, "Chave de API não encontrada.", lambda _, row: ApiKeyView.of(row), scope=[equals(_K.c.user_id)]
)
API_KEYS = Listing(
    api_keys,
    API_KEY_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": {"active": _accepted, "inactive": ~_accepted},
        "environment": enum_filter(_K.c.environment, Environment),
    },
    search=search(_K.c.name, _K.c.prefix, _K.c.id),
)
_COLUMNS = ("id", "user_id", "name", "prefix", "key_hash", "environment", "scopes", "expires_at", "created_at")
CREATE = Statement(insert(_K).values({name: bindparam(name) for name in _COLUMNS}).returning(*API_KEY_COLUMNS))
REVOKE = Statement(delete(_K).where(*ROWS.scope, _K.c.id == bindparam("id")).returning(*API_KEY_COLUMNS))


@operation("api_keys.list", Permission.read)
async def list_api_keys(ctx: Context, request: ListApiKeys) -> Page[ApiKeyView]:
    """List the API keys of the store, of both environments; the keys themselves are never shown."""
    now = ctx.real_clock.now()
    return await page_of(ctx, API_KEYS, request, lambda row: ApiKeyView.of(row).as_of(now), real_now=now)


EXPORTED = ExportTable.of("chaves-de-api", ApiKeyView)


@operation("api_keys.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_api_keys(ctx: Context, request: ListApiKeys) -> Export:
    """Export the API keys of the store, of both environments; the keys themselves are never shown."""
    now = ctx.real_clock.now()
    return await export_of(
        ctx,
        API_KEYS,
        request,
        EXPORTED,
        "api_key.exported",
        show=lambda row: ApiKeyView.of(row).as_of(now),
        real_now=now,
    )


@operation("api_keys.read", Permission.read)
async def read_api_key(ctx: Context, which: WhichApiKey) -> ApiKeyView:
    """Read one API key; the key itself is never shown."""
    return (await ROWS.read(ctx, which.id)).as_of(ctx.real_clock.now())


@operation("api_keys.create", Permission.owner, idempotent=True)
async def create_api_key(ctx: Context, order: CreateApiKey) -> NewApiKeyView:
    """Create an API key; only this response shows it."""
    if order.environment is Environment.live and not ctx.actor.production.approved:
        raise LiveNotApproved(producao=ctx.actor.production.block())
    now, prefix = ctx.real_clock.now(), ctx.settings.key_prefix
    refuse_past_end("expires_at", order.expires_at, now)
    key = new_api_key(prefix, order.environment)
    preview = key[: len(f"{prefix}_{order.environment}_") + SECRET_PREVIEW_LENGTH]
    async with ctx.database.transaction() as transaction:
        await lock_account(ctx, transaction)
        row = await transaction.single(
            CREATE,
            id=new_id(),
            user_id=ctx.store_id,
            name=order.name,
            prefix=preview,
            key_hash=hash_api_key(key),
            environment=order.environment,
            scopes=order.scopes,
            expires_at=order.expires_at,
            created_at=now,
        )
        created = NewApiKeyView.of(dict(row) | {"key": key})
        await record(ctx, transaction, "api_key.created", created.id, changes=_preview(row, "to"))
        await idempotency.complete(ctx, transaction, created)
    return created


@operation("api_keys.update", Permission.owner)
async def update_api_key(ctx: Context, order: UpdateApiKey) -> ApiKeyView:
    """Rename a key, or stop and resume accepting it; effective on the very next request."""
    sent = order.sent()
    require_changes(sent, CHANGEABLE)
    first = partial(lock_account, ctx) if sent.get("active") else None
    changed = await ROWS.update(ctx, order.id, sent, "api_key.updated", first=first)
    return changed.as_of(ctx.real_clock.now())


@operation("api_keys.revoke", Permission.owner)
async def revoke_api_key(ctx: Context, which: WhichApiKey) -> Deleted:
    """Revoke a key for good."""
    async with ctx.database.transaction() as transaction:
        revoked = ROWS.require(await transaction.one(REVOKE, **ctx.scope, id=which.id))
        await record(ctx, transaction, "api_key.revoked", which.id, changes=_preview(revoked, "from"))
    return Deleted.of_id(which.id)


def _preview(key: Row, side: str) -> dict[str, Any]:
    """What identifies a key in the audit trail after its row is deleted."""
    optional = (name for name in ("scopes", "expires_at") if key[name] is not None)
    return {name: {side: key[name]} for name in ("name", "prefix", "environment", *optional)}
