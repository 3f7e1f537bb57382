"""A store's balance: what came in, what has left, what is leaving.

One statement reads it all, so that it is of one moment: the sums of paid charges with the entries that aren't folded
into them yet, the store's withdrawals, and its repayments. Nothing here adds charges up.
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
    cast,
    func,
    literal_column,
    select,
    union_all,
)

from gateway.models.balances import balance_entries, store_balances
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.repayments import RepaymentStatus, repayments
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.settings import ReceivingMode

_S, _E, _W, _R = store_balances, balance_entries, withdrawals, repayments
_nought: ColumnElement[int] = literal_column("0", BigInteger())


def _lines(
    table: Table, kind: ColumnElement[Any], *, account: ColumnElement[Any], gross: ColumnElement[Any], **more: Any
) -> Select[Any]:
    return select(
        kind.label("kind"),
        account.label("account"),
        gross.label("gross"),
        more.get("fee", _nought).label("fee"),
        more.get("count", _nought).label("count"),
    ).where(
        table.c.user_id == bindparam("user_id", type_=table.c.user_id.type),
        table.c.environment == bindparam("environment", type_=table.c.environment.type),
    )


def _kind(name: str) -> ColumnElement[str]:
    return literal_column(f"'{name}'")


def _received(table: Table) -> Select[Any]:
    columns = table.c
    given: dict[str, Any] = {"account": columns.receiving_account_id, "gross": columns.gross, "fee": columns.fee}
    return _lines(table, _kind("received"), **given, count=cast(columns.charges, BigInteger))


_sent = _lines(
    _W,
    func.concat("withdrawal_", _W.c.status),
    account=_W.c.receiving_account_id,
    gross=_W.c.amount,
    count=literal_column("1", BigInteger()),
).where(_W.c.status.in_([*IN_FLIGHT, WithdrawalStatus.completed.value]))
# A charge that was given back no longer counts as received: once deducted, it doesn't count as repaid either.
_repaid = _lines(
    _R,
    func.concat("repayment_", _R.c.status),
    account=cast(literal_column("null"), _W.c.id.type),
    gross=_R.c.gross - _R.c.deducted_gross,
).where(_R.c.status != RepaymentStatus.discarded.value)
_all = union_all(_received(_S), _received(_E), _sent, _repaid).subquery("lines")
LINES = Statement(
    select(
        _all.c.kind,
        _all.c.account,
        *(cast(func.sum(_all.c[name]), BigInteger).label(name) for name in ("gross", "fee", "count")),
    ).group_by(_all.c.kind, _all.c.account)
)


class Balance(Struct, frozen=True):
    """A store's balance in one environment, in centavos. `on_account` is what of it came in on the account asked about,
    less what has left it or is leaving it; without an account, the same of the service's main account.
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


async def read_balance(
    executor: Executor, store_id: str, environment: Environment | str, account_id: str | None
) -> Balance:
    """The balance as of now. `account_id` is the receiving account (ours, not the
    engine's) that `on_account` is about.
    """
    return balance_of(await executor.all(LINES, user_id=store_id, environment=environment), account_id)


def balance_of(lines: Iterable[Row], account_id: str | None) -> Balance:
    """The balance that the `LINES` make."""
    known = list(lines)
    received = [line for line in known if line["kind"] == "received"]
    gone = [line for line in known if line["kind"] in _DONE]
    leaving = [line for line in known if line["kind"] != "received" and line["kind"] not in _DONE]
    came = sum(line["gross"] - line["fee"] for line in received if line["account"] == account_id)
    went = sum(line["gross"] for line in gone + leaving if line["account"] == account_id)
    return Balance(
        gross=_sum(received, "gross"),
        fee=_sum(received, "fee"),
        charges=_sum(received, "count"),
        withdrawn=_sum(gone, "gross"),
        leaving=_sum(leaving, "gross"),
        withdrawals=_sum(gone, "count"),
        on_account=came - went,
    )


def _sum(lines: Iterable[Row], name: str) -> int:
    return sum(line[name] for line in lines)


def pays_by_itself(mode: ReceivingMode) -> bool:
    """Whether merchants take their money out themselves."""
    return mode is ReceivingMode.subconta
