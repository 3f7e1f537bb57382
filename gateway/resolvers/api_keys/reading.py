"""Reading API keys: those of test and of live together, because they are the store's integrations."""

from sqlalchemy import and_, bindparam, or_, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope, api_keys
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.resolvers.api_keys.inputs import ListApiKeys, WhichApiKey
from gateway.resolvers.api_keys.views import API_KEY_COLUMNS, ApiKeyView
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page

_K = api_keys
# Keys know real time alone, also in a store with a test clock.
_accepted = and_(
    _K.c.active,
    or_(_K.c.expires_at.is_(None), _K.c.expires_at > bindparam("real_now", type_=_K.c.expires_at.type)),
)
BY_ID = Statement(select(*API_KEY_COLUMNS).where(equals(_K.c.user_id), _K.c.id == bindparam("id")))
API_KEYS = Listing(
    api_keys,
    API_KEY_COLUMNS,
    scope=[equals(_K.c.user_id)],
    filters={
        **created(_K.c.created_at),
        "status": {"active": _accepted, "inactive": ~_accepted},
        "environment": {environment.value: _K.c.environment == environment.value for environment in Environment},
    },
    search=search(_K.c.name, _K.c.prefix, _K.c.id),
)


@operation("api_keys.list", Permission.read)
async def list_api_keys(ctx: Context, asked: ListApiKeys) -> Page[ApiKeyView]:
    """List the API keys of the store, of both environments; the keys themselves are never shown."""
    now = ctx.real_clock.now()
    return await page_of(ctx, API_KEYS, asked, lambda row: ApiKeyView.of(row).as_of(now), real_now=now)


@operation("api_keys.export", Permission.finance, scope=Scope.read)
async def export_api_keys(ctx: Context, asked: ListApiKeys) -> Export:
    """Export the API keys of the store, of both environments; the keys themselves are never shown."""
    await record(ctx, ctx.database, "api_key.exported", None)
    now = ctx.real_clock.now()
    return export_of(
        ctx, API_KEYS, asked, ApiKeyView, "chaves-de-api", show=lambda row: ApiKeyView.of(row).as_of(now), real_now=now
    )


@operation("api_keys.read", Permission.read)
async def read_api_key(ctx: Context, which: WhichApiKey) -> ApiKeyView:
    """Read one API key; the key itself is never shown."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, id=which.id)
    if row is None:
        raise NotFound("Chave de API não encontrada.")
    return ApiKeyView.of(row).as_of(ctx.real_clock.now())
