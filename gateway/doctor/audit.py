"""The audit trail: whether its chain holds, and whether something keeps sealing it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import asyncpg
from sqlalchemy import text

from gateway.doctor.asking import PATIENCE_SECONDS
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.models.database import Database, Statement, open_database
from gateway.resolvers.audit.sealing import seal_records
from gateway.resolvers.audit.verifying import Anchor, first_broken, verify
from gateway.settings import Settings
from gateway.values.ids import is_id

SUBJECT = "audit trail"
NEWEST = 1_000_000
"""Seals that are verified unless all shall be."""
LATE_SECONDS = 60
_OLDEST = Statement(
    text("""
select extract(epoch from now() - uuid_extract_timestamp(record_id))::float8
  from (select record_id from audit_pending limit 100000) waiting order by record_id limit 1
""")
)
_ALMIGHTY = Statement(text("select current_setting('is_superuser') = 'on'"))


async def audit(settings: Settings, anchors: Path | None = None, *, whole: bool = False) -> AsyncIterator[Finding]:
    """Every finding about the audit trail; what waits to be sealed is sealed first. `anchors` is a file of
    `gateway admin anchors`, and `whole` verifies more than the newest million.
    """
    database = await open_database(settings.asyncpg_dsn, size=2, timeout=PATIENCE_SECONDS)
    try:
        async for finding in _examined(database, None if whole else NEWEST):
            yield finding
        if anchors is not None:
            yield await _compared(database, anchors)
    except (asyncpg.UndefinedTableError, asyncpg.ReadOnlySQLTransactionError):  # So have an old schema, and a replica.
        return
    finally:
        await database.close()


async def _examined(database: Database, newest: int | None) -> AsyncIterator[Finding]:
    waited = await database.value(_OLDEST)
    await seal_records(database)
    verification = await verify(database, newest=newest)
    flaw = verification.flaw
    if flaw is not None:
        yield mend(
            SUBJECT, f"record {flaw.record_id} of chain {flaw.chain_id} {flaw.reason}; docs/audit.md says what to do"
        )
    else:
        part = (
            ""
            if verification.seals < (newest or verification.seals + 1)
            else ", the newest; --whole-trail verifies all"
        )
        yield good(SUBJECT, f"{verification.seals} records verified, every link holds{part}")
    if waited is not None and waited > LATE_SECONDS:
        yield mind(SUBJECT, f"records had waited {waited:.0f} s to be sealed: is `gateway worker` running?")
    if await database.value(_ALMIGHTY):
        yield mind(SUBJECT, "the gateway's database role is a superuser, who can switch the trail's triggers off")


async def _compared(database: Database, path: Path) -> Finding:
    try:
        noted = list(_read(path))
    except (OSError, ValueError) as error:
        return mend(SUBJECT, f"{path} is no list of anchors: {error}")
    broken = await first_broken(database, noted)
    if broken is not None:
        return mend(SUBJECT, f"chain {broken.chain_id} was written anew: what is at {broken.position} was not noted so")
    return good(SUBJECT, f"holds all {len(noted)} anchors of {path}")


def _read(path: Path) -> Iterator[Anchor]:
    for line in path.read_text().splitlines():
        chain_id, position, noted = line.split()
        if not is_id(chain_id):
            raise ValueError(f"{chain_id} is no chain")
        yield Anchor(chain_id, int(position), noted)


def written(anchors: Sequence[Anchor]) -> list[str]:
    """The lines of a file of anchors."""
    return [f"{anchor.chain_id} {anchor.position} {anchor.hash}" for anchor in anchors]
