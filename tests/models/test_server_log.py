"""PostgreSQL's log has no values of statements: no email, no document, no parameter."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from gateway.dev.embedded import EmbeddedPostgres
from gateway.doctor.check import Severity
from gateway.doctor.database import check_server_log
from gateway.models.database import Database
from gateway.models.server_log import LOG_SETTINGS, set_log_settings
from gateway.settings import Settings
from tests.api_client import PASSWORD, VALID_CNPJ, Api
from tests.docs.pages import ROOT, Page

EMAIL, CPF = "maria.do.rosario@example.com", "52998224725"
ROLE = "logged"


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture
async def logged(database_url: str) -> AsyncIterator[str]:
    """The URL of a role that has PostgreSQL's defaults."""
    defaults = ("log_error_verbosity = 'default'", "log_min_error_statement = 'error'", "log_parameter_max_length = -1")
    await _run(database_url, f"create role {ROLE} login", *(f"alter role {ROLE} set {value}" for value in defaults))
    yield database_url.replace("//postgres@/", f"//{ROLE}@/")
    await _run(
        database_url,
        *(f"revoke set on parameter {name} from {ROLE}" for name in LOG_SETTINGS),
        f"drop role {ROLE}",
    )


async def test_violations_leave_no_e_mail_and_no_document_in_the_log(
    api: Api, database: Database, data_dir: Path
) -> None:
    path = EmbeddedPostgres(data_dir).log_path
    before = len(path.read_text())
    form = {"name": "Maria", "email": EMAIL, "password": PASSWORD, "cnpj": VALID_CNPJ}
    assert [(await api.post("/auth/register", form)).status_code for _ in range(2)] == [201, 409]
    async with database.pool.acquire() as connection:
        await connection.execute("create temporary table payers (document text primary key check (document <> '-'))")
        await connection.execute("insert into payers values ($1)", CPF)
        for failing, values in (
            ("insert into payers values ($1)", [CPF]),
            ("insert into payers values ($1 || left('-', 0) || '')", [CPF]),
            ("update payers set document = case when document = $1 then '-' end", [CPF]),
            (f"insert into payers values ('{CPF}') -- {EMAIL}", []),
        ):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError):
                await connection.execute(failing, *values)
        await connection.execute("drop table payers")
    added = path.read_text()[before:]
    assert added.count("duplicate key value violates unique constraint") == 4, "the errors themselves are logged"
    assert 'violates check constraint "payers_document_check"' in added
    assert EMAIL not in added
    assert CPF not in added


async def test_the_doctor_prints_statements_that_fix_the_settings(
    settings: Settings, database_url: str, logged: str
) -> None:
    changed = settings.model_copy(update={"database_url": logged})
    [found] = [finding async for finding in check_server_log(changed)]
    assert found.severity is Severity.error
    assert "log_error_verbosity is default, log_min_error_statement is error" in found.text
    assert await set_log_settings(logged) is False, "these are the superuser's to set"
    await _run(database_url, found.text.partition(": ")[2])
    [found] = [finding async for finding in check_server_log(changed)]
    assert found.severity is Severity.ok


def test_the_guide_has_the_same_settings() -> None:
    (block,) = Page(ROOT / "docs/deployment.md").blocks("plpgsql")
    statements = [f"ALTER ROLE gateway SET {name} = '{value}';" for name, value in LOG_SETTINGS.items()]
    assert block.splitlines() == statements


async def test_a_migration_sets_what_its_role_may_set(settings: Settings, database_url: str, logged: str) -> None:
    await _run(database_url, *(f"grant set on parameter {name} to {ROLE}" for name in LOG_SETTINGS))
    assert await set_log_settings(logged) is True
    [found] = [finding async for finding in check_server_log(settings.model_copy(update={"database_url": logged}))]
    assert found.severity is Severity.ok
