"""Phase 1 of billing: insert the issuances of a page of cycles, each cycle once (ADR 0005, ADR 0019)."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, FromClause, bindparam, exists, not_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert

from gateway.models.charges import charges, issuances
from gateway.models.database import Statement, Transaction, columns_of, synchronous_commit_off, unnest_rows

_I, _C = issuances, charges
NEXT_ATTEMPTS = (_I.c.attempts + 1) % 30000
"""What a run that takes over an issuance sets, within a smallint. Other runs of the issuance then write nothing."""
# As for a single charge (gateway.resolvers.charges.reserve).
_commit = synchronous_commit_off(not_(bindparam("durable", type_=Boolean())))
_CYCLE_COLUMNS = (
    *("charge_id", "txid", "user_id", "amount", "subscription_id", "billing_cycle"),
    *("receiving_account_id", "fee_amount"),
)
_PAGE_COLUMNS = ("environment", "engine", "next_attempt_at", "created_at")
"""Equal for all cycles of a page, so bound once: an array of 500 equal values costs as much as 500 different ones."""
_cycles = unnest_rows("cycle", {name: _I.c[name].type for name in _CYCLE_COLUMNS})


def is_charged(cycle: FromClause) -> ColumnElement[bool]:
    """Whether a `subscription_id` has a charge of its `billing_cycle`."""
    return exists().where(_C.c.subscription_id == cycle.c.subscription_id, _C.c.billing_cycle == cycle.c.billing_cycle)


def _insert_cycle_issuances() -> ReturningInsert[Any]:
    values: dict[str, Any] = {name: _cycles.c[name] for name in _CYCLE_COLUMNS}
    values |= {name: bindparam(f"page_{name}", type_=_I.c[name].type) for name in _PAGE_COLUMNS}
    return (
        insert(_I)
        # Always in the same order, so that two runners cannot deadlock.
        .from_select(
            list(values),
            select(*values.values())
            .select_from(_cycles, _commit)
            .where(~is_charged(_cycles))
            .order_by(_cycles.c.subscription_id, _cycles.c.billing_cycle),
        )
        .on_conflict_do_nothing(
            index_elements=["subscription_id", "billing_cycle"], index_where=_I.c.subscription_id.is_not(None)
        )
        .returning(_I.c.charge_id)
    )


RESERVE_CYCLES = Statement(_insert_cycle_issuances)
"""Insert the issuances of many cycles, each cycle once. Cycles that are charged or in progress are left out."""
CHARGED_CYCLES = Statement(select(_cycles.c.charge_id).where(is_charged(_cycles)))


async def reserve_cycles(
    transaction: Transaction, rows: Sequence[Mapping[str, Any]], *, durable: bool
) -> dict[str, bool | None]:
    """Insert the issuances of subscriptions' cycles (`issuance_row`), all of one environment. The transaction has
    locked the subscriptions. For each `charge_id`: True if reserved, False if the cycle is charged already, None if
    another transaction is charging it.
    """
    shared = {f"page_{name}": rows[0][name] for name in _PAGE_COLUMNS} | {"durable": durable}
    reserved = await transaction.all(RESERVE_CYCLES, **columns_of(rows, _CYCLE_COLUMNS, "cycle"), **shared)
    outcome: dict[str, bool | None] = dict.fromkeys((row["charge_id"] for row in rows), None)
    outcome |= dict.fromkeys((row["charge_id"] for row in reserved), True)
    if len(reserved) < len(rows):
        rest = [row for row in rows if not outcome[row["charge_id"]]]
        charged = await transaction.all(CHARGED_CYCLES, **columns_of(rest, _CYCLE_COLUMNS, "cycle"))
        outcome |= dict.fromkeys((row["charge_id"] for row in charged), False)
    return outcome
