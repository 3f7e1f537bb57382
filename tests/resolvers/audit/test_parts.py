"""The parts of the trail by month, made by a role that owns nothing, as docs/audit.md recommends it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from gateway.doctor.database import check_privileges
from gateway.models.database import Database, open_database
from gateway.models.migrate import upgrade
from gateway.resolvers.audit.parts import MAKE
from gateway.settings import Settings

ROLE = "gateway_role"
GRANTS = """
    grant select, insert on audit_records, audit_seals to gateway_role;
    grant select, insert, delete on audit_pending to gateway_role;
    grant select on audit_records_default to gateway_role;
"""
EXECUTE = "grant execute on function make_audit_part(date) to gateway_role"
NEXT = f"audit_records_{(datetime.now(UTC).replace(day=1) + timedelta(days=32)):%Y%m}"


@pytest.fixture
async def owner(settings: Settings) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to an empty database of its own, in which the role may do nothing yet."""
    server = await asyncpg.connect(settings.asyncpg_dsn)
    await server.execute("create database guarded")
    await server.execute(f"create role {ROLE} login")
    owner = await asyncpg.connect(_url(settings))
    try:
        yield owner
    finally:
        await owner.execute(f"drop owned by {ROLE}")
        await owner.close()
        await server.execute("drop database guarded with (force)")
        await server.execute(f"drop role {ROLE}")
        await server.close()


def _url(settings: Settings, user: str = "postgres") -> str:
    return settings.asyncpg_dsn.replace("/gateway?", "/guarded?").replace("//postgres@", f"//{user}@")


async def _made(settings: Settings) -> int:
    """What the worker's sweep makes, as the role."""
    database: Database = await open_database(_url(settings, ROLE), size=2)
    try:
        made: int = await database.value(MAKE)
    finally:
        await database.close()
    return made


async def _told(settings: Settings) -> list[str]:
    """What the doctor says of its rights, as the role."""
    guarded = settings.model_copy(update={"database_url": _url(settings, ROLE)})
    return [finding.text async for finding in check_privileges(guarded)]


async def test_the_recommended_role_makes_the_parts(owner: asyncpg.Connection, settings: Settings) -> None:
    await asyncio.to_thread(upgrade, _url(settings))
    await owner.execute(GRANTS + EXECUTE)
    assert await _made(settings) == 0
    await owner.execute(f"drop table {NEXT}")
    assert await _made(settings) == 1
    assert await _made(settings) == 0
    theirs = "select tableowner from pg_tables where tablename = $1"
    assert await owner.fetchval(theirs, NEXT) == "postgres"
    assert "make_audit_part" not in str(await _told(settings))


async def test_who_may_not_make_them_is_told_what_is_missing(owner: asyncpg.Connection, settings: Settings) -> None:
    await asyncio.to_thread(upgrade, _url(settings))
    await owner.execute(GRANTS)
    await owner.execute(
        f"grant all on all tables in schema public to {ROLE}; revoke delete on audit_records from {ROLE};"
        f"grant execute on function flush_search_indexes to {ROLE}"
    )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _made(settings)
    (said,) = await _told(settings)
    assert "may not execute on function make_audit_part(date): grant it" in said


async def test_a_part_is_written_through_the_trail_alone(owner: asyncpg.Connection, settings: Settings) -> None:
    await owner.execute(f"alter default privileges grant all on tables to {ROLE}")
    await asyncio.to_thread(upgrade, _url(settings))
    await owner.execute(f"drop table {NEXT}; {EXECUTE}")
    assert await _made(settings) == 1
    writable = """
        select inhrelid::regclass::text from pg_inherits where inhparent = 'audit_records'::regclass
           and has_table_privilege($1, inhrelid, 'insert, update, delete, truncate')
    """
    assert await owner.fetch(writable, ROLE) == []
    assert await owner.fetchval("select has_table_privilege($1, $2, 'select')", ROLE, NEXT)


async def test_a_part_is_a_whole_month_whatever_day_is_said(owner: asyncpg.Connection, settings: Settings) -> None:
    await asyncio.to_thread(upgrade, _url(settings))
    assert await owner.fetchval("select make_audit_part('2040-05-17')")
    bounds = "select pg_get_expr(relpartbound, oid) from pg_class where relname = 'audit_records_204005'"
    first, last = await owner.fetchrow("select part_begin('2040-05-01 00:00Z'), part_begin('2040-06-01 00:00Z')")
    assert await owner.fetchval(bounds) == f"FOR VALUES FROM ('{first}') TO ('{last}')"
