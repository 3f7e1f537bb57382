"""Check withdrawals in flight at the engine, with back-off. Never orders a transfer again.

A transfer that a bank's engine does not find is left to staff: it may be lost, or not processed yet (engine.md, A12).
At an engine without a bank, it was never ordered.
"""

from datetime import timedelta
from functools import partial

from sqlalchemy import ARRAY, UUID, bindparam, func, select, update

from gateway.models.database import Row, Statement
from gateway.models.withdrawals import IN_FLIGHT, withdrawals
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.batch_runner import LEASE, log_failure, process_batch
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import Accounts, load_accounts
from gateway.resolvers.withdrawals.transitions import ApplyResult, apply_transfer, fetch_transfer, mark_rejected
from gateway.telemetry import log

BATCH_SIZE = 50
FIRST_WAIT = timedelta(minutes=10)
MAX_WAIT = timedelta(hours=6)
NEVER_ORDERED = "O pedido não chegou ao provedor de pagamentos."

_W = withdrawals
_now = bindparam("now", type_=_W.c.settle_after.type)
_due = (
    select(_W.c.id)
    .where(_W.c.status.in_(IN_FLIGHT), _W.c.settle_after <= _now)
    .order_by(_W.c.settle_after)
    .limit(BATCH_SIZE)
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
RELEASE = Statement(
    update(_W)
    .where(
        _W.c.id == func.any(bindparam("ids", type_=ARRAY(UUID))),
        _W.c.status.in_(IN_FLIGHT),
        _W.c.settle_after == bindparam("lease", type_=_W.c.settle_after.type),
    )
    .values(settle_after=_now, attempts=_W.c.attempts - 1)
)
"""Undoes the claim of withdrawals that a batch did not reach."""


async def recover_withdrawals(ctx: Context) -> int:
    """Check one batch of due withdrawals. Returns how many changed."""
    now = ctx.real_clock.now()
    lease = now + LEASE
    claimed = await ctx.database.all(CLAIM, now=now, lease=lease)
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in claimed))
    changed, unreached = await process_batch(
        ctx, claimed, partial(_check, ctx, accounts), partial(_postpone_failed, ctx)
    )
    if unreached:
        ids = [row["id"] for row in unreached]
        await ctx.database.run(RELEASE, ids=ids, lease=lease, now=ctx.real_clock.now())
    return changed


async def _check(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine = ctx.services.engines.of(row["environment"])
    if engine.name != row["engine"]:
        log.warning("withdrawal_at_another_engine", withdrawal_id=row["id"], engine=row["engine"])
        return await _postpone(ctx, row)
    transfer = await fetch_transfer(ctx, row, accounts[row["receiving_account_id"]])
    if transfer is None and not engine.has_bank:
        return await mark_rejected(ctx, row, NEVER_ORDERED)
    if transfer is None:
        log.error("withdrawal_not_found_at_engine", withdrawal_id=row["id"], attempts=row["attempts"])
    elif await apply_transfer(ctx, row, transfer) is ApplyResult.changed:
        return True
    return await _postpone(ctx, row)


async def _postpone_failed(ctx: Context, row: Row, error: Exception) -> None:
    log_failure("withdrawal_still_unknown", error, withdrawal_id=row["id"])
    await _postpone(ctx, row)


async def _postpone(ctx: Context, row: Row) -> bool:
    wait = backoff(FIRST_WAIT, MAX_WAIT, row["attempts"])
    await ctx.database.run(POSTPONE, withdrawal_id=row["id"], later=ctx.real_clock.now() + wait)
    return False
