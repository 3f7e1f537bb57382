"""What an engine tells us: stored once, judged, and applied. Late, repeated and out-of-order notices are harmless.

A notice that can't be judged now, because the engine doesn't answer or the charge is still being issued, stays
`received`; `retry_notices` looks at it again.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import orjson
from sqlalchemy import and_, bindparam, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.port import Engine, EngineError, Notice
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.engines import NoticeOutcome, engine_notices
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core.batch_runner import tell_failure
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.judge import judge
from gateway.telemetry import NOTICES, log
from gateway.values.ids import new_id

LEASE = timedelta(minutes=1)
"""How long a fresh notice is its receiver's alone. A repetition is answered at once until then; if its receiver died,
the retries have it afterwards, or a repetition, whichever comes first.
"""

_N = engine_notices
_GIVEN = ("id", "engine", "environment", "event_id", "event", "body", "retry_after", "received_at")
_told = insert(_N).values({name: bindparam(name) for name in _GIVEN})
STORE = Statement(
    _told.on_conflict_do_update(
        # A notice whose first handling died before it was judged is handled again when it is repeated, once nobody has
        # it any more: neither who took it in nor the retries, which claim it in the same way.
        constraint="uq_engine_notices_engine",
        set_={"retry_after": _told.excluded.retry_after},
        where=and_(_N.c.outcome == NoticeOutcome.received.value, _N.c.retry_after <= _told.excluded.received_at),
    ).returning(_N.c.id)
)
JUDGE = Statement(
    update(_N)
    .where(_N.c.id == bindparam("notice_id"))
    .values({name: bindparam(name) for name in ("outcome", "detail", "charge_id")})
)


async def receive_notice(
    ctx: Context, engine: Engine, environment: Environment, body: bytes, *, within: float | None = None
) -> NoticeOutcome:
    """Take in one notice. Never raises for what it says: what isn't understood is ignored, and stored if it has an id.

    A bank that has to be asked about it is waited for `within` seconds; then the notice is `received`.
    """
    said = decoded(body)
    notice = engine.translate(said)
    if notice is None:
        # A refusal would only have the bank stop sending; what was in it is nobody's to log.
        log.warning("engine_notice_unreadable", engine=engine.name, environment=environment.value, size=len(body))
        return _counted(engine, NoticeOutcome.ignored)
    now = ctx.real_clock.now()
    stored = await ctx.database.value(
        STORE,
        id=new_id(),
        engine=engine.name,
        environment=environment,
        event_id=notice.event_id,
        event=notice.kind,
        body=body,
        retry_after=now + LEASE,
        received_at=now,
    )
    if stored is None:
        return _counted(engine, NoticeOutcome.ignored)
    try:
        # Whatever is interrupted is a statement or a transaction of its own, and is judged anew as a repeated notice
        # is.
        async with asyncio.timeout(within if engine.has_bank else None) as limit:
            return await handle(ctx, engine, environment, stored, said, notice)
    except Exception as error:  # noqa: BLE001  # It is kept, and judged later. A bank that is told of an error stops sending.
        if not limit.expired():
            return wait_on(engine, stored, error)
        log.warning("engine_notice_waits", engine=engine.name, notice_id=stored, error="it takes too long")
        return _counted(engine, NoticeOutcome.received)


async def handle(
    ctx: Context, engine: Engine, environment: Environment, stored: str, said: Mapping[str, Any], notice: Notice
) -> NoticeOutcome:
    """Judge a stored notice and apply it. `received` where that has to wait. Raises `EngineError`
    where the engine doesn't answer.
    """
    if not engine.has_bank:
        await engine.hear(said)
    verdict = await judge(ctx, engine, environment, notice)
    if verdict.outcome is not NoticeOutcome.received:
        told = {"outcome": verdict.outcome, "detail": verdict.detail, "charge_id": verdict.charge_id}
        await ctx.database.run(JUDGE, notice_id=stored, **told)
    return _counted(engine, verdict.outcome)


def wait_on(engine: Engine, stored: str, error: Exception) -> NoticeOutcome:
    """Tell that a stored notice waits, and what for."""
    if isinstance(error, EngineError):
        log_engine_failure(engine, error)
    tell_failure("engine_notice_waits", error, engine=engine.name, notice_id=stored)
    return _counted(engine, NoticeOutcome.received)


def decoded(body: bytes) -> dict[str, Any]:
    """A notice's JSON object; empty for anything else."""
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _counted(engine: Engine, outcome: NoticeOutcome) -> NoticeOutcome:
    NOTICES.labels(engine.name, outcome).inc()
    return outcome
