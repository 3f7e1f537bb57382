"""Read and list webhook endpoints of the store, in the environment of the credential."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Row, Statement
from gateway.models.webhooks import webhook_endpoints
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.webhooks.inputs import ListWebhookEndpoints, WhichWebhookEndpoint
from gateway.resolvers.webhooks.views import ENDPOINT_COLUMNS, WebhookEndpointView
from gateway.values.ids import Id

_P = webhook_endpoints
OF_STORE = (
    _P.c.user_id == bindparam("user_id"),
    _P.c.environment == bindparam("environment"),
    _P.c.deleted_at.is_(None),
)
ONE = Statement(select(*ENDPOINT_COLUMNS).where(*OF_STORE, _P.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*ENDPOINT_COLUMNS).where(*OF_STORE, _P.c.id == func.any(bindparam("ids", type_=ARRAY(_P.c.id.type))))
)
ENDPOINTS = Listing(
    webhook_endpoints,
    ENDPOINT_COLUMNS,
    scope=OF_STORE,
    filters={**created(_P.c.created_at), "status": {"active": _P.c.active, "inactive": ~_P.c.active}},
    search=search(_P.c.name, _P.c.url, _P.c.id),
)


@operation("webhooks.list_endpoints", Permission.read)
async def list_endpoints(ctx: Context, request: ListWebhookEndpoints) -> Page[WebhookEndpointView]:
    """List the webhook endpoints of the environment."""
    now = ctx.real_clock.now()
    return await page_of(ctx, ENDPOINTS, request, lambda row: WebhookEndpointView.adopt(row).as_of(now))


EXPORTED = ExportTable.of("webhooks", WebhookEndpointView)


@operation("webhooks.export_endpoints", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_endpoints(ctx: Context, request: ListWebhookEndpoints) -> Export:
    """Export the webhook endpoints of the environment."""
    await record(ctx, ctx.database, "webhook_endpoint.exported", None)
    now = ctx.real_clock.now()
    return export_of(
        ctx,
        ENDPOINTS,
        request,
        EXPORTED,
        show=lambda row: WebhookEndpointView.adopt(row).as_of(now),
    )


@operation("webhooks.read_endpoint", Permission.read)
async def read_endpoint(ctx: Context, which: WhichWebhookEndpoint) -> WebhookEndpointView:
    """Read one webhook endpoint."""
    return WebhookEndpointView.of(await find_endpoint(ctx, ctx.database, which.id)).as_of(ctx.real_clock.now())


async def find_endpoint(ctx: Context, executor: Executor, endpoint_id: Id) -> Row:
    """The columns of the view of the store's endpoint, or `NotFound`."""
    row = await executor.one(ONE, user_id=ctx.store_id, environment=ctx.environment, id=endpoint_id)
    return require_found(row)


async def endpoints_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, WebhookEndpointView]:
    """The store's endpoints among these ids."""
    now = ctx.real_clock.now()
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    return {row["id"]: WebhookEndpointView.of(row).as_of(now) for row in rows}


def require_found(row: Row | None) -> Row:
    """The row, or `NotFound`."""
    if row is None:
        raise NotFound("Endpoint não encontrado.")
    return row
