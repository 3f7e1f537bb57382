"""The delivery log of an endpoint: read, list and export deliveries with their attempts."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Uuid, and_, bindparam, case, cast, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Row, Statement
from gateway.models.webhooks import (
    DeliveryState,
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoints,
    webhook_events,
)
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Filter, Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import FormSearch, contains
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.core.views import Page
from gateway.resolvers.webhooks.endpoints import OF_STORE
from gateway.resolvers.webhooks.endpoints import ROWS as ENDPOINTS
from gateway.resolvers.webhooks.inputs import ListAllDeliveries, ListDeliveries, WhichDelivery
from gateway.resolvers.webhooks.outbox import IS_TEST, RESOURCE_ID, of_resource
from gateway.resolvers.webhooks.views import DeliveryStatus, WebhookAttemptView, WebhookDeliveryView
from gateway.values.ids import Id, is_id

STATUS = {
    DeliveryState.due: DeliveryStatus.pending,
    DeliveryState.delivered: DeliveryStatus.delivered,
    DeliveryState.exhausted: DeliveryStatus.exhausted,
    DeliveryState.canceled: DeliveryStatus.canceled,
}

_D, _E, _P, _A = webhook_deliveries, webhook_events, webhook_endpoints, webhook_attempts
_waiting = (_D.c.state == DeliveryState.due.value) & _D.c.lease_token.is_(None)
_type = select(_E.c.type).where(_E.c.id == _D.c.event_id).scalar_subquery()
_test = select(IS_TEST).where(_E.c.id == _D.c.event_id).scalar_subquery()
_resource = select(RESOURCE_ID).where(_E.c.id == _D.c.event_id).scalar_subquery().label("resource_id")
_COLUMNS = [
    _D.c.id,
    _D.c.endpoint_id,
    _D.c.event_id,
    _type.label("event"),
    _resource,
    _test.label("test"),
    _D.c.state,
    case((_waiting, _D.c.next_attempt_at)).label("next_attempt_at"),
    _D.c.last_status,
    _D.c.last_error,
    _D.c.canceled_reason,
    _D.c.created_at,
    _D.c.finished_at,
    _D.c.attempts,
]
_of_resource = _D.c.event_id.in_(select(_E.c.id).where(of_resource("resource_id")))
_at_endpoint = equals(_D.c.endpoint_id)
_q = cast(bindparam("q"), Uuid(as_uuid=False))
# An id matches as a whole: part of an id would scan all deliveries. Failed deliveries have an index.
_SEARCH = FormSearch(
    lambda q: "id" if is_id(q) else "error",
    {
        "id": or_(_D.c.event_id == _q, _D.c.id == _q),
        "error": and_(_D.c.last_error.is_not(None), contains(_D.c.last_error, "q")),
    },
)
_FILTERS: dict[str, Filter] = {
    "status": {status.value: _D.c.state == state.value for state, status in STATUS.items()},
    "http_status": equals(_D.c.last_status, "http_status"),
    "event": _type == bindparam("event"),
    "event_id": equals(_D.c.event_id),
    "resource_id": _of_resource,
}
DELIVERIES = Listing(webhook_deliveries, _COLUMNS, scope=[_at_endpoint], filters=_FILTERS, search=_SEARCH)
ALL_DELIVERIES = Listing(
    webhook_deliveries,
    _COLUMNS,
    scope=[],
    filters={**_FILTERS, "endpoint_id": _at_endpoint},
    search=_SEARCH,
    parents=(_D.c.endpoint_id, select(_P.c.id).where(*OF_STORE)),
)
EXPORTED = ExportTable.of(
    "entregas", WebhookDeliveryView, tuple(name for name in WebhookDeliveryView.model_fields if name != "attempts")
)
_of_store = select(*_COLUMNS).join_from(_D, _P, _P.c.id == _D.c.endpoint_id).where(*OF_STORE)
ANYWHERE = Statement(_of_store.where(_D.c.id == bindparam("id")))
ONE = Statement(_of_store.where(_at_endpoint, _D.c.id == bindparam("id")))
BY_EVENTS = Statement(
    _of_store.where(_D.c.event_id == func.any(bindparam("ids", type_=ARRAY(Uuid(as_uuid=False))))).order_by(
        _D.c.created_at, _D.c.id
    )
)
ATTEMPTS = Statement(
    select(_A)
    .where(_A.c.delivery_id == func.any(bindparam("ids", type_=ARRAY(Uuid(as_uuid=False)))))
    .order_by(_A.c.delivery_id, _A.c.number)
)
PAYLOADS = Statement(
    select(_E.c.id, _E.c.body).where(
        _E.c.id == func.any(bindparam("ids", type_=ARRAY(Uuid(as_uuid=False)))),
        *of_store(_E),
    )
)


@operation("webhooks.list_deliveries", Permission.read)
async def list_deliveries(ctx: Context, request: ListDeliveries) -> Page[WebhookDeliveryView]:
    """List an endpoint's deliveries with their attempts, newest first."""
    await ENDPOINTS.find(ctx, request.id)
    page = await page_of(ctx, DELIVERIES, request, _delivery, endpoint_id=request.id)
    return replace(page, items=await _with_attempts(ctx.database, page.items))


