"""Withdrawals in flight that nobody has told us the end of: the engine is asked, ever more rarely,
and nothing is ordered twice.

An order that a bank's engine doesn't know is left to staff: it may have been lost on the way, or still be on it
(engine.md, A12). Where there is no bank, what isn't in the books was never made.
"""

from datetime import timedelta
from functools import partial

from sqlalchemy import ARRAY, UUID, bindparam, func, select, update

from gateway.models.database import Row, Statement
from gateway.models.withdrawals import IN_FLIGHT, withdrawals
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.batch_runner import LEASE, go_round, tell_failure
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import Accounts, accounts_by_ids
from gateway.resolvers.withdrawals.engine_side import look_up
from gateway.resolvers.withdrawals.outcomes import Ending, apply, reject
from gateway.telemetry import log

BATCH = 50
FIRST_WAIT = timedelta(minutes=10)
LONGEST_WAIT = timedelta(hours=6)
NEVER_MADE = "O pedido não chegou ao provedor de pagamentos."

_W = withdrawals
_now = bindparam("now", type_=_W.c.settle_after.type)
_due = (
    select(_W.c.id)
    .where(_W.c.status.in_(IN_FLIGHT), _W.c.settle_after <= _now)
    .order_by(_W.c.settle_after)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_W)
    .where(_W.c.id == _due.c.id)
    .values(attempts=func.least(_W.c.attempts + 1, 1000), settle_after=bindparam("lease", type_=_W.c.settle_after.type))
    .returning(*_W.c)
)
POSTPONE = Statement(
    update(_W)
    .where(_W.c.id == bindparam("withdrawal_id"), _W.c.status.in_(IN_FLIGHT))
    .values(settle_after=bindparam("later", type_=_W.c.settle_after.type))
)
GIVE_BACK = Statement(
    update(_W)
    .where(
        _W.c.id == func.any(bindparam("ids", type_=ARRAY(UUID))),
        _W.c.status.in_(IN_FLIGHT),
        _W.c.settle_after == bindparam("lease", type_=_W.c.settle_after.type),
    )
    .values(settle_after=_now, attempts=_W.c.attempts - 1)
)
"""Nobody has asked about these: they are due as before."""


async def settle_withdrawals(ctx: Context) -> int:
    """Look at what is due, one batch; returns how many withdrawals moved."""
    now = ctx.real_clock.now()
    lease = now + LEASE
    claimed = await ctx.database.all(CLAIM, now=now, lease=lease)
    accounts = await accounts_by_ids(ctx, (row["receiving_account_id"] for row in claimed))
    moved, left = await go_round(ctx, claimed, partial(_settle, ctx, accounts), partial(_put_off, ctx))
    if left:
        await ctx.database.run(GIVE_BACK, ids=[row["id"] for row in left], lease=lease, now=ctx.real_clock.now())
    return moved


async def _settle(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine = ctx.services.engines.of(row["environment"])
    if engine.name != row["engine"]:
        log.warning("withdrawal_at_another_engine", withdrawal_id=row["id"], engine=row["engine"])
        return await _postpone(ctx, row)
    held = await look_up(ctx, row, accounts[row["receiving_account_id"]])
    if held is None and not engine.has_bank:
        return await reject(ctx, row, NEVER_MADE)
    if held is None:
        log.error("withdrawal_not_found_at_engine", withdrawal_id=row["id"], attempts=row["attempts"])
    elif await apply(ctx, row, held) is Ending.moved:
        return True
    return await _postpone(ctx, row)


async def _put_off(ctx: Context, row: Row, error: Exception) -> None:
    tell_failure("withdrawal_still_unknown", error, withdrawal_id=row["id"])
    await _postpone(ctx, row)


async def _postpone(ctx: Context, row: Row) -> bool:
    wait = backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"])
    await ctx.database.run(POSTPONE, withdrawal_id=row["id"], later=ctx.real_clock.now() + wait)
    return False
