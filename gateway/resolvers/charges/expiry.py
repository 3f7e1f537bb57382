"""When a charge stops waiting for its payer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, select, true, update

from gateway.errors import InvalidExpiry, InvalidInput
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.clocks import test_clocks
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.audit.trail import RECORD, record_of, recording
from gateway.resolvers.charges.conditions import NOW, may_end
from gateway.resolvers.charges.inputs import PAST_DUE, is_over, is_past_due
from gateway.resolvers.charges.looking_again import AFTER_EXPIRY, looking_again
from gateway.resolvers.charges.retiring import retire_expired
from gateway.resolvers.charges.uses import give_back_uses, lapsed_uses, made_with
from gateway.resolvers.clocks.own import CLOCK_COLUMNS, own_clock
from gateway.resolvers.context import Context
from gateway.resolvers.inputs import missing_fields

DEFAULT_LIFETIME = timedelta(hours=24)
BATCH = 500

_C, _T = charges, test_clocks
_overdue = select(_C.c.id).where(may_end, _C.c.expires_at <= NOW).limit(BATCH)


def _expiring(due: Select[Any]) -> Select[Any]:
    """Expire what is due, and have it looked at again: it may have been paid in its last moment."""
    locked = due.cte("due")
    expired = (
        update(_C)
        .where(_C.c.id == locked.c.id)
        .values(status=ChargeStatus.expired.value, updated_at=NOW)
        .returning(
            *(
                _C.c.id,
                _C.c.user_id,
                _C.c.environment,
                _C.c.coupon_id,
                _C.c.payment_link_id,
                _C.c.engine,
                _C.c.engine_id,
                _C.c.receiving_account_id,
            )
        )
        .cte("expired")
    )
    return select(expired).add_cte(looking_again(expired, "look_at").cte("look"))


EXPIRE = Statement(_expiring(_overdue.order_by(_C.c.expires_at).with_for_update(skip_locked=True)))
EXPIRE_HOLDERS = Statement(_expiring(_overdue.where(made_with()).order_by(_C.c.id).with_for_update()))
"""Waits for whoever settles the same charges, in the order in which a deletion locks them."""

# The store's own are found first: in the order of dates, all stores' would be looked through for them.
_own = (
    select(_C.c.id, _C.c.expires_at)
    .where(
        _C.c.user_id == bindparam("store"),
        _C.c.environment == Environment.test.value,
        may_end,
        _C.c.expires_at <= NOW,
    )
    .cte("own")
    .prefix_with("materialized")
)
_own_overdue = (
    select(_C.c.id)
    .join(_own, _own.c.id == _C.c.id)
    .where(may_end)
    .order_by(_own.c.expires_at, _C.c.id)
    .limit(BATCH)
    .with_for_update(of=_C, skip_locked=True)
)
EXPIRE_OWN = Statement(_expiring(_own_overdue))
"""The overdue charges of one test store, by its own clock."""
_some = (
    select(_C.c.id)
    .where(
        _C.c.user_id == _T.c.store_id,
        _C.c.environment == Environment.test.value,
        may_end,
        # Written so that no index of all stores' dates serves it, but the one of the store's pending charges.
        _C.c.expires_at - _T.c.ahead <= NOW,
    )
    .limit(1)
    .lateral("some")
)
OWN_CLOCKS = Statement(select(_T.c.store_id, *CLOCK_COLUMNS).join(_some, true()).where(_T.c.target.is_(None)))
"""The stores with clocks of their own that have something overdue; one that is being moved is the advance's."""

_lapsed = (
    update(_C)
    .where(
        _C.c.id == bindparam("charge_id"),
        may_end,
        _C.c.expires_at <= NOW,
    )
    .values(status=ChargeStatus.expired.value, updated_at=NOW)
    .returning(_C.c.id, _C.c.environment, _C.c.coupon_id, _C.c.payment_link_id)
    .cte("lapsed")
)
_look = looking_again(_lapsed, "look_at").cte("look")
LAPSE = Statement(select(_lapsed).add_cte(recording(_lapsed).cte("audit"), _look))


def expiry_of(ctx: Context, asked: datetime | None, missing: Sequence[str] = ()) -> datetime:
    """When a new charge expires. Raises `InvalidExpiry`, which names the fields that are `missing` beside."""
    now = ctx.clock.now()
    if asked is None:
        return now + DEFAULT_LIFETIME
    if is_over(asked, now):
        raise InvalidExpiry(beside=missing_fields(missing))
    return asked


def refuse_past_due(ctx: Context, due_date: datetime | None, missing: Sequence[str] = ()) -> None:
    """Raises `InvalidInput`, which names the fields that are `missing` too."""
    if due_date is not None and is_past_due(due_date, ctx.clock.now()):
        raise InvalidInput(("due_date", PAST_DUE), *missing_fields(missing))


async def expire_charges(ctx: Context) -> int:
    """Mark one batch of overdue charges as expired; returns how many. Readers already see them so. A bank that holds
    them is then asked to let them go.
    """
    expired = await _expire(ctx, EXPIRE)
    await retire_expired(ctx, expired)
    return len(expired)


async def expire_by_own_clocks(ctx: Context) -> None:
    """Mark what is overdue in the test stores that don't go by real time.

    One store after the other: each has a moment of its own, at which everything that follows is written, and few have a
    clock. A statement for them all would hold the charges of each until it had come to the last.
    """
    for row in await ctx.database.all(OWN_CLOCKS, now=ctx.real_clock.now()):
        await expire_own(ctx.timed_by(own_clock(row, ctx.real_clock)), row["store_id"])


async def expire_own(ctx: Context, store_id: str) -> None:
    """Mark all that is overdue in one store's test environment, by the clock of `ctx`."""
    full = True
    while full:
        expired = await _expire(ctx, EXPIRE_OWN, store=store_id)
        await retire_expired(ctx, expired)
        full = len(expired) == BATCH


async def expire_holders(ctx: Context, coupon_id: str | None, payment_link_id: str | None) -> bool:
    """Ahead of the sweeper, mark the overdue charges that hold a use of this coupon or link as expired, which gives the
    uses back. False where there was none. The bank is not asked to let them go: a payer is waiting.
    """
    held = {"coupon_id": coupon_id, "payment_link_id": payment_link_id}
    if not await lapsed_uses(ctx.database, ctx.clock.now(), **held):
        return False
    await _expire(ctx, EXPIRE_HOLDERS, **held)
    return True


async def _expire(ctx: Context, statement: Statement, **held: str | None) -> list[Row]:
    now = ctx.clock.now()
    async with ctx.database.transaction() as transaction:
        expired = await transaction.all(statement, **held, now=now, look_at=ctx.real_clock.now() + AFTER_EXPIRY)
        await give_back_uses(transaction, expired)
        await transaction.run_many(
            RECORD,
            [
                {
                    **record_of(ctx, "charge.expired", row["id"], store_id=row["user_id"]),
                    "audit_environment": row["environment"],
                }
                for row in expired
            ],
        )
    return expired


async def expire_charge(ctx: Context, transaction: Executor, charge_id: str, store_id: str) -> Row | None:
    """Mark one charge of the store as expired, if it is overdue; the sweeper may have done so. What it held of its
    coupon and link is the caller's to give back.
    """
    now, written = ctx.clock.now(), record_of(ctx, "charge.expired", charge_id, store_id=store_id)
    return await transaction.one(
        LAPSE, charge_id=charge_id, now=now, look_at=ctx.real_clock.now() + AFTER_EXPIRY, **written
    )
