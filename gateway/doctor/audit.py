"""The audit trail: whether its hash chains are intact, and whether a worker extends them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import asyncpg
from sqlalchemy import text

from gateway.doctor.check import Finding, Findings, error, ok, open_pool, warning
from gateway.models.database import Database, Statement
from gateway.resolvers.audit.hash_chain_writer import chain_records
from gateway.resolvers.audit.verify_chain import Anchor, first_broken, verify
from gateway.settings import Settings
from gateway.values.ids import is_id

SUBJECT = "audit trail"
NEWEST = 1_000_000
"""Records that are verified, unless all are."""
MAX_DELAY_SECONDS = 60
_OLDEST = Statement(
    text("""
select extract(epoch from now() - uuid_extract_timestamp(record_id))::float8
  from (select record_id from audit_pending limit 100000) waiting order by record_id limit 1
""")
)
_IS_SUPERUSER = Statement(text("select current_setting('is_superuser') = 'on'"))


async def check_audit_trail(settings: Settings, anchors: Path | None = None, *, whole: bool = False) -> Findings:
    """Append pending records, then verify the newest million records, or all, and compare with a file of
    `gateway admin anchors`.
    """
    async with open_pool(settings) as database:
        try:
            async for finding in _verify(database, None if whole else NEWEST):
                yield finding
            if anchors is not None:
                yield await _compare(database, anchors)
        except (asyncpg.UndefinedTableError, asyncpg.ReadOnlySQLTransactionError):
            return  # An old schema, or a replica: `check_database` reports both.


async def _verify(database: Database, newest: int | None) -> Findings:
    delay = await database.value(_OLDEST)
    await chain_records(database)
    verification = await verify(database, newest=newest)
    chain_error = verification.error
    if chain_error is not None:
        yield error(
            SUBJECT,
            f"record {chain_error.record_id} of chain {chain_error.chain_id} {chain_error.reason}; docs/audit.md says what to do",
        )
    else:
        all_of_them = newest is None or verification.entries < newest
        extent = "" if all_of_them else ", the newest; --whole-trail verifies all"
        yield ok(SUBJECT, f"{verification.entries} records verified, every link holds{extent}")
    if delay is not None and delay > MAX_DELAY_SECONDS:
        yield warning(SUBJECT, f"records had waited {delay:.0f} s to be chained: is `gateway worker` running?")
    if await database.value(_IS_SUPERUSER):
        yield warning(SUBJECT, "the gateway's database role is a superuser, who can switch the trail's triggers off")


async def _compare(database: Database, path: Path) -> Finding:
    try:
        anchors = list(_read(path))
    except (OSError, ValueError) as failure:
        return error(SUBJECT, f"{path} is no list of anchors: {failure}")
    broken = await first_broken(database, anchors)
    if broken is not None:
        return error(SUBJECT, f"chain {broken.chain_id} was rewritten: position {broken.position} has another hash")
    return ok(SUBJECT, f"holds all {len(anchors)} anchors of {path}")


def _read(path: Path) -> Iterator[Anchor]:
    for line in path.read_text().splitlines():
        chain_id, position, digest = line.split()
        if not is_id(chain_id):
            raise ValueError(f"{chain_id} is no chain")
        yield Anchor(chain_id, int(position), digest)


def format_anchors(anchors: Sequence[Anchor]) -> list[str]:
    """The lines of a file of anchors."""
    return [f"{anchor.chain_id} {anchor.position} {anchor.hash}" for anchor in anchors]
