"""Verify the hash chain: recompute the hash of every record, and check its link to the entry before it.

Pages are read by record id, so memory is constant and statements are short. Entries without a record are found, and
records without an entry, too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import and_, bindparam, exists, literal_column, null, select, text

from gateway.models.audit import NO_STORE, audit_chain, audit_pending, audit_records, chain_of
from gateway.models.database import Database, Statement
from gateway.resolvers.audit.chain import FIELDS, hash_of
from gateway.resolvers.audit.hash_chain_writer import chain_records
from gateway.values.ids import FIRST_ID, LAST_ID

PAGE = 5000
"""The smallest and the greatest id."""

_R, _C, _P = audit_records, audit_chain, audit_pending
_before = audit_chain.alias("before")
_after = bindparam("after", type_=_C.c.record_id.type)
ENTRIES = Statement(
    select(
        *(_R.c[name] for name in FIELDS),
        *(_C.c.chain_id, _C.c.position, _C.c.record_id, _C.c.prev_hash, _C.c.hash),
        _before.c.hash.label("hash_before"),
    )
    .select_from(
        _C.outerjoin(_R, _R.c.id == _C.c.record_id).outerjoin(
            _before, and_(_before.c.chain_id == _C.c.chain_id, _before.c.position == _C.c.position - 1)
        )
    )
    .where(_C.c.record_id > _after)
    .order_by(_C.c.record_id)
    .limit(bindparam("page"))
)
UNCHAINED = Statement(
    select(_R.c.id, _R.c.store_id)
    .where(
        _R.c.id > _after,
        _R.c.id <= bindparam("until"),
        ~exists(select(null()).where(_C.c.record_id == _R.c.id)),
        ~exists(select(null()).where(_P.c.chain_id == chain_of, _P.c.record_id == _R.c.id)),
    )
    .order_by(_R.c.id)
    .limit(literal_column("1"))
)
RECENT = Statement(
    select(_C.c.record_id).order_by(_C.c.record_id.desc()).offset(bindparam("newest")).limit(literal_column("1"))
)
CHAIN_HEADS = Statement(
    text(f"""
select head.chain_id, head.position, encode(head.hash, 'hex') as hash
  from (select id from users union all select '{NO_STORE}') as chain (id)
 cross join lateral (
    select chain_id, position, hash from audit_chain entry where entry.chain_id = chain.id order by position desc limit 1
 ) head
 order by head.chain_id
""")  # noqa: S608  # A constant of our own.
)
AT = Statement(
    text("""
select anchor.chain_id, anchor.position
  from unnest(cast(:chains as uuid[]), cast(:positions as bigint[]), cast(:hashes as text[]))
       as anchor (chain_id, position, hash)
  left join audit_chain s on s.chain_id = anchor.chain_id and s.position = anchor.position
 where encode(s.hash, 'hex') is distinct from anchor.hash
 order by anchor.chain_id limit 1
""")
)


class ChainError(Struct, frozen=True):
    """The first record, by id, that the chain disproves."""

    record_id: str
    chain_id: str
    reason: str


class Verification(Struct, frozen=True):
    """The number of verified chain entries; `error` is None if all are valid."""

    entries: int
    error: ChainError | None


class Anchor(Struct, frozen=True):
    """The newest entry of a chain, as stored outside the database."""

    chain_id: str
    position: int
    hash: str


async def verify(database: Database, *, newest: int | None = None, page: int = PAGE) -> Verification:
    """Verify the whole trail, or its `newest` entries."""
    after = FIRST_ID if newest is None else await database.value(RECENT, newest=newest) or FIRST_ID
    count = 0
    while after != LAST_ID:
        entries = await database.all(ENTRIES, after=after, page=page)
        until = entries[-1]["record_id"] if len(entries) == page else LAST_ID
        error = await _first_error(database, entries, after, until)
        count += len(entries)
        if error is not None:
            return Verification(count, error)
        after = until
    return Verification(count, None)


async def anchors(database: Database) -> list[Anchor]:
    """The newest entry of every chain, after pending records are appended."""
    await chain_records(database)
    return [Anchor(row["chain_id"], row["position"], row["hash"]) for row in await database.all(CHAIN_HEADS)]


async def first_broken(database: Database, stored: Sequence[Anchor]) -> Anchor | None:
    """The first of these anchors that the chain no longer contains."""
    row = await database.one(
        AT,
        chains=[anchor.chain_id for anchor in stored],
        positions=[anchor.position for anchor in stored],
        hashes=[anchor.hash for anchor in stored],
    )
    if row is None:
        return None
    return next(a for a in stored if (a.chain_id, a.position) == (row["chain_id"], row["position"]))


async def _first_error(
    database: Database, entries: Sequence[Mapping[str, Any]], after: str, until: str
) -> ChainError | None:
    """The error with the smallest id among these entries and the records in the same range of ids."""
    errors = [
        ChainError(entry["record_id"], entry["chain_id"], reason)
        for entry in entries
        if (reason := _error_of(entry)) is not None
    ]
    unchained = await database.one(UNCHAINED, after=after, until=until)
    if unchained is not None:
        errors.append(ChainError(unchained["id"], unchained["store_id"] or NO_STORE, "is neither chained nor pending"))
    return min(errors, key=lambda error: error.record_id, default=None)


def _error_of(entry: Mapping[str, Any]) -> str | None:
    if entry["id"] is None:
        return "is gone"
    if entry["chain_id"] != (entry["store_id"] or NO_STORE):
        return "is in another store's chain"
    if entry["hash"] != hash_of(entry["prev_hash"], entry["position"], entry):
        return "was changed"
    if entry["prev_hash"] != entry["hash_before"]:
        return "doesn't follow the record before it" if entry["hash_before"] else "follows a record that is gone"
    if (entry["position"] == 1) != (entry["prev_hash"] is None):
        return "doesn't follow the record before it"
    return None
