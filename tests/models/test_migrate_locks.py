"""`gateway migrate` with concurrent sessions: it blocks no query for long, and names the session that blocks it."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from gateway.doctor.check import Finding, Severity
from gateway.doctor.database import check_database
from gateway.models.migrate import LockRetryPolicy, MigrationError, SchemaStatus, newest, schema_status, upgrade
from gateway.settings import Settings

HOLD = "lock table alembic_version in share mode"
"""Every migration writes its revision there."""


@pytest.fixture
async def migrated(settings: Settings) -> AsyncIterator[str]:
    """A database whose schema isn't the newest."""
    connection = await asyncpg.connect(settings.asyncpg_dsn)
    try:
        await connection.execute("drop database if exists half_way")
        await connection.execute("create database half_way")
        url = settings.asyncpg_dsn.replace("/gateway?", "/half_way?")
        target = await asyncpg.connect(url)
        await target.execute("create table alembic_version (version_num varchar(32) primary key)")
        await target.close()
        yield url
        await connection.execute("drop database half_way with (force)")
    finally:
        await connection.close()


@asynccontextmanager
async def dumping(url: str) -> AsyncIterator[asyncpg.Connection]:
    """A session that blocks a migration from writing its revision."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "a dump"})
    try:
        async with connection.transaction():
            await connection.execute(HOLD)
            yield connection
    finally:
        await connection.close()


async def _migrate(settings: Settings, url: str, folder: Path) -> Process:
    variables = {
        "DATABASE_URL": url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", "migrate"),
        env={**os.environ, **{f"GATEWAY_{name}": value for name, value in variables.items()}},
        cwd=folder,
        stderr=PIPE,
        stdout=PIPE,
    )


async def test_queries_continue_during_a_dump_and_the_dump_is_named(
    migrated: str, settings: Settings, tmp_path: Path
) -> None:
    reader = await asyncpg.connect(migrated)
    try:
        async with asyncio.timeout(120):
            async with dumping(migrated) as dump:
                process = await _migrate(settings, migrated, tmp_path)
                assert process.stderr is not None
                output = (await process.stderr.readline()).decode()
                async with reader.transaction():
                    await reader.execute(HOLD)  # It waits no more.
                assert process.returncode is None
                assert output.startswith(
                    f"gateway: pid {dump.get_server_pid()} (a dump), whose transaction has run for "
                )
                assert "is in the way of a migration" in output
            assert await process.wait() == 0
        assert await reader.fetchval("select version_num from alembic_version") == newest()
    finally:
        await reader.close()


async def test_it_gives_up_without_changes(migrated: str) -> None:
    reports: list[str] = []
    policy = LockRetryPolicy(wait=0.6, pause=0.05, give_up=1.0)
    async with dumping(migrated) as dump:
        with pytest.raises(MigrationError, match=rf"^pid {dump.get_server_pid()} \(a dump\).*left as it was") as raised:
            await asyncio.to_thread(upgrade, migrated, retry=policy, report=reports.append)
        assert "\n" not in str(raised.value)
        assert await dump.fetchval("select count(*) from alembic_version") == 0
        assert await dump.fetchval("select to_regclass('users')") is None
    assert reports
    await asyncio.to_thread(upgrade, migrated, retry=policy, report=reports.append)


async def _set_revision(url: str, revision: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("insert into alembic_version values ($1)", revision)
    await connection.close()


async def _schema(settings: Settings, url: str) -> Finding:
    found = [finding async for finding in check_database(settings.model_copy(update={"database_url": url}))]
    (schema,) = (finding for finding in found if finding.subject == "schema")
    return schema


async def test_a_newer_schema_is_unchanged_and_succeeds(migrated: str, settings: Settings, tmp_path: Path) -> None:
    await _set_revision(migrated, "9001")
    process = await _migrate(settings, migrated, tmp_path)
    out, output = await asyncio.wait_for(process.communicate(), 120)
    assert (process.returncode, out) == (0, b"")
    assert output.decode() == (
        f"gateway: the schema is at 9001, newer than this version, which knows {newest()}: nothing to do\n"
    )
    schema = await _schema(settings, migrated)
    assert schema.severity is Severity.warning
    assert "9001, newer than this version" in schema.text


async def test_a_foreign_schema_is_refused_in_one_line(migrated: str, settings: Settings, tmp_path: Path) -> None:
    await _set_revision(migrated, "a1b2c3d4")
    process = await _migrate(settings, migrated, tmp_path)
    _, output = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 1
    assert (
        output.decode() == "gateway: the schema is at a1b2c3d4, which is none of ours; look at GATEWAY_DATABASE_URL\n"
    )
    assert (await _schema(settings, migrated)).severity is Severity.error


def test_a_database_from_before_the_first_release_is_refused_in_one_line(migrated: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(migrated)
        await connection.execute(
            "create function cut_further() returns int return 1; insert into alembic_version values ('0066')"
        )
        await connection.close()

    asyncio.run(run())
    with pytest.raises(
        MigrationError, match=r"^the database was made before .* create a new one .*--data-dir"
    ) as raised:
        upgrade(migrated)
    assert "\n" not in str(raised.value)


def test_schema_status() -> None:
    known = {None: SchemaStatus.older, newest(): SchemaStatus.newest, "9001": SchemaStatus.newer}
    assert {revision: schema_status(revision) for revision in known} == known
    assert schema_status("0000") is schema_status("x") is SchemaStatus.foreign
