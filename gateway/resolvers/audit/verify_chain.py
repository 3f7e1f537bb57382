"""Verifying the chain: every seal is made again from its record, and leads back to the seal before it.

Everything is read in pages by id, so memory is constant and no statement is long. A page of seals is compared with the
records of the same ids, whichever of the two is missing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import and_, bindparam, exists, literal_column, null, select, text

from gateway.models.audit import NO_STORE, audit_pending, audit_records, audit_seals, chain_of
from gateway.models.database import Database, Statement
from gateway.resolvers.audit.chain import FIELDS, hash_of
from gateway.resolvers.audit.hash_chain_writer import seal_records

PAGE = 5000
_FIRST, _LAST = NO_STORE, "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""No id is smaller, and none is greater."""

_R, _S, _P = audit_records, audit_seals, audit_pending
_before = audit_seals.alias("before")
_after = bindparam("after", type_=_S.c.record_id.type)
SEALS = Statement(
    select(
        *(_R.c[name] for name in FIELDS),
        *(_S.c.chain_id, _S.c.position, _S.c.record_id, _S.c.prev_hash, _S.c.hash),
        _before.c.hash.label("hash_before"),
    )
    .select_from(
        _S.outerjoin(_R, _R.c.id == _S.c.record_id).outerjoin(
            _before, and_(_before.c.chain_id == _S.c.chain_id, _before.c.position == _S.c.position - 1)
        )
    )
    .where(_S.c.record_id > _after)
    .order_by(_S.c.record_id)
    .limit(bindparam("page"))
)
UNSEALED = Statement(
    select(_R.c.id, _R.c.store_id)
    .where(
        _R.c.id > _after,
        _R.c.id <= bindparam("until", type_=_R.c.id.type),
        ~exists(select(null()).where(_S.c.record_id == _R.c.id)),
        ~exists(select(null()).where(_P.c.chain_id == chain_of, _P.c.record_id == _R.c.id)),
    )
    .order_by(_R.c.id)
    .limit(literal_column("1"))
)
RECENT = Statement(
    select(_S.c.record_id).order_by(_S.c.record_id.desc()).offset(bindparam("newest")).limit(literal_column("1"))
)
HEADS = Statement(
    text(f"""
select head.chain_id, head.position, encode(head.hash, 'hex') as hash
  from (select id from users union all select '{NO_STORE}') as chain (id)
 cross join lateral (
    select chain_id, position, hash from audit_seals s where s.chain_id = chain.id order by position desc limit 1
 ) head
 order by head.chain_id
""")  # noqa: S608  # A constant of our own.
)
AT = Statement(
    text("""
select anchor.chain_id, anchor.position
  from unnest(cast(:chains as uuid[]), cast(:positions as bigint[]), cast(:hashes as text[]))
       as anchor (chain_id, position, hash)
  left join audit_seals s on s.chain_id = anchor.chain_id and s.position = anchor.position
 where encode(s.hash, 'hex') is distinct from anchor.hash
 order by anchor.chain_id limit 1
""")
)


class Flaw(Struct, frozen=True):
    """The first record, by id, that isn't what was sealed."""

    record_id: str
    chain_id: str
    reason: str


class Verification(Struct, frozen=True):
    """What verifying found: so many seals were looked at, and `flaw` is None where all of them hold."""

    seals: int
    flaw: Flaw | None


class Anchor(Struct, frozen=True):
    """The newest seal of a chain, as it was noted outside the database."""

    chain_id: str
    position: int
    hash: str


async def verify(database: Database, *, newest: int | None = None, page: int = PAGE) -> Verification:
    """Verify all of the trail, or the newest so many seals of it."""
    after = _FIRST if newest is None else await database.value(RECENT, newest=newest) or _FIRST
    seen = 0
    while after != _LAST:
        seals = await database.all(SEALS, after=after, page=page)
        until = seals[-1]["record_id"] if len(seals) == page else _LAST
        flaw = await _first_flaw(database, seals, after, until)
        seen += len(seals)
        if flaw is not None:
            return Verification(seen, flaw)
        after = until
    return Verification(seen, None)


async def anchors(database: Database) -> list[Anchor]:
    """The newest seal of every chain, once what waits is sealed."""
    await seal_records(database)
    return [Anchor(row["chain_id"], row["position"], row["hash"]) for row in await database.all(HEADS)]


async def first_broken(database: Database, noted: Sequence[Anchor]) -> Anchor | None:
    """The first of these anchors that the trail doesn't hold any more."""
    row = await database.one(
        AT,
        chains=[anchor.chain_id for anchor in noted],
        positions=[anchor.position for anchor in noted],
        hashes=[anchor.hash for anchor in noted],
    )
    if row is None:
        return None
    return next(a for a in noted if (a.chain_id, a.position) == (row["chain_id"], row["position"]))


async def _first_flaw(database: Database, seals: Sequence[Mapping[str, Any]], after: str, until: str) -> Flaw | None:
    """The flaw with the smallest id among these seals and the records of the same ids."""
    flaws = [
        Flaw(seal["record_id"], seal["chain_id"], reason) for seal in seals if (reason := _wrong(seal)) is not None
    ]
    unsealed = await database.one(UNSEALED, after=after, until=until)
    if unsealed is not None:
        flaws.append(Flaw(unsealed["id"], unsealed["store_id"] or NO_STORE, "has no seal, and waits for none"))
    return min(flaws, key=lambda flaw: flaw.record_id, default=None)


def _wrong(seal: Mapping[str, Any]) -> str | None:
    if seal["id"] is None:
        return "is gone"
    if seal["chain_id"] != (seal["store_id"] or NO_STORE):
        return "is sealed in another store's chain"
    if seal["hash"] != hash_of(seal["prev_hash"], seal["position"], seal):
        return "was changed"
    if seal["prev_hash"] != seal["hash_before"]:
        return (
            "doesn't follow the record before it" if seal["hash_before"] else "stands where the one before it is gone"
        )
    if (seal["position"] == 1) != (seal["prev_hash"] is None):
        return "doesn't follow the record before it"
    return None
