"""The migrations make exactly the tables of the models, from nothing, and unmake them."""

import asyncio
import runpy
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from gateway.models import tables
from gateway.models.migrate import downgrade, upgrade
from gateway.models.tables import metadata
from gateway.settings import Settings
from tests.conftest import MIGRATED
from tests.docs.pages import ROOT


@pytest.fixture
def empty(settings: Settings) -> Iterator[str]:
    """A database with nothing in it."""
    _execute(settings.asyncpg_dsn, "drop database if exists migrated", "create database migrated")
    yield settings.asyncpg_dsn.replace("/gateway?", "/migrated?")
    _execute(settings.asyncpg_dsn, "drop database migrated")


@pytest.fixture
def made(settings: Settings) -> Iterator[str]:
    """A database that they have made."""
    _execute(settings.asyncpg_dsn, "drop database if exists made", f"create database made template {MIGRATED}")
    yield settings.asyncpg_dsn.replace("/gateway?", "/made?")
    _execute(settings.asyncpg_dsn, "drop database made")


def test_up_from_nothing_and_down_again(empty: str) -> None:
    upgrade(empty)
    assert _differences(empty) == []
    upgrade(f"{empty}&sslmode=prefer")  # As an address says it that asyncpg reads.
    assert _tables(empty) == {table.name for table in metadata.sorted_tables} | {"alembic_version"}
    downgrade(empty, "base")
    assert _tables(empty) == {"alembic_version"}
    assert _value(empty, "select count(*) from pg_proc where pronamespace = 'public'::regnamespace") == 0
    upgrade(empty)
    assert _differences(empty) == []


def test_the_file_of_functions_shows_what_they_have_made(made: str) -> None:
    page = runpy.run_path(str(ROOT / "scripts/functions_page.py"))["page"](made)
    assert (ROOT / "gateway/models/functions.sql").read_text() == page, "run `make schema`"
    silent = "select count(*) from pg_proc where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null"
    assert _value(made, silent) == 0, "each says what it does: `comment on function`"


def test_the_audit_trail_is_append_only(made: str) -> None:
    insert = "insert into audit_records (id, actor_type, action, source, created_at) values (uuidv7(), 'system', 'x.y', 'job', now())"
    _execute(made, insert)
    for refused in ("update audit_records set action = 'z'", "delete from audit_records"):
        with pytest.raises(asyncpg.PostgresError):
            _execute(made, refused)


def test_the_trail_so_far_becomes_its_first_part_unmoved_and_nothing_is_lost(empty: str) -> None:
    upgrade(empty, "0018")
    insert = """insert into audit_records (id, actor_type, action, source, created_at)
                values (uuidv7(interval '{}'), 'system', 'x.y', 'job', now())"""
    _execute(empty, *(insert.format(ago) for ago in ("-400 days", "-31 days", "0 days")))
    file = _value(empty, "select pg_relation_filenode('audit_records')")
    upgrade(empty)
    assert _value(empty, "select pg_relation_filenode('audit_records_before')") == file
    _execute(empty, *(insert.format(ahead) for ahead in ("0 days", "32 days")), *STRAYED)
    parts = r"""select string_agg(distinct regexp_replace(tableoid::regclass::text, '\d{6}', 'month'), ' ' order by
               regexp_replace(tableoid::regclass::text, '\d{6}', 'month')) from audit_records"""
    assert _value(empty, parts) == "audit_records_before audit_records_default audit_records_month"
    assert _value(empty, "select count(*) from audit_pending") == 6
    for part in ("audit_records", "audit_records_before", "audit_records_default"):
        for refused in (f"update {part} set action = 'z'", f"delete from {part}", f"truncate {part}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                _execute(empty, refused)
    month = "(select date_trunc('month', uuid_extract_timestamp(id))::date from audit_records_default)"
    assert _value(empty, f"select settle_audit_part({month})") == 1
    assert _value(empty, "select count(*) from audit_records_default") == 0
    counted = "select rows || ' ' || (select count(*) from audit_pending) from list_milestones"
    assert _value(empty, counted) == "1 6", "what has moved isn't counted or queued again"
    for refused in ("delete from audit_records", "truncate audit_records_default"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            _execute(empty, refused)
    _execute(empty, insert.format("0 days").replace("audit_records (id", "audit_pending (record_id"))
    downgrade(empty, "0020")
    assert _value(empty, "select count(*) || ' ' || (select count(*) from audit_pending) from audit_records") == "7 7"
    downgrade(empty, "0018")
    assert _value(empty, "select count(*) from audit_records") == 7


STRAYED = (
    """insert into list_milestones (kind, user_id, environment, upto, rows)
       values ('audit_records', '00000000-0000-7000-8000-000000000001', 'test', now(), 0)""",
    """insert into audit_records (id, store_id, environment, actor_type, action, source, created_at)
       values (uuidv7(interval '3000 days'), '00000000-0000-7000-8000-000000000001', 'test', 'system', 'x.y', 'job', now() - interval '1 hour')""",
)
"""A record from a process whose clock is years ahead, told late and counted by a milestone."""


def _differences(url: str) -> list[Any]:
    def compare(connection: Connection) -> list[Any]:
        parts = set(connection.scalars(text("select relname from pg_class where relispartition")))

        def is_whole(name: str | None, kind: str, _parents: Any) -> bool:
            """Not a part: the models know whole tables alone."""
            return not (kind == "table" and name in parts)

        options = {"compare_type": True, "compare_server_default": True, "include_name": is_whole}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    async def run() -> list[Any]:
        engine = create_async_engine("postgresql+asyncpg://" + url.partition("://")[2], poolclass=NullPool)
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(compare)
        finally:
            await engine.dispose()

    return asyncio.run(run())


def _tables(url: str) -> set[str]:
    async def run() -> set[str]:
        connection = await asyncpg.connect(url)
        try:
            rows = await connection.fetch(
                "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition"
            )
        finally:
            await connection.close()
        return {row["relname"] for row in rows}

    return asyncio.run(run())


def _value(url: str, query: str) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()

    return asyncio.run(run())


def _execute(url: str, *statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())


def test_every_table_is_imported_by_name_where_all_are() -> None:
    assert {table.name for table in metadata.sorted_tables} | {"metadata"} == set(tables.__all__)
