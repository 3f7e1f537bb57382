"""A store's statement: what moved the balance that `GET /withdrawals/summary` shows as available, newest first.

It is computed backwards from the present balance. A cursor carries the balance at its position, so that a page reads
its own entries only.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page, View
from gateway.resolvers.receiving.accounts import find_store_account
from gateway.resolvers.withdrawals.balance import is_self_payout, read_balance
from gateway.resolvers.withdrawals.statement_types import (
    KINDS,
    Position,
    StatementEntryKind,
    StatementEntryView,
    StatementParams,
)

_FIRST, _LAST = datetime(1901, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
_LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"


class _Source(Struct, frozen=True):
    """The rows of one kind of entries, as SQL."""

    table: str
    at: str
    amount: str
    condition: str


_REFUNDED_BY_OTHERS = (
    "(fee_amount - amount + (select coalesce(sum(r.amount), 0)::bigint from refunds r "
    "where r.charge_id = charges.id and r.status = 'completed'))"
)
"""What the end of a charge moves: the store's own refunds are entries of their own, and the fee comes back."""
_SOURCES = {
    StatementEntryKind.charge_paid: _Source(
        "charges",
        "coalesce(paid_at, timezone('UTC', timezone('UTC', created_at) - interval '720000 days'))",
        "amount - fee_amount",
        "status in ('paid', 'refunded') and receiving_account_id is not distinct from :account",
    ),
    StatementEntryKind.charge_refunded: _Source(
        "charges",
        "refunded_at",
        _REFUNDED_BY_OTHERS,
        f"refunded_at is not null and {_REFUNDED_BY_OTHERS} <> 0 and receiving_account_id is not distinct from :account",
    ),
    StatementEntryKind.refund: _Source(
        "refunds", "created_at", "- amount", "receiving_account_id is not distinct from :account"
    ),
    StatementEntryKind.refund_rejected: _Source(
        "refunds",
        "rejected_at",
        "amount",
        "status = 'rejected' and receiving_account_id is not distinct from :account",
    ),
    StatementEntryKind.withdrawal: _Source(
        "withdrawals",
        "created_at",
        "- amount",
        "status <> 'canceled' and receiving_account_id is not distinct from :account",
    ),
    StatementEntryKind.withdrawal_rejected: _Source(
        "withdrawals",
        "rejected_at",
        "amount",
        "status = 'rejected' and receiving_account_id is not distinct from :account",
    ),
    # Repayments are paid from the service's main account.
    StatementEntryKind.repayment: _Source(
        "repayments",
        "created_at",
        "deducted_gross - gross",
        "status <> 'discarded' and cast(:account as uuid) is null",
    ),
}
_OF_STORE = "user_id = :user_id and environment = :environment"


def _page(kind: StatementEntryKind, source: _Source) -> str:
    rank = KINDS.index(kind)
    return f"""(
select id, {rank} as rank, {source.at} as at, {source.amount} as amount
  from {source.table}
 where {_OF_STORE} and {source.condition}
   and {source.at} between :since and :until and ({source.at}, {rank}, id) < (:until, :rank, :after_id)
 order by {source.at} desc, id desc
 limit :limit)"""  # noqa: S608  # The parts are constants of this module.


def _later(source: _Source) -> str:
    return (
        f"select sum({source.amount}) as amount from {source.table} "  # noqa: S608  # As above.
        f"where {_OF_STORE} and {source.condition} and {source.at} > :until"
    )


PAGE = Statement(
    text(
        f"select * from ({' union all '.join(_page(*each) for each in _SOURCES.items())}) as entries "  # noqa: S608  # As above.
        "order by at desc, rank desc, id desc limit :limit"
    )
)
"""The entries before a position, in the index of each source."""
LATER = Statement(
    text(
        f"select coalesce(sum(amount), 0)::bigint from ({' union all '.join(map(_later, _SOURCES.values()))}) as later"  # noqa: S608  # As above.
    )
)
"""The sum of all entries after `:until`."""
ONE_SNAPSHOT = Statement(text("set transaction isolation level repeatable read"))


@operation("withdrawals.statement", Permission.read)
async def read_statement(ctx: Context, params: StatementParams) -> Page[StatementEntryView]:
    """Read what moved the store's balance, newest first."""
    after = None if not params.after else Position.read(params.after)
    async with ctx.database.transaction() as transaction:
        await transaction.run(ONE_SNAPSHOT)
        account_id: str | None = None
        if is_self_payout(ctx.settings.receiving_mode):
            own = await find_store_account(ctx, ctx.store_id, ctx.environment, transaction)
            if own is None:
                return _page_of([], params.limit, 0)
            account_id = own.id
        scope = {"user_id": ctx.store_id, "environment": ctx.environment, "account": account_id}
        start = after or await _newest(ctx, transaction, scope, params.to)
        rows = await transaction.all(
            PAGE,
            **scope,
            since=params.from_ or _FIRST,
            until=start.at,
            rank=start.rank,
            after_id=start.id,
            limit=params.limit + 1,
        )
    return _page_of(rows, params.limit, start.balance)


async def _newest(ctx: Context, executor: Executor, scope: Mapping[str, Any], to: datetime | None) -> Position:
    """The position before the newest entry until `to`."""
    balance = await read_balance(executor, ctx.store_id, ctx.environment, scope["account"])
    later = 0 if to is None else await executor.value(LATER, **scope, until=to)
    return Position(to or _LAST, len(KINDS), _LAST_ID, balance.on_account - later)


def _page_of(rows: list[Row], limit: int, balance: int) -> Page[StatementEntryView]:
    entries = []
    for row in rows[:limit]:
        kind = KINDS[row["rank"]]
        entries.append(
            StatementEntryView.of(
                {
                    "at": row["at"],
                    "kind": kind,
                    "amount": row["amount"],
                    "balance_after": balance,
                    "charge_id": row["id"] if kind.name.startswith("charge") else None,
                    "refund_id": row["id"] if kind.name.startswith("refund") else None,
                    "withdrawal_id": row["id"] if kind.name.startswith("withdrawal") else None,
                    "repayment_id": row["id"] if kind is StatementEntryKind.repayment else None,
                }
            )
        )
        balance -= row["amount"]
    return Page(entries, limit, has_next=len(rows) > limit, cursor=_cursor)


def _cursor(entry: View) -> str:
    return Position.of(cast("StatementEntryView", entry)).cursor()
