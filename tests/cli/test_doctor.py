"""`gateway doctor` when checks fail: each failure is a finding, printed at once, and the other checks run."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from gateway.dev.embedded import EmbeddedPostgres
from gateway.doctor import examine
from gateway.doctor.check import Check, Finding, Severity, ok, run_check
from gateway.doctor.database import REQUIRED_PRIVILEGES
from gateway.settings import Settings
from tests.chaos.processes import frozen
from tests.conftest import MIGRATED


class Report(list[str]):
    """The lines that the doctor has printed."""

    def of(self, subject: str) -> list[str]:
        return [line for line in self if line[6:].startswith(f"{subject}: ")]


@pytest.fixture
def report(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Return the list that `examine(tmp_path, report.append)` fills. The environment has the settings of the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEWAY_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("GATEWAY_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("GATEWAY_SECRET_KEY", "pS9vT2xWq8LmZr4NcYb6KdHf1JgUa7Ee")
    monkeypatch.setenv("GATEWAY_DOCUMENTS_URL", (tmp_path / "documents").as_uri())
    monkeypatch.setenv("GATEWAY_ENGINE_LIVE", "simulator")
    return Report()


@pytest.fixture
def empty(settings: Settings) -> Iterator[str]:
    """Yield the URL of an empty database."""
    asyncio.run(_execute(settings.database_url, "create database scratch"))
    yield settings.database_url.replace("/gateway?", "/scratch?")
    asyncio.run(_execute(settings.database_url, "drop database scratch with (force)"))


@pytest.fixture
def scratch(settings: Settings) -> Iterator[str]:
    """Yield the URL of a migrated database. The role `stranger` has no rights on it."""
    statements = (f"create database scratch template {MIGRATED}", "create role stranger login")
    asyncio.run(_execute(settings.database_url, *statements))
    yield settings.database_url.replace("/gateway?", "/scratch?")
    asyncio.run(_execute(settings.database_url, "drop database scratch with (force)", "drop role stranger"))


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def as_stranger(url: str) -> str:
    return url.replace("//postgres@", "//stranger@")


def test_missing_privileges_are_reported_together_with_all_other_findings(
    scratch: str, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_DATABASE_URL", as_stranger(scratch))
    assert examine(tmp_path, report.append) is False
    version, refused = report.of("database")
    assert version.startswith("ok    database: PostgreSQL ")
    assert refused == (
        "FAIL  database: can't be looked at: InsufficientPrivilegeError: permission denied for table alembic_version"
    )
    (rights,) = report.of("rights")
    assert rights.startswith("FAIL  rights: the database's role may not select, insert, update, delete on ")
    assert rights.endswith(f" and as little on {len(REQUIRED_PRIVILEGES) - 5} more: grant it what docs/audit.md lists")
    assert report.of("redis")[0].startswith("ok")
    assert report.of("documents")[0].startswith("ok")
    assert report.of("mail") == [
        "warn  mail: no relay, so emails wait and each is given up after 3 days; set GATEWAY_SMTP_URL"
    ]
    assert report.of("audit trail")[0].startswith("FAIL")
    assert report[-1].endswith(" to fix")


def test_revoked_privileges_are_named(
    scratch: str, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted = [f"grant {', '.join(rights)} on {table} to stranger" for table, rights in REQUIRED_PRIVILEGES.items()]
    asyncio.run(
        _execute(
            scratch, *granted, "revoke all on charges from stranger", "revoke insert on password_resets from stranger"
        )
    )
    monkeypatch.setenv("GATEWAY_DATABASE_URL", as_stranger(scratch))
    assert examine(tmp_path, report.append) is False
    (found,) = report.of("rights")
    assert "select, insert, update, delete on charges" in found
    assert "insert on password_resets" in found
    assert ("more" in found, report[-1]) == (False, "1 to fix")
    asyncio.run(_execute(scratch, *granted))
    report.clear()
    assert examine(tmp_path, report.append) is True, report
    assert report.of("rights") == ["ok    rights: the database's role may do what it must"]


def test_a_read_only_database_is_reported(
    scratch: str, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_execute(scratch, "alter database scratch set default_transaction_read_only = on"))
    monkeypatch.setenv("GATEWAY_DATABASE_URL", scratch)
    assert examine(tmp_path, report.append) is False
    assert report.of("rights")[0].startswith("FAIL  rights: transactions are read-only")


def test_an_old_schema_does_not_prevent_other_checks(
    scratch: str, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_execute(scratch, "alter table audit_chain drop column hash", "delete from alembic_version"))
    monkeypatch.setenv("GATEWAY_DATABASE_URL", scratch)
    assert examine(tmp_path, report.append) is False
    assert report.of("schema")[0].startswith("FAIL  schema: at nothing, ")
    assert "UndefinedColumnError" in report.of("audit trail")[0]
    assert report.of("documents")[0].startswith("ok")


@pytest.mark.timeout(300)
def test_a_hanging_database_does_not_prevent_other_checks(
    report: Report, tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedPostgres(data_dir / "frozen", durable=False)
    with server as url:
        monkeypatch.setenv("GATEWAY_DATABASE_URL", url)
        with frozen(server.pid):
            assert examine(tmp_path, report.append) is False
    assert report.of("database") == [
        "FAIL  database: can't be reached: no answer within 5 s; look at GATEWAY_DATABASE_URL"
    ]
    assert report.of("redis")[0].startswith("ok")
    assert report.of("documents")[0].startswith("ok")
    assert report[-1] == "1 to fix"


def test_a_finding_is_reported_before_the_check_ends(settings: Settings) -> None:
    found: list[Finding] = []

    async def slow(_: Settings) -> AsyncIterator[Finding]:
        yield ok("slow", "the first thing")
        assert [finding.text for finding in found] == ["the first thing"]
        await asyncio.Event().wait()

    started = time.monotonic()
    asyncio.run(run_check(Check("slow", slow, seconds=0.05), settings, found.append))
    assert time.monotonic() - started < 60
    assert [(finding.severity, finding.text) for finding in found[1:]] == [
        (Severity.error, "can't be looked at: no answer within 0 s")
    ]


def test_the_error_of_a_failed_check_is_reported_without_secrets(settings: Settings) -> None:
    with_passwords = settings.model_copy(
        update={
            "database_url": "postgresql://u:p4ssword@db/gateway",
            "smtp_url": SecretStr("smtp://u:r3lay-word@relay:25"),
        }
    )
    found: list[Finding] = []

    async def broken(_: Settings) -> AsyncIterator[Finding]:
        yield ok("broken", "so far")
        raise RuntimeError(
            f"p4ssword r3lay-word {with_passwords.secret_key.get_secret_value()} and more\na second line"
        )

    asyncio.run(run_check(Check("broken", broken), with_passwords, found.append))
    assert found[1].text == "can't be looked at: RuntimeError: *** *** *** and more"
