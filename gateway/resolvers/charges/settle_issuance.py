"""What became of an issuance whose outcome never arrived: the reconciling job asks, and nothing is ever doubled.

The caller was answered 502, or never answered at all, and nobody holds the BR Code. So every charge that the engine did
make is retired there, and the issuance goes. An engine that still can't say is asked again later, ever more rarely. What
the billing job asked for is its own to finish, because nobody was told that it failed (subscriptions.leftovers).
"""

from datetime import timedelta

from sqlalchemy import bindparam, func, select, update

from gateway.engines.port import Account, EngineError
from gateway.models.charges import issuances
from gateway.models.database import Row, Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.backoff import backoff
from gateway.resolvers.charges.uses import release_issuance
from gateway.resolvers.context import Context
from gateway.resolvers.receiving.accounts import accounts_by_ids
from gateway.telemetry import log

BATCH = 50
FIRST_WAIT = timedelta(minutes=4)
LONGEST_WAIT = timedelta(hours=1)

_I = issuances
_now = bindparam("now", type_=_I.c.settle_after.type)
_due = (
    select(_I.c.charge_id)
    .where(_I.c.settle_after <= _now, _I.c.billing_cycle.is_(None))
    .order_by(_I.c.settle_after)
    .limit(BATCH)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_I)
    .where(_I.c.charge_id == _due.c.charge_id)
    .values(attempts=func.least(_I.c.attempts + 1, 1000), settle_after=bindparam("lease", type_=_I.c.settle_after.type))
    .returning(_I)
)
POSTPONE = Statement(
    update(_I)
    .where(_I.c.charge_id == bindparam("id"))
    .values(settle_after=bindparam("settle_after", type_=_I.c.settle_after.type))
)


async def settle_issuances(ctx: Context) -> int:
    """Settle what is due, one batch; returns how many issuances were closed."""
    now = ctx.clock.now()
    claimed = await ctx.database.all(CLAIM, now=now, lease=now + timedelta(minutes=5))
    accounts = await accounts_by_ids(ctx, (row["receiving_account_id"] for row in claimed))
    return sum([await _settle(ctx, row, accounts[row["receiving_account_id"]]) for row in claimed])


async def _settle(ctx: Context, row: Row, account: Account | None) -> bool:
    engine = ctx.services.engines.of(row["environment"])
    try:
        made = await engine.find_charge(row["charge_id"], account)
        for engine_id in (made.id, *made.doubles) if made is not None else ():
            await engine.retire_charge(engine_id, account)
    except EngineError as error:
        wait = backoff(FIRST_WAIT, LONGEST_WAIT, row["attempts"])
        await ctx.database.run(POSTPONE, id=row["charge_id"], settle_after=ctx.clock.now() + wait)
        log.warning(
            "issuance_still_unknown", charge_id=row["charge_id"], error=type(error).__name__, detail=error.detail
        )
        return False
    async with ctx.database.transaction() as transaction:
        if not await release_issuance(transaction, row["charge_id"]):
            return False
        outcome = {"outcome": {"from": "unknown", "to": "retired" if made else "never_made"}}
        await record(
            ctx, transaction, "charge.issuance_closed", row["charge_id"], changes=outcome, store_id=row["user_id"]
        )
    return True
