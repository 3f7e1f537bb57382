"""Recover issuances whose outcome at the engine is unknown: cancel what the engine made, then delete the issuance.

The caller got a 502, or no response, and has no BR Code. So every charge that the engine made is canceled there. Money
that was paid nevertheless is listed for staff. If the engine has no answer, it is queried again, with back-off. The
billing job recovers its own issuances (subscriptions.recover_cycles), because no caller got an error.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sqlalchemy import ARRAY, UUID, bindparam, func, select, update

from gateway.integrations.engines.interface import EngineCharge
from gateway.models.charges import issuances
from gateway.models.database import Row, Statement
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.engine_calls import belongs_to_engine, cancel_all_at_engine
from gateway.resolvers.charges.redemptions import delete_issuance
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.batch_runner import LEASE, log_failure, process_batch
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import Accounts, load_accounts
from gateway.resolvers.reconciliation.discrepancies import open_unclaimed_payment
from gateway.telemetry import log

BATCH_SIZE = 50
MIN_WAIT = timedelta(minutes=4)
MAX_WAIT = timedelta(hours=1)

_I = issuances
_now = bindparam("now", type_=_I.c.settle_after.type)
_due = (
    select(_I.c.charge_id)
    .where(_I.c.settle_after <= _now, _I.c.billing_cycle.is_(None))
    .order_by(_I.c.settle_after)
    .limit(BATCH_SIZE)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_I)
    .where(_I.c.charge_id == _due.c.charge_id)
    .values(attempts=func.least(_I.c.attempts + 1, 1000), settle_after=bindparam("lease", type_=_I.c.settle_after.type))
    .returning(_I)
)
RESCHEDULE = Statement(
    update(_I)
    .where(_I.c.charge_id == bindparam("id"))
    .values(settle_after=bindparam("settle_after", type_=_I.c.settle_after.type))
)
RELEASE = Statement(
    update(_I)
    .where(
        _I.c.charge_id == func.any(bindparam("ids", type_=ARRAY(UUID))),
        _I.c.settle_after == bindparam("lease", type_=_I.c.settle_after.type),
    )
    .values(settle_after=_now, attempts=_I.c.attempts - 1)
)
"""Issuances of a batch that were not queried are due again."""


async def recover_issuances(ctx: Context) -> int:
    """Recover one batch of due issuances; returns how many were closed."""
    now = ctx.real_clock.now()
    lease = now + LEASE
    claimed = await ctx.database.all(CLAIM, now=now, lease=lease)
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in claimed))
    closed, left = await process_batch(ctx, claimed, partial(_recover, ctx, accounts), partial(_reschedule, ctx))
    if left:
        ids = [row["charge_id"] for row in left]
        await ctx.database.run(RELEASE, ids=ids, lease=lease, now=ctx.real_clock.now())
    return closed


async def _recover(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine, account = ctx.services.engines.of(row["environment"]), accounts[row["receiving_account_id"]]
    if not belongs_to_engine(engine, row):
        log.warning("issuance_at_another_engine", charge_id=row["charge_id"], engine=row["engine"])
        await _postpone(ctx, row)
        return False
    engine_charge = await engine.find_charge(row["charge_id"], row["txid"], account)
    paid = await cancel_all_at_engine(engine, engine_charge, account) if engine_charge else []
    return await close_issuance(ctx, row, paid, "retired" if engine_charge else "never_made")


async def close_issuance(ctx: Context, row: Row, paid: Sequence[EngineCharge], outcome: str) -> bool:
    """Delete an issuance that becomes no charge. What was `paid` at the engine is listed for staff. Rows have
    `charge_id` and `user_id`. False if it is gone already.
    """
    charge_id, changes = row["charge_id"], {"outcome": {"from": "unknown", "to": "paid" if paid else outcome}}
    async with ctx.database.transaction() as transaction:
        for charge in paid:
            await open_unclaimed_payment(ctx, transaction, charge_id, charge)
        if not await delete_issuance(transaction, charge_id):
            return False
        await record(ctx, transaction, "charge.issuance_closed", charge_id, changes=changes, store_id=row["user_id"])
    return True


async def _reschedule(ctx: Context, row: Row, error: Exception) -> None:
    log_failure("issuance_still_unknown", error, charge_id=row["charge_id"])
    await _postpone(ctx, row)


async def _postpone(ctx: Context, row: Row) -> None:
    later = ctx.real_clock.now() + backoff(MIN_WAIT, MAX_WAIT, row["attempts"])
    await ctx.database.run(RESCHEDULE, id=row["charge_id"], settle_after=later)
