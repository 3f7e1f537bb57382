"""Expire pending charges: in batches when their time has passed, and one at once by `POST /pix/{id}/expire`.

An expired charge releases its uses and is checked again at its engine, where it is canceled. A payment that was under
way counts as late.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, bindparam, select, true, update

from gateway.errors import ChargeEnded
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.clocks import test_clocks
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.audit.audit_log import RECORD, record_of, with_record
from gateway.resolvers.charges.engine_calls import cancel_expired_at_engine
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.charges.redemptions import count_expired_uses, release_uses, uses_coupon_or_link
from gateway.resolvers.charges.schedule_reconciliation import CHECK_EXPIRED_AFTER, schedule_check
from gateway.resolvers.charges.status import NOW, may_end
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.clocks.store_clock import CLOCK_COLUMNS, store_clock
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store

BATCH_SIZE = 500

_C, _T = charges, test_clocks
_overdue = select(_C.c.id).where(may_end, _C.c.expires_at <= NOW).limit(BATCH_SIZE)
_RETURNED = (
    *("id", "user_id", "environment", "coupon_id", "payment_link_id"),
    *("engine", "engine_id", "receiving_account_id"),
)


def _expire(*conditions: ColumnElement[bool], **more: Any) -> CTE:
    """Expire the charges that meet the conditions."""
    values = {"status": ChargeStatus.expired.value, "updated_at": NOW, **more}
    returned = (_C.c[name] for name in _RETURNED)
    return update(_C).where(*conditions).values(values).returning(*returned).cte("expired")


def _expire_due(due: Select[Any]) -> Statement:
    """Expire the due charges and schedule a check of each: it may have been paid just before it expired."""
    expired = _expire(_C.c.id == due.cte("due").c.id)
    return Statement(select(expired).add_cte(schedule_check(expired)))


EXPIRE = _expire_due(_overdue.order_by(_C.c.expires_at).with_for_update(skip_locked=True))
EXPIRE_REDEMPTION_HOLDERS = _expire_due(_overdue.where(uses_coupon_or_link()).order_by(_C.c.id).with_for_update())
"""Waits for other transactions on the same charges, and locks them in the order of deletions."""

# The store's charges are found first: the index by date covers all stores.
_store_overdue = (
    select(_C.c.id, _C.c.expires_at)
    .where(
        _C.c.user_id == bindparam("store"), _C.c.environment == Environment.test.value, may_end, _C.c.expires_at <= NOW
    )
    .cte("own")
    .prefix_with("materialized")
)
_store_batch = (
    select(_C.c.id)
    .join(_store_overdue, _store_overdue.c.id == _C.c.id)
    .where(may_end)
    .order_by(_store_overdue.c.expires_at, _C.c.id)
    .limit(BATCH_SIZE)
    .with_for_update(of=_C, skip_locked=True)
)
EXPIRE_STORE_CHARGES = _expire_due(_store_batch)
"""The overdue charges of one test store, by its test clock."""
_one_overdue = (
    select(_C.c.id)
    .where(
        _C.c.user_id == _T.c.store_id,
        _C.c.environment == Environment.test.value,
        may_end,
        # Written so that PostgreSQL uses the index of the store's pending charges, not the one of all dates.
        _C.c.expires_at - _T.c.time_offset <= NOW,
    )
    .limit(1)
    .lateral("some")
)
DUE_TEST_CLOCKS = Statement(
    select(_T.c.store_id, *CLOCK_COLUMNS).join(_one_overdue, true()).where(_T.c.target_time.is_(None))
)
"""The stores with a test clock and an overdue charge. A clock that is being advanced is left to its advance."""

_overdue_one = _expire(_C.c.id == bindparam("charge_id"), may_end, _C.c.expires_at <= NOW)
EXPIRE_ONE = with_record(_overdue_one, schedule_check(_overdue_one))
# `expires_at` moves too: it decides whether a payment is late.
_expired_now = _expire(*of_store(_C), _C.c.id == bindparam("charge_id"), may_end, _C.c.expires_at > NOW, expires_at=NOW)
EXPIRE_NOW = with_record(_expired_now, schedule_check(_expired_now))
ENDED_MESSAGES = {
    ChargeStatus.pending: "O pagamento desta cobrança está em análise no banco.",
    ChargeStatus.paid: "Esta cobrança já foi paga.",
    ChargeStatus.canceled: "Esta cobrança foi cancelada.",
    ChargeStatus.refunded: "Esta cobrança foi paga e devolvida.",
    ChargeStatus.expired: "Esta cobrança expirou.",
}
"""Why nothing can be done with a charge that has ended, or is pending while the bank holds its payment back."""


async def expire_charges(ctx: Context) -> int:
    """Mark one batch of overdue charges as expired, and cancel them at the bank; returns how many. Readers see them as
    expired before.
    """
    expired = await _expire_batch(ctx, EXPIRE)
    await cancel_expired_at_engine(ctx, expired)
    return len(expired)


async def expire_test_clock_charges(ctx: Context) -> None:
    """Expire the charges of test stores that have a test clock.

    One store after the other: each has its own time. One statement for all would hold the locks of each to the end.
    """
    for row in await ctx.database.all(DUE_TEST_CLOCKS, now=ctx.real_clock.now()):
        await expire_store_charges(ctx.timed_by(store_clock(row, ctx.real_clock)), row["store_id"])


async def expire_store_charges(ctx: Context, store_id: str) -> None:
    """Expire all overdue charges of a store's test environment, by the clock of `ctx`."""
    full = True
    while full:
        expired = await _expire_batch(ctx, EXPIRE_STORE_CHARGES, store=store_id)
        await cancel_expired_at_engine(ctx, expired)
        full = len(expired) == BATCH_SIZE


