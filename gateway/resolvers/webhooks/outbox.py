"""Transactional outbox: an event and its deliveries are inserted by the statement of the change they report.

The body is rendered before that statement runs, and stored as bytes. These bytes are signed, sent and sent again.
Deliveries go to the subscribed endpoints of the same store and environment.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import (
    ARRAY,
    CTE,
    Boolean,
    ColumnElement,
    Text,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal_column,
    not_,
    or_,
    select,
)

from gateway.models.database import Executor, Statement, unnest_rows
from gateway.models.webhooks import (
    CanceledReason,
    DeliveryState,
    EventType,
    webhook_deliveries,
    webhook_endpoints,
    webhook_events,
)
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import default_encoder
from gateway.values.ids import new_id

MAX_BODY_BYTES = 64 * 1024
_E, _D, _P = webhook_events, webhook_deliveries, webhook_endpoints
_event_columns = {name: _E.c[name].type for name in ("id", "type", "body", "dedupe_key")}
_events = unnest_rows("events", _event_columns | {"row_id": _E.c.id.type, "has_subscribers": Boolean()}, many=True)
# `charge.paid:` and the charge's id. A test event, `test:…`, has no resource.
RESOURCE_ID = func.substring(_E.c.dedupe_key, literal_column("'^[a-z]+[.][a-z]+:(.{36})$'"), type_=Text())
IS_TEST = _E.c.dedupe_key.startswith(literal_column("'test:'"))
SUBSCRIBED_STORES = Statement(
    select(_P.c.user_id, _P.c.environment)
    .where(_P.c.user_id == func.any(bindparam("stores", type_=ARRAY(_P.c.user_id.type))), _P.c.deleted_at.is_(None))
    .distinct()
)


class Event(Struct, frozen=True):
    """An event to insert. Without subscribers it is stored and delivered to no endpoint, so its body may be shorter."""

    id: str
    type: EventType
    body: bytes
    dedupe_key: str
    has_subscribers: bool = True

    def values(self) -> dict[str, Any]:
        """The bound values of `insert_event_and_deliveries`."""
        return {
            "event_id": self.id,
            "event_type": self.type,
            "event_body": self.body,
            "event_dedupe_key": self.dedupe_key,
            "event_has_subscribers": self.has_subscribers,
        }


class EventForRow(Struct, frozen=True):
    """An event of the row with the id `row_id`."""

    row_id: str
    event: Event


def compose(
    ctx: Context,
    kind: EventType,
    environment: str,
    dedupe_key: str,
    data: Any,
    *,
    test: bool = False,
    has_subscribers: bool = True,
) -> Event:
    """Render an event's envelope (contract section 5): `{id, event, version, environment, created_at, sequence, data}`.

    `sequence` grows with time (Unix microseconds): of two events, the one with the greater sequence happened later.
    A `test` event has one more member: `"test": true`.
    """
    now, event_id = ctx.clock.now(), new_id()
    envelope = {
        "id": event_id,
        "event": kind,
        "version": "v1",
        "environment": environment,
        "created_at": now,
        "sequence": int(now.timestamp() * 1_000_000),
        "data": data,
    }
    if test:
        envelope["test"] = True
    body = orjson.dumps(envelope, default=default_encoder)
    if len(body) > MAX_BODY_BYTES:
        raise ValueError(f"the body of {kind} is larger than {MAX_BODY_BYTES} bytes")
    return Event(event_id, kind, body, dedupe_key, has_subscribers)


def has_subscribers(store: ColumnElement[Any], environment: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a store has an endpoint, subscribed to the event or not, active or not."""
    return exists().where(_P.c.user_id == store, _P.c.environment == environment, _P.c.deleted_at.is_(None))


def of_resource(name: str) -> ColumnElement[bool]:
    """Whether an event is about the resource whose id is bound by that name. The keys have an index."""
    keys = [func.concat(literal_column(f"'{kind.value}:'"), bindparam(name, type_=Text())) for kind in EventType]
    return _E.c.dedupe_key.in_(keys)


async def stores_with_subscribers(database: Executor, stores: Iterable[str]) -> set[tuple[str, str]]:
    """The stores among these that have an endpoint, each with the environment of the endpoint."""
    rows = await database.all(SUBSCRIBED_STORES, stores=list(stores))
    return {(row["user_id"], row["environment"]) for row in rows}


def insert_event_and_deliveries(change: CTE) -> CTE:
    """Insert the event of the one row of `change`, which has `user_id` and `environment`, and its deliveries. Binds
    `Event.values`. No row, no event; an event with a known `dedupe_key` is a unique violation.
    """
    return _insert_deliveries(insert_event(change), bindparam("event_has_subscribers", type_=Boolean()))


def insert_event(change: CTE) -> CTE:
    """Insert the event of the one row of `change`, without deliveries."""
    return _insert_events(
        change, {name: bindparam(f"event_{name}", type_=kind) for name, kind in _event_columns.items()}
    )


def insert_events_and_deliveries(change: CTE) -> CTE:
    """As `insert_event_and_deliveries`, for many rows of `change`, each with an `id` and any number of events. Binds
    `event_columns`.
    """
    events = _insert_events(change, {name: _events.c[name] for name in _event_columns}, _events.c.row_id == change.c.id)
    return _insert_deliveries(events, _events.c.id == events.c.id, _events.c.has_subscribers)


def event_columns(events: Sequence[EventForRow]) -> dict[str, list[Any]]:
    """The bound values of `insert_events_and_deliveries`."""
    return {
        "events_id": [each.event.id for each in events],
        "events_type": [each.event.type.value for each in events],
        "events_body": [each.event.body for each in events],
        "events_dedupe_key": [each.event.dedupe_key for each in events],
        "events_row_id": [each.row_id for each in events],
        "events_has_subscribers": [each.event.has_subscribers for each in events],
    }


def _insert_events(change: CTE, values: Mapping[str, ColumnElement[Any]], *where: ColumnElement[bool]) -> CTE:
    store = {"user_id": change.c.user_id, "environment": change.c.environment, "created_at": func.now()}
    columns = {**values, **store}
    return (
        insert(_E)
        .from_select(list(columns), select(*columns.values()).where(*where))
        .returning(_E.c.id, _E.c.user_id, _E.c.environment, _E.c.type)
        .cte("event")
    )


def _insert_deliveries(event: CTE, *where: ColumnElement[bool]) -> CTE:
    """One delivery for each event and subscribed endpoint. A delivery to a disabled endpoint is inserted as canceled:
    the log shows the reason, and it can be sent again.
    """
    disabled = not_(_P.c.active)
    columns: dict[str, ColumnElement[Any]] = {
        "event_id": event.c.id,
        "endpoint_id": _P.c.id,
        "state": case((_P.c.active, DeliveryState.due.value), else_=DeliveryState.canceled.value),
        "next_attempt_at": func.now(),
        "created_at": func.now(),
        "finished_at": case((disabled, func.now())),
        "canceled_reason": case((disabled, func.coalesce(_P.c.disabled_reason, CanceledReason.inactive.value))),
    }
    deliveries = select(*columns.values()).where(
        _P.c.user_id == event.c.user_id,
        _P.c.environment == event.c.environment,
        _P.c.deleted_at.is_(None),
        or_(_P.c.events == literal_column("'{}'"), event.c.type == func.any(_P.c.events)),
        *where,
    )
    return insert(_D).from_select(list(columns), deliveries).returning(_D.c.id).cte("delivery")
