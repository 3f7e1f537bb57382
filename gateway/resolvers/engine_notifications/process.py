"""Process notifications of engines: store each once, handle it, and retry those that could not be handled.

A notification stays `received` while the engine does not respond or its charge is still being issued. The engine stops
repeating it after our 200, so `retry_notifications` handles it again.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson
from msgspec.structs import replace
from sqlalchemy import ARRAY, and_, bindparam, func, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.interface import Engine, Notification
from gateway.models.base import Environment
from gateway.models.database import Row, Statement, columns_of, unnest_rows
from gateway.models.engines import NotificationOutcome, engine_notifications
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.due_rows import DueRows
from gateway.resolvers.engine_failures import log_engine_failure, log_failure
from gateway.resolvers.engine_notifications.handlers import HANDLERS
from gateway.telemetry import ENGINE_NOTIFICATIONS, log
from gateway.values.ids import new_id

LEASE = timedelta(minutes=1)
"""How long the receiver of a new notification has to handle it. Until then, repetitions are ignored and retries skip
it.
"""
FIRST_WAIT = timedelta(minutes=1)
MAX_WAIT = timedelta(hours=1)
_PRECEDENCE = (
    NotificationOutcome.received,
    NotificationOutcome.mismatch,
    NotificationOutcome.applied,
    NotificationOutcome.ignored,
)

_N = engine_notifications
_OWN = ("id", "event_id", "event", "body")
_SHARED = ("engine", "environment", "next_attempt_at", "received_at")
_rows = unnest_rows("notification", {name: _N.c[name].type for name in _OWN})
_inserted = insert(_N).from_select(
    [*_OWN, *_SHARED],
    select(*(_rows.c[name] for name in _OWN), *(bindparam(name, type_=_N.c[name].type) for name in _SHARED)),
)
STORE = Statement(
    _inserted.on_conflict_do_update(
        # A repetition takes over when the first receiver's lease, or that of a retry, has ended.
        constraint="uq_engine_notifications_engine",
        set_={"next_attempt_at": _inserted.excluded.next_attempt_at},
        where=and_(
            _N.c.outcome == NotificationOutcome.received.value, _N.c.next_attempt_at <= _inserted.excluded.received_at
        ),
    ).returning(_N.c.id, _N.c.event_id)
)
"""Returns those that are to be handled now."""
KNOWN = Statement(
    select(_N.c.event_id).where(
        _N.c.engine == bindparam("engine"),
        _N.c.environment == bindparam("environment"),
        _N.c.event_id == func.any(bindparam("event_ids", type_=ARRAY(_N.c.event_id.type))),
    )
)
SET_OUTCOME = Statement(
    update(_N)
    .where(_N.c.id == bindparam("notification_id"))
    .values({name: bindparam(name) for name in ("outcome", "detail", "charge_id")})
)
DUE = DueRows(_N, _N.c.outcome == NotificationOutcome.received.value, first_wait=FIRST_WAIT, max_wait=MAX_WAIT)


async def process_notification(
    ctx: Context, engine: Engine, environment: Environment, body: bytes, *, timeout_seconds: float | None = None
) -> NotificationOutcome:
    """Store and handle the notifications of a body. Never raises for its content: one without an id is ignored.

    Handling by a bank's engine stops after `timeout_seconds`; the outcome is then `received`. Of several outcomes, the
    first of `received`, `mismatch`, `applied` and `ignored` is returned.
    """
    content = decode(body)
    notifications = {each.event_id: each for each in engine.parse_notifications(content)}
    if not notifications:
        # An error would make the bank stop sending. The body may hold personal data, so it is not logged.
        log.warning("engine_notification_unreadable", engine=engine.name, environment=environment.value, size=len(body))
        return _count(engine, NotificationOutcome.ignored)
    now = ctx.real_clock.now()
    stored = await _store(ctx, engine, environment, notifications.values(), body, now + LEASE)
    outcomes = {_count(engine, NotificationOutcome.ignored) for event_id in notifications if event_id not in stored}
    # Safe to interrupt: each step is one statement or transaction, and a retry repeats them all.
    until = timeout_seconds and asyncio.get_running_loop().time() + timeout_seconds
    for event_id, stored_id in stored.items():
        notification = notifications[event_id]
        part = content if notification.body is None else notification.body
        handling = _handle(ctx, engine, environment, stored_id, part, notification)
        outcomes.add(await _within(until if engine.has_bank else None, handling, engine, stored_id))
    return next(outcome for outcome in _PRECEDENCE if outcome in outcomes)


async def store_notifications(ctx: Context, engine: Engine, environment: Environment, body: Mapping[str, Any]) -> int:
    """Store the notifications of a body for `retry_notifications`. Returns how many; the others are repetitions."""
    notifications = {each.event_id: each for each in engine.parse_notifications(body)}
    if not notifications:
        return 0
    known = await ctx.database.all(KNOWN, engine=engine.name, environment=environment, event_ids=list(notifications))
    for row in known:
        del notifications[row["event_id"]]
    if not notifications:
        return 0
    now = ctx.real_clock.now()
    return len(await _store(ctx, engine, environment, notifications.values(), orjson.dumps(body), now))


async def _store(
    ctx: Context,
    engine: Engine,
    environment: Environment,
    notifications: Iterable[Notification],
    body: bytes,
    next_attempt_at: datetime,
) -> dict[str, str]:
    """Store the notifications. Returns event id and row id of those to handle now; the others are repetitions."""
    rows = [
        {
            "id": new_id(),
            "event_id": each.event_id,
            "event": each.kind,
            "body": body if each.body is None else orjson.dumps(each.body),
        }
        for each in notifications
    ]
    now = ctx.real_clock.now()
    scope = {"engine": engine.name, "environment": environment, "next_attempt_at": next_attempt_at, "received_at": now}
    stored = await ctx.database.all(STORE, **columns_of(rows, _OWN, "notification"), **scope)
    return {row["event_id"]: row["id"] for row in stored}


async def _within(
    until: float | None, handling: Coroutine[Any, Any, NotificationOutcome], engine: Engine, stored_id: str
) -> NotificationOutcome:
    """The outcome of handling a stored notification, `received` if it fails or takes longer than `until`."""
    try:
        async with asyncio.timeout_at(until) as limit:
            return await handling
    except Exception as error:  # noqa: BLE001  # It is stored and retried. An error would make the bank stop sending.
        if not limit.expired():
            return _log_failure(engine, stored_id, error)
        log.warning(
            "engine_notification_waits", engine=engine.name, notification_id=stored_id, error="it takes too long"
        )
        return _count(engine, NotificationOutcome.received)


async def retry_notifications(ctx: Context) -> int:
    """Retry one batch of due notifications. Returns how many were handled."""
    as_engine = replace(ctx, origin=replace(ctx.origin, source="engine"))

    def log_error(row: Row, error: Exception) -> None:
        _log_failure(ctx.services.engines.of(row["environment"]), row["id"], error)

    return await DUE.process(ctx, await DUE.claim(ctx), partial(_retry, as_engine), log_error)


def decode(body: bytes) -> dict[str, Any]:
    """The JSON object of a notification's body; empty for anything else."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