@operation("webhooks.list_all_deliveries", Permission.read)
async def list_all_deliveries(ctx: Context, request: ListAllDeliveries) -> Page[WebhookDeliveryView]:
    """List the deliveries to all endpoints of the environment with their attempts, newest first."""
    page = await page_of(ctx, ALL_DELIVERIES, request, _delivery)
    return replace(page, items=await _with_attempts(ctx.database, page.items))


@operation("webhooks.export_deliveries", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_deliveries(ctx: Context, request: ListDeliveries) -> Export:
    """Export an endpoint's deliveries, without their attempts."""
    await ENDPOINTS.find(ctx, request.id)
    action, endpoint_id = "webhook_delivery.exported", request.id
    return await export_of(
        ctx, DELIVERIES, request, EXPORTED, action, resource_id=endpoint_id, show=_delivery, endpoint_id=endpoint_id
    )


@operation("webhooks.export_all_deliveries", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_all_deliveries(ctx: Context, request: ListAllDeliveries) -> Export:
    """Export the deliveries to all endpoints of the environment, without their attempts."""
    return await export_of(ctx, ALL_DELIVERIES, request, EXPORTED, "webhook_delivery.exported", show=_delivery)


@operation("webhooks.read_delivery", Permission.read)
async def read_delivery(ctx: Context, which: WhichDelivery) -> WebhookDeliveryView:
    """Read one delivery with its attempts."""
    await ENDPOINTS.find(ctx, which.id)
    return await find_delivery(ctx, ctx.database, which.id, which.delivery_id)


async def find_delivery(ctx: Context, executor: Executor, endpoint_id: Id, delivery_id: Id) -> WebhookDeliveryView:
    """One delivery of the store's endpoint, or `NotFound`."""
    row = await executor.one(ONE, **ctx.scope, endpoint_id=endpoint_id, id=delivery_id)
    if row is None:
        raise NotFound("Entrega não encontrada.")
    return (await _with_attempts(executor, [_delivery(dict(row))]))[0]


async def delivery_by_id(ctx: Context, delivery_id: Id) -> WebhookDeliveryView | None:
    """One delivery to any endpoint of the store, if it is still stored."""
    row = await ctx.database.one(ANYWHERE, **ctx.scope, id=delivery_id)
    return None if row is None else (await _with_attempts(ctx.database, [_delivery(dict(row))]))[0]


async def deliveries_by_event(ctx: Context, event_ids: Sequence[str]) -> dict[str, list[WebhookDeliveryView]]:
    """The deliveries of the store's events among these, with their attempts."""
    rows = await ctx.database.all(BY_EVENTS, **ctx.scope, ids=list(event_ids))
    found: dict[str, list[WebhookDeliveryView]] = {event_id: [] for event_id in event_ids}
    for delivery in await _with_attempts(ctx.database, [_delivery(dict(row)) for row in rows]):
        found[delivery.event_id].append(delivery)
    return found


async def payloads_by_event(ctx: Context, event_ids: Sequence[str]) -> dict[str, str]:
    """The exact bodies of the store's events among these, as text: JSON is UTF-8."""
    rows = await ctx.database.all(PAYLOADS, **ctx.scope, ids=list(event_ids))
    return {row["id"]: row["body"].decode() for row in rows}


async def _with_attempts(executor: Executor, deliveries: list[WebhookDeliveryView]) -> list[WebhookDeliveryView]:
    attempts: defaultdict[str, list[WebhookAttemptView]] = defaultdict(list)
    for row in await executor.all(ATTEMPTS, ids=[delivery.id for delivery in deliveries]):
        attempts[row["delivery_id"]].append(_attempt(row))
    return [WebhookDeliveryView.of(vars(row) | {"attempts": attempts[row.id]}) for row in deliveries]


def _delivery(values: dict[str, Any]) -> WebhookDeliveryView:
    values["status"] = STATUS[DeliveryState(values.pop("state"))]
    values["attempts_count"] = values["attempts"]
    return WebhookDeliveryView.adopt(values | {"attempts": []})


def _attempt(row: Row) -> WebhookAttemptView:
    values: dict[str, Any] = dict(row)
    del values["delivery_id"]
    content = values["response"]
    return WebhookAttemptView.of(values | {"response": content.decode(errors="replace") if content else None})
