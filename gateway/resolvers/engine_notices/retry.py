"""Looking again at notices that nobody could judge when they came. The engine itself stops repeating one after its 200."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import bindparam, func, select, update

from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.engines import NoticeOutcome, engine_notices
from gateway.resolvers.backoff import backoff
from gateway.resolvers.context import Context
from gateway.resolvers.engine_notices.receive import JUDGE, decoded, handle

BATCH = 50
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)
_LEASE = timedelta(minutes=5)

_N = engine_notices
_now = bindparam("now", type_=_N.c.retry_after.type)
_due = (
    select(_N.c.id)
    .where(_N.c.outcome == NoticeOutcome.received.value, _N.c.retry_after <= _now)
    .order_by(_N.c.retry_after)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_N)
    .where(_N.c.id == _due.c.id)
    .values(attempts=func.least(_N.c.attempts + 1, 1000), retry_after=bindparam("lease", type_=_N.c.retry_after.type))
    .returning(_N.c.id, _N.c.engine, _N.c.environment, _N.c.body, _N.c.attempts)
)
POSTPONE = Statement(
    update(_N)
    .where(_N.c.id == bindparam("notice_id"), _N.c.outcome == NoticeOutcome.received.value)
    .values(retry_after=bindparam("later", type_=_N.c.retry_after.type))
)


async def retry_notices(ctx: Context) -> int:
    """Look again at what is due, one batch, ever more rarely; returns how many notices were judged."""
    now = ctx.real_clock.now()
    claimed = await ctx.database.all(CLAIM, now=now, lease=now + _LEASE)
    as_engine = replace(ctx, origin=replace(ctx.origin, source="engine"))
    return sum([await _retry(as_engine, row) for row in claimed])


async def _retry(ctx: Context, row: Row) -> bool:
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    said = decoded(row["body"])
    notice = engine.translate(said) if engine.name == row["engine"] else None
    if notice is None:
        told = {"outcome": NoticeOutcome.ignored, "detail": "another engine serves now", "charge_id": None}
        await ctx.database.run(JUDGE, notice_id=row["id"], **told)
        return True
    if await handle(ctx, engine, environment, row["id"], said, notice) is not NoticeOutcome.received:
        return True
    wait = backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"])
    await ctx.database.run(POSTPONE, notice_id=row["id"], later=ctx.real_clock.now() + wait)
    return False