async def _handle(
    ctx: Context,
    engine: Engine,
    environment: Environment,
    stored: str,
    content: Mapping[str, Any],
    notification: Notification,
) -> NotificationOutcome:
    """Handle a stored notification; `received` where it must wait. Raises `EngineError`."""
    if not engine.has_bank:
        await engine.apply_notification(content)
    result = await HANDLERS[notification.subject](ctx, engine, environment, notification)
    if result.outcome is not NotificationOutcome.received:
        values = {"outcome": result.outcome, "detail": result.detail, "charge_id": result.charge_id}
        await ctx.database.run(SET_OUTCOME, notification_id=stored, **values)
    return _count(engine, result.outcome)


async def _retry(ctx: Context, row: Row) -> bool:
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    content = decode(row["body"])
    notifications = engine.parse_notifications(content) if engine.name == row["engine"] else []
    notification = next((each for each in notifications if each.event_id == row["event_id"]), None)
    if notification is None:
        values = {"outcome": NotificationOutcome.ignored, "detail": "another engine serves now", "charge_id": None}
        await ctx.database.run(SET_OUTCOME, notification_id=row["id"], **values)
        return True
    outcome = await _handle(ctx, engine, environment, row["id"], content, notification)
    if outcome is NotificationOutcome.received:
        await DUE.postpone(ctx, row)
    return outcome is not NotificationOutcome.received


def _log_failure(engine: Engine, stored: str, error: Exception) -> NotificationOutcome:
    if isinstance(error, EngineError):
        log_engine_failure(engine, error)
    log_failure("engine_notification_waits", error, engine=engine.name, notification_id=stored)
    return _count(engine, NotificationOutcome.received)


def _count(engine: Engine, outcome: NotificationOutcome) -> NotificationOutcome:
    ENGINE_NOTIFICATIONS.labels(engine.name, outcome).inc()
    return outcome
