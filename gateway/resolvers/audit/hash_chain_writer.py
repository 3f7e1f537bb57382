"""Sealing: what was recorded is moved to where lists find it, and chained, store by store, a moment after it happened.

The worker seals every second; a reader seals its own store first, so that it sees all that was done. One lock makes all
of them take turns. A place in the chain is given here and not by the act, so a record whose transaction ends late comes
later in the chain than others that were made after it, and none is passed over.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CTE, ColumnElement, and_, bindparam, delete, literal_column, select, text
from sqlalchemy.dialects.postgresql import insert

from gateway.models.audit import audit_pending, audit_records, audit_seals
from gateway.models.database import Database, Row, Statement, Transaction, columns_of, unnest_rows
from gateway.resolvers.audit.audit_log import COLUMNS
from gateway.resolvers.audit.chain import hash_of
from gateway.resolvers.core.context import Context

BATCH = 1000
MOST_FOR_A_READER = 20
"""Batches that a reader waits for. Only where no worker has sealed for long is there more; the
newest it then doesn't see yet.
"""
_LOCK = 7_420_002

_P, _R, _S = audit_pending, audit_records, audit_seals
_columns = {name: column.label(name) for name, column in COLUMNS.items()}
_of_chain = _P.c.chain_id == bindparam("chain_id", type_=_P.c.chain_id.type)
# By the key, whose index forgets what has left: looking through the table, one would meet all that was
# sealed since it was tidied.
_in_order = select(_P.c.chain_id, *_columns.values()).order_by(_P.c.chain_id, _P.c.record_id)
_taken = _in_order.limit(bindparam("batch"))
_first = _in_order.with_only_columns(_P.c.record_id).limit(literal_column("1"))
ANYTHING = Statement(_first)
ANYTHING_OF = Statement(_first.where(_of_chain))
LOCK = Statement(text(f"select pg_advisory_xact_lock({_LOCK})"))
TAKE = Statement(_taken)
TAKE_OF = Statement(_taken.where(_of_chain))
HEADS = Statement(
    text("""
select chain.id as chain_id, head.position, head.hash
  from unnest(cast(:chains as uuid[])) as chain (id)
 cross join lateral (
    select position, hash from audit_seals s where s.chain_id = chain.id order by position desc limit 1
 ) head
""")
)


def _given(*names: str) -> tuple[CTE, ColumnElement[bool]]:
    """These columns of seals that are bound, and which of what waits each of them is of."""
    seals = unnest_rows("seal", {name: _S.c[name].type for name in names}, many=True)
    return seals, and_(_P.c.chain_id == seals.c.chain_id, _P.c.record_id == seals.c.record_id)


_seal, _its = _given(*_S.c.keys())
_moved = insert(_R).from_select(list(_columns), select(*_columns.values()).join_from(_P, _seal, _its))
# A row inserted by other software is there already.
SEAL = Statement(
    insert(_S)
    .from_select(list(_seal.c.keys()), select(*_seal.c))
    .inline()
    .add_cte(_moved.on_conflict_do_nothing().cte("moved"))
)
LET_GO = Statement(delete(_P).where(_given("chain_id", "record_id")[1]))


async def extend_chain(ctx: Context) -> None:
    """Seal all recorded rows, until a batch is not full."""
    if await ctx.database.value(ANYTHING) is not None:
        await seal_records(ctx.database)


async def seal_own_trail(ctx: Context) -> None:
    """Seal what was recorded of the caller's store, so that reading it shows all that was done."""
    if await ctx.database.value(ANYTHING_OF, chain_id=ctx.store_id) is not None:
        await seal_records(ctx.database, chain_id=ctx.store_id, most=MOST_FOR_A_READER)


async def seal_records(
    database: Database, *, chain_id: str | None = None, most: int | None = None, batch: int = BATCH
) -> int:
    """Seal all chains or one, in at most so many batches; how many records were sealed."""
    sealed, batches, full = 0, 0, True
    while full and (most is None or batches < most):
        async with database.transaction() as transaction:
            count = await _seal_batch(transaction, chain_id, batch)
        sealed, batches, full = sealed + count, batches + 1, count == batch
    return sealed


async def _seal_batch(transaction: Transaction, chain_id: str | None, batch: int) -> int:
    await transaction.run(LOCK)
    # A statement of its own, begun with the lock held: it sees all that the last holder sealed.
    taken = await transaction.all(TAKE if chain_id is None else TAKE_OF, chain_id=chain_id, batch=batch)
    if taken:
        chains = {row["chain_id"] for row in taken}
        heads = await transaction.all(HEADS, chains=sorted(chains))
        seals = columns_of(_seals(taken, heads), _S.c.keys(), "seal")
        await transaction.run(SEAL, **seals)
        await transaction.run(LET_GO, **seals)
    return len(taken)


def _seals(taken: Sequence[Row], heads: Sequence[Row]) -> list[dict[str, Any]]:
    """The seals of these records, in their order, each chain going on from its head."""
    ends: dict[str, tuple[int, bytes | None]] = {row["chain_id"]: (row["position"], row["hash"]) for row in heads}
    seals = []
    for row in taken:
        chain_id = row["chain_id"]
        last, prev_hash = ends.get(chain_id, (0, None))
        position, made = last + 1, hash_of(prev_hash, last + 1, row)
        place = {"chain_id": chain_id, "position": position, "record_id": row["id"]}
        seals.append({**place, "prev_hash": prev_hash, "hash": made})
        ends[chain_id] = position, made
    return seals