async def expire_redemption_holders(ctx: Context, coupon_id: str | None, payment_link_id: str | None) -> bool:
    """Expire the overdue charges that hold a use of this coupon or link, ahead of the periodic job; their uses are
    released. False if there is none. They are not canceled at the bank here: a payer is waiting.
    """
    target = {"coupon_id": coupon_id, "payment_link_id": payment_link_id}
    if not await count_expired_uses(ctx.database, ctx.clock.now(), **target):
        return False
    await _expire_batch(ctx, EXPIRE_REDEMPTION_HOLDERS, **target)
    return True


async def _expire_batch(ctx: Context, statement: Statement, **target: str | None) -> list[Row]:
    async with ctx.database.transaction() as transaction:
        expired = await transaction.all(statement, **target, **_times(ctx))
        await release_uses(transaction, expired)
        await transaction.run_many(
            RECORD,
            [
                record_of(ctx, "charge.expired", row["id"], store_id=row["user_id"], environment=row["environment"])
                for row in expired
            ],
        )
    return expired


def _times(ctx: Context) -> dict[str, datetime]:
    return {"now": ctx.clock.now(), "check_at": ctx.real_clock.now() + CHECK_EXPIRED_AFTER}


async def expire_one(ctx: Context, transaction: Executor, charge_id: str, store_id: str) -> Row | None:
    """Expire one charge of the store, if it is overdue and not expired yet. The caller releases its uses."""
    audit = record_of(ctx, "charge.expired", charge_id, store_id=store_id)
    return await transaction.one(EXPIRE_ONE, charge_id=charge_id, **_times(ctx), **audit)


@operation("charges.expire", Permission.operate, scope=Scope.charges)
async def expire_pending_charge(ctx: Context, which: WhichCharge) -> ChargeView:
    """End a pending charge now. An expired charge stays as it is; a charge under review stays pending."""
    charge = await find_charge(ctx, which)
    if charge.status == ChargeStatus.pending:
        expired = await _expire_now(ctx, charge)
        if expired is not None:
            await cancel_expired_at_engine(ctx, [expired])
        # If nothing was written, a payment or another call came first.
        charge = await find_charge(ctx, WhichCharge(id=charge.id))
    if charge.status != ChargeStatus.expired:
        raise ChargeEnded(ENDED_MESSAGES[ChargeStatus(charge.status)])
    return charge


async def _expire_now(ctx: Context, charge: ChargeView) -> Row | None:
    times = _times(ctx)
    changes: dict[str, Any] = {
        "status": {"from": ChargeStatus.pending.value, "to": ChargeStatus.expired.value},
        "expires_at": {"from": charge.expires_at.isoformat(), "to": times["now"].isoformat()},
    }
    audit = record_of(ctx, "charge.expired", charge.id, changes=changes)
    async with ctx.database.transaction() as transaction:
        expired = await transaction.one(EXPIRE_NOW, **ctx.scope, charge_id=charge.id, **times, **audit)
        if expired is not None:
            await release_uses(transaction, [expired])
    return expired
