"""The events of a store: everything that happened, whether or not an endpoint receives it."""

from typing import Any

from sqlalchemy import Uuid, bindparam, cast, or_

from gateway.models.api_keys import Scope
from gateway.models.webhooks import webhook_events
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import FormSearch, contains
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page
from gateway.resolvers.webhooks.inputs import ListEvents, WhichEvent
from gateway.resolvers.webhooks.outbox import IS_TEST, RESOURCE_ID, of_resource
from gateway.resolvers.webhooks.views import StoreEventView
from gateway.values.ids import is_id

_E = webhook_events
_COLUMNS = [_E.c.id, _E.c.type, _E.c.created_at, RESOURCE_ID.label("resource_id"), IS_TEST.label("test"), _E.c.body]


def _event(values: dict[str, Any]) -> StoreEventView:
    values["payload"] = values.pop("body").decode()
    return StoreEventView.adopt(values)


ROWS = StoreRows(_E, _COLUMNS, "Evento não encontrado.", lambda _, row: _event(dict(row)))
# An id matches as a whole: part of an id would scan all events.
_SEARCH = FormSearch(
    lambda q: "id" if is_id(q) else "type",
    {
        "id": or_(_E.c.id == cast(bindparam("q"), Uuid(as_uuid=False)), of_resource("q")),
        "type": contains(_E.c.type, "q"),
    },
)
EVENTS = Listing(
    webhook_events,
    _COLUMNS,
    scope=ROWS.scope,
    filters={"type": equals(_E.c.type), "resource_id": of_resource("resource_id")},
    search=_SEARCH,
)
EXPORTED = ExportTable.of(
    "eventos", StoreEventView, tuple(name for name in StoreEventView.model_fields if name != "payload")
)


@operation("webhooks.list_events", Permission.read)
async def list_events(ctx: Context, request: ListEvents) -> Page[StoreEventView]:
    """List the events of the environment, newest first, with or without endpoints."""
    return await page_of(ctx, EVENTS, request, _event)


@operation("webhooks.export_events", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_events(ctx: Context, request: ListEvents) -> Export:
    """Export the events of the environment, without their bodies."""
    return await export_of(ctx, EVENTS, request, EXPORTED, "webhook_event.exported")


@operation("webhooks.read_event", Permission.read)
async def read_event(ctx: Context, which: WhichEvent) -> StoreEventView:
    """Read one event."""
    return await ROWS.read(ctx, which.id)
