"""Move pending audit records to `audit_records`, and append them to the hash chain of their store.

The worker does so every second. Reading the trail does so first for its own store, so that it shows all actions. An
advisory lock allows one writer. Positions are assigned here, in the order of commit, so a record of a long transaction
is appended late, and none is skipped.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CTE, ColumnElement, and_, bindparam, delete, literal_column, select, text
from sqlalchemy.dialects.postgresql import insert

from gateway.models.audit import audit_chain, audit_pending, audit_records
from gateway.models.database import Database, Row, Statement, Transaction, columns_of, unnest_rows
from gateway.resolvers.audit.audit_log import COLUMNS
from gateway.resolvers.audit.chain import hash_of
from gateway.resolvers.core.context import Context

BATCH = 1000
MAX_BATCHES_FOR_READER = 20
"""More are pending only if no worker has run for long. The reader then misses the newest records."""

_P, _R, _C = audit_pending, audit_records, audit_chain
_columns = {name: column.label(name) for name, column in COLUMNS.items()}
_of_chain = _P.c.chain_id == bindparam("chain_id")
# In key order: unlike a table scan, an index scan skips the dead rows of records that have been moved.
_in_order = select(_P.c.chain_id, *_columns.values()).order_by(_P.c.chain_id, _P.c.record_id)
_batch = _in_order.limit(bindparam("batch"))
_first = _in_order.with_only_columns(_P.c.record_id).limit(literal_column("1"))
PENDING = Statement(_first)
PENDING_OF = Statement(_first.where(_of_chain))
FETCH_BATCH = Statement(_batch)
FETCH_BATCH_OF_CHAIN = Statement(_batch.where(_of_chain))
CHAIN_HEADS = Statement(
    text("""
select chain.id as chain_id, head.position, head.hash
  from unnest(cast(:chains as uuid[])) as chain (id)
 cross join lateral (
    select position, hash from audit_chain entry where entry.chain_id = chain.id order by position desc limit 1
 ) head
""")
)


def _bound_entries(*names: str) -> tuple[CTE, ColumnElement[bool]]:
    """A CTE of the bound columns of chain entries, and its join with the pending records."""
    entries = unnest_rows("chain", {name: _C.c[name].type for name in names}, many=True)
    return entries, and_(_P.c.chain_id == entries.c.chain_id, _P.c.record_id == entries.c.record_id)


_entries, _of_record = _bound_entries(*_C.c.keys())
_moved = insert(_R).from_select(list(_columns), select(*_columns.values()).join_from(_P, _entries, _of_record))
# A record inserted by other software is in the table already.
APPEND = Statement(
    insert(_C)
    .from_select(list(_entries.c.keys()), select(*_entries.c))
    .inline()
    .add_cte(_moved.on_conflict_do_nothing().cte("moved"))
)
DELETE_PENDING = Statement(delete(_P).where(_bound_entries("chain_id", "record_id")[1]))


async def extend_chain(ctx: Context) -> None:
    """Append all pending records to their chains."""
    if await ctx.database.value(PENDING) is not None:
        await chain_records(ctx.database)


async def chain_own_records(ctx: Context) -> None:
    """Append the pending records of the caller's store, so that the trail shows all actions."""
    if await ctx.database.value(PENDING_OF, chain_id=ctx.store_id) is not None:
        await chain_records(ctx.database, chain_id=ctx.store_id, max_batches=MAX_BATCHES_FOR_READER)


async def chain_records(
    database: Database, *, chain_id: str | None = None, max_batches: int | None = None, batch: int = BATCH
) -> int:
    """Append pending records, of all chains or one, until a batch isn't full. Returns how many."""
    chained, batches, full = 0, 0, True
    while full and (max_batches is None or batches < max_batches):
        async with database.transaction() as transaction:
            count = await _chain_batch(transaction, chain_id, batch)
        chained, batches, full = chained + count, batches + 1, count == batch
    return chained


async def _chain_batch(transaction: Transaction, chain_id: str | None, batch: int) -> int:
    await transaction.lock("audit hash chain")
    # A new statement after the lock, so that it sees what the previous writer committed.
    records = await transaction.all(
        FETCH_BATCH if chain_id is None else FETCH_BATCH_OF_CHAIN, chain_id=chain_id, batch=batch
    )
    if records:
        chains = {row["chain_id"] for row in records}
        heads = await transaction.all(CHAIN_HEADS, chains=sorted(chains))
        entries = columns_of(_chain_entries(records, heads), _C.c.keys(), "chain")
        await transaction.run(APPEND, **entries)
        await transaction.run(DELETE_PENDING, **entries)
    return len(records)


def _chain_entries(records: Sequence[Row], heads: Sequence[Row]) -> list[dict[str, Any]]:
    """The chain entries of these records, in their order. Each chain continues from its head."""
    ends: dict[str, tuple[int, bytes | None]] = {row["chain_id"]: (row["position"], row["hash"]) for row in heads}
    entries = []
    for row in records:
        chain_id = row["chain_id"]
        last, prev_hash = ends.get(chain_id, (0, None))
        position = last + 1
        digest = hash_of(prev_hash, position, row)
        entry = {"chain_id": chain_id, "position": position, "record_id": row["id"]}
        entries.append({**entry, "prev_hash": prev_hash, "hash": digest})
        ends[chain_id] = position, digest
    return entries
