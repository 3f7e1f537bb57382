"""Looking after accounts: unknown outcomes, notices that aren't registered, approvals whose notice never came."""

import asyncio
from datetime import timedelta

from sqlalchemy import bindparam, func, select, update

from gateway.integrations.engines.port import EngineError
from gateway.models.database import Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import own_account
from gateway.resolvers.receiving.approval import refresh
from gateway.resolvers.receiving.claims import settle_claim
from gateway.resolvers.receiving.registration import register
from gateway.telemetry import log

BATCH = 10
"""Looked at together; an engine counts the calls of each account by itself."""
LEASE = timedelta(minutes=5)
FIRST_WAIT = timedelta(minutes=2)
LONGEST_WAIT = timedelta(hours=6)

_R = receiving_accounts
_moment = _R.c.look_after.type
_due = (
    select(_R.c.id)
    .where(_R.c.state != AccountState.lost.value, _R.c.look_after <= bindparam("now", type_=_moment))
    .order_by(_R.c.look_after, _R.c.id)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_R)
    .where(_R.c.id == _due.c.id)
    .values(attempts=func.least(_R.c.attempts + 1, 1000), look_after=bindparam("lease", type_=_moment))
    .returning(*_R.c)
)
POSTPONE = Statement(
    update(_R).where(_R.c.id == bindparam("account")).values(look_after=bindparam("later", type_=_moment))
)


async def look_after_accounts(ctx: Context) -> int:
    """Look after what is due, until a batch is not full; returns how many accounts were looked at."""
    looked, full = 0, True
    while full:
        now = ctx.real_clock.now()
        rows = await ctx.database.all(CLAIM, now=now, lease=now + LEASE)
        # Not a task group: one that fails must not cut the others off between the engine and what is written of it.
        ended = await asyncio.gather(*(_look_after(ctx, row) for row in rows), return_exceptions=True)
        for row, failure in zip(rows, ended, strict=True):
            if isinstance(failure, BaseException):
                log.error("receiving_account_stuck", account=row["id"], exc_info=failure)
                await _postpone(ctx, row, backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"]))
        looked, full = looked + len(rows), len(rows) == BATCH
    return looked


async def _look_after(ctx: Context, row: Row) -> None:
    engine = ctx.services.engines.of(row["environment"])
    try:
        if engine.name != row["engine"]:
            await _postpone(ctx, row, LONGEST_WAIT)
        elif row["state"] == AccountState.opening:
            await settle_claim(ctx, row)
        else:
            own = own_account(ctx, row)
            await register(ctx, own)
            await refresh(ctx, own)
    except EngineError as error:
        log_engine_failure(engine, error)
        await _postpone(ctx, row, backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"]))


async def _postpone(ctx: Context, row: Row, wait: timedelta) -> None:
    await ctx.database.run(POSTPONE, account=row["id"], later=ctx.real_clock.now() + wait)
