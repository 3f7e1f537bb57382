"""`gateway doctor` where its questions fail: each is a finding of its own, told as it comes, and
keeps no other from being told.
"""

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


class Told(list[str]):
    """What the doctor has told."""

    def of(self, subject: str) -> list[str]:
        return [line for line in self if line[6:].startswith(f"{subject}: ")]


@pytest.fixture
def told(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """The list that `examine(tmp_path, told.append)` tells to; the settings are those of the
    tests until they are changed.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEWAY_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("GATEWAY_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("GATEWAY_SECRET_KEY", "pS9vT2xWq8LmZr4NcYb6KdHf1JgUa7Ee")
    monkeypatch.setenv("GATEWAY_DOCUMENTS_URL", (tmp_path / "documents").as_uri())
    monkeypatch.setenv("GATEWAY_ENGINE_LIVE", "simulator")
    return Told()


@pytest.fixture
def empty(settings: Settings) -> Iterator[str]:
    """The URL of an empty database of the test's own."""
    asyncio.run(_by_hand(settings.database_url, "create database scratch"))
    yield settings.database_url.replace("/gateway?", "/scratch?")
    asyncio.run(_by_hand(settings.database_url, "drop database scratch with (force)"))


@pytest.fixture
def scratch(settings: Settings) -> Iterator[str]:
    """The URL of a migrated database of the test's own, and of a role without rights, `stranger`."""
    made = (f"create database scratch template {MIGRATED}", "create role stranger login")
    asyncio.run(_by_hand(settings.database_url, *made))
    yield settings.database_url.replace("/gateway?", "/scratch?")
    asyncio.run(_by_hand(settings.database_url, "drop database scratch with (force)", "drop role stranger"))


async def _by_hand(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def of_stranger(url: str) -> str:
    return url.replace("//postgres@", "//stranger@")


def test_a_role_without_rights_is_told_of_beside_everything_else(
    scratch: str, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_DATABASE_URL", of_stranger(scratch))
    assert examine(tmp_path, told.append) is False
    version, refused = told.of("database")
    assert version.startswith("ok    database: PostgreSQL ")
    assert refused == (
        "MEND  database: can't be looked at: InsufficientPrivilegeError: permission denied for table alembic_version"
    )
    (rights,) = told.of("rights")
    assert rights.startswith("MEND  rights: the database's role may not select, insert, update, delete on ")
    assert rights.endswith(f" and as little on {len(REQUIRED_PRIVILEGES) - 5} more: grant it what docs/audit.md lists")
    assert told.of("redis")[0].startswith("ok")
    assert told.of("documents")[0].startswith("ok")
    assert told.of("mail") == [
        "mind  mail: no relay, so mails wait and each is given up after 3 days; set GATEWAY_SMTP_URL"
    ]
    assert told.of("audit trail")[0].startswith("MEND")
    assert told[-1].endswith(" to mend")


def test_what_is_revoked_is_named(scratch: str, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    granted = [f"grant {', '.join(rights)} on {table} to stranger" for table, rights in REQUIRED_PRIVILEGES.items()]
    asyncio.run(
        _by_hand(
            scratch, *granted, "revoke all on charges from stranger", "revoke insert on password_resets from stranger"
        )
    )
    monkeypatch.setenv("GATEWAY_DATABASE_URL", of_stranger(scratch))
    assert examine(tmp_path, told.append) is False
    (found,) = told.of("rights")
    assert "select, insert, update, delete on charges" in found
    assert "insert on password_resets" in found
    assert ("more" in found, told[-1]) == (False, "1 to mend")
    asyncio.run(_by_hand(scratch, *granted))
    told.clear()
    assert examine(tmp_path, told.append) is True, told
    assert told.of("rights") == ["ok    rights: the database's role may do what it must"]


def test_a_database_that_takes_no_writes_is_told_of(
    scratch: str, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_by_hand(scratch, "alter database scratch set default_transaction_read_only = on"))
    monkeypatch.setenv("GATEWAY_DATABASE_URL", scratch)
    assert examine(tmp_path, told.append) is False
    assert told.of("rights")[0].startswith("MEND  rights: transactions are read-only")


def test_an_old_schema_keeps_nothing_else_from_being_told(
    scratch: str, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_by_hand(scratch, "alter table audit_chain drop column hash", "delete from alembic_version"))
    monkeypatch.setenv("GATEWAY_DATABASE_URL", scratch)
    assert examine(tmp_path, told.append) is False
    assert told.of("schema")[0].startswith("MEND  schema: at nothing, ")
    assert "UndefinedColumnError" in told.of("audit trail")[0]
    assert told.of("documents")[0].startswith("ok")


@pytest.mark.timeout(300)
def test_a_database_that_hangs_is_told_of_and_the_rest_is_looked_at(
    told: Told, tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedPostgres(data_dir / "frozen", durable=False)
    with server as url:
        monkeypatch.setenv("GATEWAY_DATABASE_URL", url)
        with frozen(server.pid):
            assert examine(tmp_path, told.append) is False
    assert told.of("database") == [
        "MEND  database: can't be reached: no answer within 5 s; look at GATEWAY_DATABASE_URL"
    ]
    assert told.of("redis")[0].startswith("ok")
    assert told.of("documents")[0].startswith("ok")
    assert told[-1] == "1 to mend"


def test_a_finding_is_told_before_the_next_look_has_ended(settings: Settings) -> None:
    found: list[Finding] = []

    async def slow(_: Settings) -> AsyncIterator[Finding]:
        yield ok("slow", "the first thing")
        assert [finding.text for finding in found] == ["the first thing"]
        await asyncio.Event().wait()

    begun = time.monotonic()
    asyncio.run(run_check(Check("slow", slow, seconds=0.05), settings, found.append))
    assert time.monotonic() - begun < 60
    assert [(finding.severity, finding.text) for finding in found[1:]] == [
        (Severity.error, "can't be looked at: no answer within 0 s")
    ]


def test_what_keeps_a_look_from_its_findings_is_told_without_secrets(settings: Settings) -> None:
    given = settings.model_copy(
        update={
            "database_url": "postgresql://u:p4ssword@db/gateway",
            "smtp_url": SecretStr("smtp://u:r3lay-word@relay:25"),
        }
    )
    found: list[Finding] = []

    async def broken(_: Settings) -> AsyncIterator[Finding]:
        yield ok("broken", "so far")
        raise RuntimeError(f"p4ssword r3lay-word {given.secret_key.get_secret_value()} and more\na second line")

    asyncio.run(run_check(Check("broken", broken), given, found.append))
    assert found[1].text == "can't be looked at: RuntimeError: *** *** *** and more"
