"""Looking again at notices that nobody could judge when they came. The engine itself stops
repeating one after its 200.
"""

from datetime import timedelta
from functools import partial

from msgspec.structs import replace
from sqlalchemy import ARRAY, UUID, bindparam, func, select, update

from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.engines import NoticeOutcome, engine_notices
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.batch_runner import LEASE, go_round
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.receive import JUDGE, decoded, handle, wait_on

BATCH = 50
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)

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
GIVE_BACK = Statement(
    update(_N)
    .where(
        _N.c.id == func.any(bindparam("ids", type_=ARRAY(UUID))),
        _N.c.outcome == NoticeOutcome.received.value,
        _N.c.retry_after == bindparam("lease", type_=_N.c.retry_after.type),
    )
    .values(retry_after=_now, attempts=_N.c.attempts - 1)
)
"""Nobody has looked at these: they are due as before."""


async def retry_notices(ctx: Context) -> int:
    """Look again at what is due, one batch, ever more rarely; returns how many notices were judged."""
    now = ctx.real_clock.now()
    lease = now + LEASE
    claimed = await ctx.database.all(CLAIM, now=now, lease=lease)
    as_engine = replace(ctx, origin=replace(ctx.origin, source="engine"))
    judged, left = await go_round(ctx, claimed, partial(_retry, as_engine), partial(_put_off, ctx))
    if left:
        await ctx.database.run(GIVE_BACK, ids=[row["id"] for row in left], lease=lease, now=ctx.real_clock.now())
    return judged


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
    await _postpone(ctx, row)
    return False


async def _put_off(ctx: Context, row: Row, error: Exception) -> None:
    wait_on(ctx.services.engines.of(row["environment"]), row["id"], error)
    await _postpone(ctx, row)


async def _postpone(ctx: Context, row: Row) -> None:
    wait = backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"])
    await ctx.database.run(POSTPONE, notice_id=row["id"], later=ctx.real_clock.now() + wait)
