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


def test_addresses_that_were_tallied_in_stretches_are_tallied_of_the_whole_list_too(empty: str) -> None:
    upgrade(empty, "0060")
    whose = "'audit_records', '019aa000-0000-7000-8000-0000000000aa', 'live', 'ip'"
    _execute(
        empty,
        *(f"insert into list_tallies values ({whose}, '::1', {stretch}, {rows})" for stretch, rows in ((0, 5), (3, 7))),
        f"insert into list_tally_entries values (uuidv7(), {whose}, '::1', 3, -2)",
    )
    told = {
        table: f"select string_agg(name || ' ' || stretch || ' ' || rows, ', ' order by name, stretch) from {table}"
        for table in ("list_tallies", "list_tally_entries")
    }
    upgrade(empty)
    assert _value(empty, told["list_tallies"]) == "ip 0 12, ip/stretch 0 5, ip/stretch 3 7"
    assert _value(empty, told["list_tally_entries"]) == "ip 0 -2, ip/stretch 3 -2"
    downgrade(empty, "0060")
    assert _value(empty, told["list_tallies"]) == "ip 0 5, ip 3 7"
    assert _value(empty, told["list_tally_entries"]) == "ip 3 -2"


def test_charges_so_far_become_the_first_part_unmoved_and_parts_come_together_again(empty: str) -> None:
    upgrade(empty, "0058")
    _execute(empty, A_STORE, A_CHARGE, "create role seller", "grant select, insert on charges to seller")
    try:
        file = _value(empty, "select pg_relation_filenode('charges')")
        upgrade(empty)
        assert _value(empty, "select pg_relation_filenode('charges_first')") == file
        for right in (
            "has_table_privilege('seller', 'charges', 'select, insert')",
            f"has_function_privilege('seller', {CUT}, 'execute')",
        ):
            assert _value(empty, f"select {right}")
        assert not _value(empty, "select has_table_privilege('seller', 'charges', 'update')")
        assert [_value(empty, "select cut_further('charges', 'month', -1)") for _ in range(3)] == [
            "announced",
            "proven",
            "cut",
        ]
        _execute(empty, A_CHARGE.replace("uuidv7()", "uuidv7(interval '90 days')"))
        parts = "select count(distinct tableoid) || ' ' || count(*) from charges"
        assert _value(empty, parts) == "2 2"
        downgrade(empty, "0058")
        assert _value(empty, parts) == "1 2"
        assert _value(empty, "select pg_relation_filenode('charges')") == file
        _execute(
            empty,
            "insert into list_milestones (kind, user_id, environment, upto, rows) select 'charges', id, 'test', now(), 2 from users",
        )
        _execute(empty, "delete from charges where id in (select max(id::text)::uuid from charges)")
        assert _value(empty, "select rows from list_milestones") == 1, "its triggers are those of before"
    finally:
        _execute(empty, "drop owned by seller", "drop role seller")


A_STORE = "insert into users (id, name, email, password_hash, created_at, updated_at) values (uuidv7(), 'Loja', 'loja@example.com', 'x', now(), now())"
A_CHARGE = """
    insert into charges (id, user_id, environment, txid, status, amount, original_amount, pix_code, engine, engine_id, expires_at, created_at, updated_at)
    select uuidv7(), id, 'test', gen_random_uuid(), 'pending', 100, 100, '', 'simulator', 'x', now(), now(), now() from users
"""
CUT = "'cut_further(text, text, bigint)'"
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
