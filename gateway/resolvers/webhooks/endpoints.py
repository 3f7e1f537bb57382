"""Read and list webhook endpoints of the store, in the environment of the credential."""

from collections.abc import Sequence

from gateway.models.api_keys import Scope
from gateway.models.webhooks import webhook_endpoints
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, of_store
from gateway.resolvers.core.views import Page
from gateway.resolvers.webhooks.inputs import ListWebhookEndpoints, WhichWebhookEndpoint
from gateway.resolvers.webhooks.views import ENDPOINT_COLUMNS, WebhookEndpointView

_P = webhook_endpoints
OF_STORE = (*of_store(_P), _P.c.deleted_at.is_(None))
ROWS = StoreRows(
    _P, ENDPOINT_COLUMNS, "Endpoint não encontrado.", lambda _, row: WebhookEndpointView.of(row), scope=OF_STORE
)
ENDPOINTS = Listing(
    webhook_endpoints,
    ENDPOINT_COLUMNS,
    scope=OF_STORE,
    filters={"status": {"active": _P.c.active, "inactive": ~_P.c.active}},
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
    now = ctx.real_clock.now()
    return await export_of(
        ctx,
        ENDPOINTS,
        request,
        EXPORTED,
        "webhook_endpoint.exported",
        show=lambda row: WebhookEndpointView.adopt(row).as_of(now),
    )


@operation("webhooks.read_endpoint", Permission.read)
async def read_endpoint(ctx: Context, which: WhichWebhookEndpoint) -> WebhookEndpointView:
    """Read one webhook endpoint."""
    return (await ROWS.read(ctx, which.id)).as_of(ctx.real_clock.now())


async def endpoints_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, WebhookEndpointView]:
    """The store's endpoints among these ids."""
    now = ctx.real_clock.now()
    return {endpoint_id: each.as_of(now) for endpoint_id, each in (await ROWS.read_all(ctx, ids)).items()}
