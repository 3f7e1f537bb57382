"""The outbox: events and their deliveries are written in the statement of the state change they tell of.

The body is rendered before that statement runs and is frozen as bytes: what is signed, sent and sent again is these
bytes. Deliveries are made for the endpoints of the same store and environment that are subscribed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import (
    ARRAY,
    CTE,
    Boolean,
    ColumnElement,
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

from gateway.models.database import Executor, Statement, given_rows
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

MAXIMUM_BODY = 64 * 1024
_E, _D, _P = webhook_events, webhook_deliveries, webhook_endpoints
_told = given_rows(
    "told",
    {
        "id": _E.c.id.type,
        "act_id": _E.c.id.type,
        "type": _E.c.type.type,
        "body": _E.c.body.type,
        "dedupe_key": _E.c.dedupe_key.type,
        "heard": Boolean(),
    },
    many=True,
)
LISTENING = Statement(
    select(_P.c.user_id, _P.c.environment)
    .where(_P.c.user_id == func.any(bindparam("stores", type_=ARRAY(_P.c.user_id.type))), _P.c.deleted_at.is_(None))
    .distinct()
)


class Event(Struct, frozen=True):
    """One event, ready to be written."""

    id: str
    type: EventType
    body: bytes
    dedupe_key: str

    def values(self, *, has_subscribers: bool = True) -> dict[str, Any]:
        """The bound values of `emitting`. Without subscribers, the event is stored and delivered to no endpoint."""
        return {
            "event_id": self.id,
            "event_type": self.type,
            "event_body": self.body,
            "event_dedupe_key": self.dedupe_key,
            "event_has_subscribers": has_subscribers,
        }


def compose(
    ctx: Context, kind: EventType, environment: str, dedupe_key: str, data: Any, *, trial: bool = False
) -> Event:
    """Render an event's envelope (contract section 5): `{id, event, version, environment, created_at, sequence, data}`.

    `sequence` grows with time (Unix microseconds): of two events, the one with the greater sequence happened later.
    A `trial` says so of itself: it has the further member `"test": true`.
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
    if trial:
        envelope["test"] = True
    body = orjson.dumps(envelope, default=default_encoder)
    if len(body) > MAXIMUM_BODY:
        raise ValueError(f"the body of {kind} is larger than {MAXIMUM_BODY} bytes")
    return Event(event_id, kind, body, dedupe_key)


def listening(store: ColumnElement[Any], environment: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a store has an endpoint to which events may go, of whatever kind."""
    return exists().where(_P.c.user_id == store, _P.c.environment == environment, _P.c.deleted_at.is_(None))


def emitting(act: CTE) -> CTE:
    """Insert the event of the one row of `act`, which has `user_id` and `environment`, and its deliveries. Binds
    `Event.values`. No row, no event; an event with a known `dedupe_key` is a unique violation.

    A delivery to a disabled endpoint is inserted as canceled: the log shows the reason, and it can be sent again.
    """
    return _delivering(event_of(act), bindparam("event_has_subscribers", type_=Boolean()))


def event_of(act: CTE) -> CTE:
    """Insert the event of the one row of `act`, without deliveries."""
    event = {name: bindparam(f"event_{name}", type_=_E.c[name].type) for name in ("id", "type", "body", "dedupe_key")}
    columns = {
        **event,
        "user_id": act.c.user_id,
        "environment": act.c.environment,
        "created_at": func.now(),
    }
    return (
        insert(_E)
        .from_select(list(columns), select(*columns.values()))
        .returning(_E.c.id, _E.c.user_id, _E.c.environment, _E.c.type)
        .cte("event")
    )


def _delivering(event: CTE, *which: ColumnElement[bool]) -> CTE:
    """A delivery of each event to each endpoint that is to have it."""
    subscribed = or_(_P.c.events == literal_column("'{}'"), event.c.type == func.any(_P.c.events))
    return (
        insert(_D)
        .from_select(
            ["event_id", "endpoint_id", "state", "next_attempt_at", "created_at", "finished_at", "canceled_reason"],
            select(
                event.c.id,
                _P.c.id,
                case((_P.c.active, DeliveryState.due.value), else_=DeliveryState.canceled.value),
                func.now(),
                func.now(),
                case((not_(_P.c.active), func.now())),
                case((not_(_P.c.active), func.coalesce(_P.c.disabled_reason, CanceledReason.inactive.value))),
            ).where(
                _P.c.user_id == event.c.user_id,
                _P.c.environment == event.c.environment,
                _P.c.deleted_at.is_(None),
                subscribed,
                *which,
            ),
        )
        .returning(_D.c.id)
        .cte("delivery")
    )


def emitting_many(act: CTE) -> CTE:
    """As `emitting`, for many rows of `act`, each of which has an `id` and any number of the events that are bound by
    `told_values`. What a store has no endpoint for is written and goes nowhere, so its body may be a shorter one.
    """
    event = (
        insert(_E)
        .from_select(
            ["id", "user_id", "environment", "type", "body", "dedupe_key", "created_at"],
            select(
                _told.c.id,
                act.c.user_id,
                act.c.environment,
                _told.c.type,
                _told.c.body,
                _told.c.dedupe_key,
                func.now(),
            ).where(_told.c.act_id == act.c.id),
        )
        .returning(_E.c.id, _E.c.user_id, _E.c.environment, _E.c.type)
        .cte("event")
    )
    return _delivering(event, _told.c.id == event.c.id, _told.c.heard)


class EventOfAct(Struct, frozen=True):
    """An event of the row `act_id`. `heard`: its store has endpoints, of whatever kind."""

    act_id: str
    event: Event
    heard: bool


def told_values(events: Sequence[EventOfAct]) -> dict[str, list[Any]]:
    """The bound values of `emitting_many`."""
    return {
        "told_id": [told.event.id for told in events],
        "told_act_id": [told.act_id for told in events],
        "told_type": [told.event.type.value for told in events],
        "told_body": [told.event.body for told in events],
        "told_dedupe_key": [told.event.dedupe_key for told in events],
        "told_heard": [told.heard for told in events],
    }


async def stores_that_listen(database: Executor, stores: Iterable[str]) -> set[tuple[str, str]]:
    """The stores among these, each with an environment, that have an endpoint to which events may go."""
    rows = await database.all(LISTENING, stores=list(stores))
    return {(row["user_id"], row["environment"]) for row in rows}
