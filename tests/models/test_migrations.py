"""The migrations create exactly the tables and columns of the models."""

import asyncio
import json
import pkgutil
import re
from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from types import ModuleType
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from sqlmodel import SQLModel

from gateway import models
from gateway.models import tables
from gateway.models.migrate import upgrade
from gateway.models.tables import metadata
from gateway.settings import Settings
from tests.conftest import MIGRATED


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


def test_up_from_nothing(empty: str) -> None:
    upgrade(empty)
    assert _differences(empty) == []
    upgrade(f"{empty}&sslmode=prefer")  # As an address says it that asyncpg reads.
    assert _tables(empty) == {table.name for table in metadata.sorted_tables} | {"alembic_version"}


def test_the_audit_trail_is_append_only(made: str) -> None:
    insert = "insert into audit_records (id, actor_type, action, source, created_at) values (uuidv7(), 'system', 'x.y', 'job', now())"
    _execute(made, insert)
    for refused in ("update audit_records set action = 'z'", "delete from audit_records"):
        with pytest.raises(asyncpg.PostgresError):
            _execute(made, refused)


def _differences(url: str) -> list[Any]:
    def compare(connection: Connection) -> list[Any]:
        parts = set(connection.scalars(text("select relname from pg_class where relispartition")))

        def is_declared(name: str | None, kind: str, _parents: Any) -> bool:
            """The models know whole tables alone, and leave indexes and constraints to `tables.sql`."""
            return not (kind == "table" and name in parts) and kind not in {"index", "unique_constraint"}

        options = {"compare_type": True, "compare_server_default": True, "include_name": is_declared}
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


def test_every_module_with_tables_is_imported_where_all_are() -> None:
    _import_models()
    assert {model.__module__ for model in SQLModel.__subclasses__()} <= {
        module.__name__ for module in vars(tables).values() if isinstance(module, ModuleType)
    }


def test_checks_over_texts_have_the_values_of_enums(made: str) -> None:
    _import_models()
    enums = {frozenset(kind) for kind in StrEnum.__subclasses__() if kind.__module__.startswith(models.__name__)}
    checks = _value(
        made,
        "select json_object_agg(conname, pg_get_constraintdef(oid))::text from pg_constraint"
        " where contype = 'c' and pg_get_constraintdef(oid) ~ '^CHECK \\(\\(\\w+ = ANY'",
    )
    values = {name: frozenset(re.findall(r"'([^']*)'::text", check)) for name, check in json.loads(checks).items()}
    assert len(values) > 40
    assert {name: found for name, found in values.items() if found not in enums} == {}


def _import_models() -> None:
    for module in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
        import_module(module.name)
