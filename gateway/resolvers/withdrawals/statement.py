"""A store's statement: what moved the balance that `GET /withdrawals/summary` shows as available, newest first.

It is computed backwards from the present balance. A cursor carries the balance at its position, so that a page reads
its own entries only.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, cast

from msgspec import Struct
from sqlalchemy import BigInteger, column, func, literal_column, select, text
from sqlalchemy import cast as sql_cast

from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_zone
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page, View
from gateway.resolvers.receiving.accounts import find_store_account
from gateway.resolvers.withdrawals.balance import ON_ACCOUNT, is_self_payout, read_balance
from gateway.resolvers.withdrawals.statement_types import (
    KINDS,
    Position,
    StatementEntryKind,
    StatementEntryView,
    StatementParams,
)
from gateway.values.dates import day_of
from gateway.values.ids import LAST_ID

_FIRST, _LAST = datetime(1901, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


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
        # As in ix_charges_paid_at, so that the index is used. A paid charge has paid_at.
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


_page_sql = (
    f"select * from ({' union all '.join(_page(*each) for each in _SOURCES.items())}) as entries "  # noqa: S608  # As above.
    "order by at desc, rank desc, id desc limit :limit"
)
_later_sql = (
    f"select coalesce(sum(amount), 0)::bigint from ({' union all '.join(map(_later, _SOURCES.values()))}) as later"  # noqa: S608  # As above.
)
PAGE = Statement(text(_page_sql))
"""The entries before a position, in the index of each source."""
LATER = Statement(text(_later_sql))
"""The sum of all entries after `:until`."""
_entries = text(_page_sql).columns(*map(column, ("id", "rank", "at", "amount"))).subquery("entries")
_newest_first = (_entries.c.at.desc(), _entries.c.rank.desc(), _entries.c.id.desc())
_newer = func.coalesce(func.sum(_entries.c.amount).over(order_by=_newest_first, rows=(None, -1)), literal_column("0"))
_later_amount = text(_later_sql).columns(column("amount")).scalar_subquery()
EXPORT = Statement(
    select(
        *_entries.c, sql_cast(ON_ACCOUNT.scalar_subquery() - _later_amount - _newer, BigInteger).label("balance")
    ).order_by(*_newest_first)
)
"""All entries until `:until`, with the balance after each, in one snapshot."""
ONE_SNAPSHOT = Statement(text("set transaction isolation level repeatable read"))


@operation("withdrawals.statement", Permission.read)
async def read_statement(ctx: Context, params: StatementParams) -> Page[StatementEntryView]:
    """Read what moved the store's balance, newest first."""
    after = None if not params.after else Position.read(params.after)
    async with ctx.database.transaction() as transaction:
        await transaction.run(ONE_SNAPSHOT)
        scope = await _scope(ctx, transaction)
        if scope is None:
            return _page_of([], params.limit, 0)
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


EXPORTED = ExportTable.of("extrato", StatementEntryView)


@operation("withdrawals.export_statement", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_statement(ctx: Context, params: StatementParams) -> Export:
    """Export the statement of the period, newest first."""
    await record(ctx, ctx.database, "statement.exported", None)
    zone = export_zone(params)
    return Export(
        f"{EXPORTED.name}-{day_of(ctx.clock.now(), zone)}",
        EXPORTED.columns,
        EXPORTED.money,
        _export(ctx, params, await _scope(ctx, ctx.database)),
        zone,
    )


async def _export(
    ctx: Context, params: StatementParams, scope: Mapping[str, Any] | None
) -> AsyncGenerator[Mapping[str, Any], None]:
    if scope is None:
        return
    since, until = params.from_ or _FIRST, params.to or _LAST
    position = {"since": since, "until": until, "rank": len(KINDS), "after_id": LAST_ID, "limit": None}
    async with aclosing(ctx.database.stream(EXPORT, **scope, **position)) as rows:
        async for row in rows:
            yield vars(_entry(row, row["balance"]))


async def _scope(ctx: Context, executor: Executor) -> dict[str, Any] | None:
    """The bound values of the store's account; None if it has to have one of its own, and has none."""
    if not is_self_payout(ctx.settings.receiving_mode):
        return ctx.scope | {"account": None}
    own = await find_store_account(ctx, ctx.store_id, ctx.environment, executor)
    return None if own is None else ctx.scope | {"account": own.id}


async def _newest(ctx: Context, executor: Executor, scope: Mapping[str, Any], to: datetime | None) -> Position:
    """The position before the newest entry until `to`."""
    balance = await read_balance(executor, ctx.store_id, ctx.environment, scope["account"])
    later = 0 if to is None else await executor.value(LATER, **scope, until=to)
    return Position(to or _LAST, len(KINDS), LAST_ID, balance.on_account - later)


def _page_of(rows: list[Row], limit: int, balance: int) -> Page[StatementEntryView]:
    entries = []
    for row in rows[:limit]:
        entries.append(_entry(row, balance))
        balance -= row["amount"]
    return Page(entries, limit, has_next=len(rows) > limit, cursor=_cursor)


def _entry(row: Row, balance: int) -> StatementEntryView:
    kind = KINDS[row["rank"]]
    return StatementEntryView.of(
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


def _cursor(entry: View) -> str:
    return Position.of(cast("StatementEntryView", entry)).cursor()
