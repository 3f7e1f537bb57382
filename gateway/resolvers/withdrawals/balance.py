"""A store's balance: what it received, what was paid out, and what is being paid out.

One statement reads it, so it is consistent: the sums of paid charges less their refunds, the ledger entries not added
to them yet, the store's withdrawals, its refunds in flight, and its repayments.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Table,
    bindparam,
    case,
    cast,
    delete,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert

from gateway.models.balances import balance_entries, store_balances
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement, Transaction
from gateway.models.refunds import REFUND_IN_FLIGHT, refunds
from gateway.models.repayments import RepaymentStatus, repayments
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.store_rows import of_store
from gateway.settings import ReceivingMode

BATCH_SIZE = 5000

_S, _E, _W, _R = store_balances, balance_entries, withdrawals, repayments
_zero: ColumnElement[int] = literal_column("0", BigInteger())


def _lines(
    table: Table, kind: ColumnElement[Any], *, account: ColumnElement[Any], gross: ColumnElement[Any], **more: Any
) -> Select[Any]:
    return select(
        kind.label("kind"),
        account.label("account"),
        gross.label("gross"),
        more.get("fee", _zero).label("fee"),
        more.get("count", _zero).label("count"),
    ).where(*of_store(table))


def _received(table: Table) -> Select[Any]:
    return _lines(
        table,
        literal_column("'received'"),
        account=table.c.receiving_account_id,
        gross=table.c.gross,
        fee=table.c.fee,
        count=cast(table.c.charges, BigInteger),
    )


_withdrawn = _lines(
    _W,
    func.concat("withdrawal_", _W.c.status),
    account=_W.c.receiving_account_id,
    gross=_W.c.amount,
    count=literal_column("1", BigInteger()),
).where(_W.c.status.in_([*IN_FLIGHT, WithdrawalStatus.completed.value]))
# A refunded charge no longer counts as received, so after its deduction it does not count as repaid either.
_repaid = _lines(
    _R,
    func.concat("repayment_", _R.c.status),
    account=cast(literal_column("null"), _W.c.id.type),
    gross=_R.c.gross - _R.c.deducted_gross,
).where(_R.c.status != RepaymentStatus.discarded.value)
_refunding = _lines(
    refunds, literal_column("'refund'"), account=refunds.c.receiving_account_id, gross=refunds.c.amount
).where(refunds.c.status.in_(REFUND_IN_FLIGHT))
_all = union_all(_received(_S), _received(_E), _withdrawn, _refunding, _repaid).subquery("lines")
BALANCE = Statement(
    select(
        _all.c.kind,
        _all.c.account,
        *(cast(func.sum(_all.c[name]), BigInteger).label(name) for name in ("gross", "fee", "count")),
    ).group_by(_all.c.kind, _all.c.account)
)
ON_ACCOUNT = select(
    func.coalesce(
        func.sum(case((_all.c.kind == literal_column("'received'"), _all.c.gross - _all.c.fee), else_=-_all.c.gross)), 0
    )
).where(_all.c.account.is_not_distinct_from(bindparam("account")))
"""`Balance.on_account`, for statements that need it."""

_KEY = ("user_id", "environment", "receiving_account_id")
_SUMS = ("gross", "fee", "charges")
_oldest = select(_E.c.id).order_by(_E.c.id).limit(BATCH_SIZE).with_for_update(skip_locked=True)
_taken = delete(_E).where(_E.c.id.in_(_oldest)).returning(*(_E.c[name] for name in (*_KEY, *_SUMS))).cte("taken")
_key = [_taken.c[name] for name in _KEY]
_summed = (
    select(*_key, *(cast(func.sum(_taken.c[name]), BigInteger).label(name) for name in _SUMS))
    .group_by(*_key)
    .order_by(*_key)  # Avoids deadlocks between workers.
)
_inserted = insert(_S).from_select([*_KEY, *_SUMS], _summed)
_added = _inserted.on_conflict_do_update(
    constraint="uq_store_balances_user_id", set_={name: _S.c[name] + _inserted.excluded[name] for name in _SUMS}
).returning(_S.c.id)
ROLL_UP = Statement(select(func.count()).select_from(_taken).add_cte(_added.cte("added")))


class Balance(Struct, frozen=True):
    """A store's balance in one environment, in centavos. `on_account`: what is left on the requested account; without
    one, on the service's main account.
    """

    gross: int
    fee: int
    charges: int
    withdrawn: int
    leaving: int
    withdrawals: int
    on_account: int

    @property
    def net(self) -> int:
        return self.gross - self.fee


_DONE = {f"withdrawal_{WithdrawalStatus.completed}", f"repayment_{RepaymentStatus.done}"}


async def lock_balance(transaction: Transaction, store_id: str, environment: Environment | str) -> None:
    """Lock a store's balance until the end of the transaction, so that two orders cannot spend the same money."""
    await transaction.lock(f"withdrawal {environment} {store_id}")


async def read_balance(
    executor: Executor, store_id: str, environment: Environment | str, account_id: str | None
) -> Balance:
    """Read the balance. `account_id` is our id of the receiving account that `on_account` is about."""
    lines = await executor.all(BALANCE, user_id=store_id, environment=environment)
    received = [line for line in lines if line["kind"] == "received"]
    done = [line for line in lines if line["kind"] in _DONE]
    leaving = [line for line in lines if line["kind"] != "received" and line["kind"] not in _DONE]
    received_net = sum(line["gross"] - line["fee"] for line in received if line["account"] == account_id)
    paid_out = sum(line["gross"] for line in done + leaving if line["account"] == account_id)
    return Balance(
        gross=_sum(received, "gross"),
        fee=_sum(received, "fee"),
        charges=_sum(received, "count"),
        withdrawn=_sum(done, "gross"),
        leaving=_sum(leaving, "gross"),
        withdrawals=_sum(done, "count"),
        on_account=received_net - paid_out,
    )


def _sum(lines: Iterable[Row], name: str) -> int:
    return sum(line[name] for line in lines)


async def roll_up_balances(ctx: Context) -> int:
    """Add ledger entries to the sums, batch by batch. Returns how many. Workers may run concurrently."""
    total, last = 0, BATCH_SIZE
    while last == BATCH_SIZE:
        last = await ctx.database.value(ROLL_UP)
        total += last
    return total


def is_self_payout(mode: ReceivingMode) -> bool:
    """Whether merchants withdraw their money themselves."""
    return mode is ReceivingMode.subconta
