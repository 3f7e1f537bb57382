"""`gateway init` writes a valid env file, and prints valid SQL."""

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from gateway.cli.init import InitError, InitOptions, database_sql, initialise
from gateway.doctor.check import Severity
from gateway.doctor.configuration import check_configuration
from gateway.settings import Settings, load_settings
from tests.commands import Commands
from tests.subprocesses import Forks

BASE_URL = "https://pix.example.com"


@pytest.fixture
def gateway(forks: Forks, tmp_path: Path) -> Commands:
    return Commands.bare(forks, tmp_path)


def options(file: Path, **changed: str) -> InitOptions:
    defaults = {
        "base_url": BASE_URL,
        "database_url": "postgresql://gateway@127.0.0.1:5432/gateway",
        "redis_url": "redis://127.0.0.1:6379/0",
        "documents_url": "file:///var/lib/gateway/documents",
        "trusted_proxies": "127.0.0.1/32,::1/128",
    }
    return InitOptions(file, **(defaults | changed))


async def test_the_file_is_private_complete_and_never_overwritten(gateway: Commands, tmp_path: Path) -> None:
    result = gateway("init", "--base-url", BASE_URL, "--engine-live", "simulator")
    assert result.returncode == 0, result.stderr
    file = tmp_path / "gateway.env"
    assert file.stat().st_mode & 0o777 == 0o600
    settings = load_settings(_env_file=file)
    assert [finding.text async for finding in check_configuration(settings) if finding.severity is Severity.error] == []
    tokens = [
        settings.secret_key,
        *(settings.metrics_token, settings.job_token, settings.engine_test_token, settings.engine_live_token),
    ]
    values = [token.get_secret_value() for token in tokens if token]
    assert len(set(values)) == len(tokens)
    assert min(map(len, values)) >= 32
    password = urlsplit(settings.database_url).password or ""
    assert f"login password '{password}'" in result.stdout
    assert len(password) >= 32

    written = file.read_text()
    again = gateway("init", "--base-url", BASE_URL)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == (
        "gateway: gateway.env exists, and is never overwritten; move it away or choose another --file\n"
    )
    assert file.read_text() == written


def test_a_shell_and_the_gateway_read_the_same_values(gateway: Commands, tmp_path: Path) -> None:
    words = ("--smtp-url", "smtp://u:p%40x@mail.example.com:587?starttls=required", "--mail-from", "Pix <a@b.example>")
    gateway("init", "--base-url", BASE_URL, *words)
    shell = subprocess.run(
        ["bash", "-euc", 'set -a; . ./gateway.env; printf "%s\n" "$GATEWAY_SMTP_URL" "$GATEWAY_MAIL_FROM"'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    settings = load_settings(_env_file=tmp_path / "gateway.env")
    assert settings.smtp_url is not None
    assert shell.stdout.splitlines() == [settings.smtp_url.get_secret_value(), settings.mail_from]


def test_it_prints_settings_and_sql_if_the_file_is_a_dash(gateway: Commands, tmp_path: Path) -> None:
    result = gateway("init", "--base-url", BASE_URL, "--file", "-")
    assert result.stdout.startswith("# Settings of the Pix gateway")
    assert result.stderr.startswith('create role "gateway" login')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"base_url": "http://pix.example.com"}, "start with https://"),
        ({"database_url": "postgresql://127.0.0.1/gateway"}, "must name role and database"),
        ({"database_url": "postgresql://gateway@127.0.0.1"}, "must name role and database"),
        ({"database_url": "postgresql://a%22b@127.0.0.1/gateway"}, "must be letters"),
        ({"redis_url": "http://x"}, "GATEWAY_REDIS_URL"),
        ({"trusted_proxies": "nowhere"}, "GATEWAY_TRUSTED_PROXIES"),
        ({"engine_live": "bank"}, "GATEWAY_ENGINE_LIVE"),
        ({"mail_from": 'Pix "$x" <a@b.example>'}, "GATEWAY_MAIL_FROM"),
    ],
)
def test_an_invalid_setting_is_refused_and_no_file_is_written(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    with pytest.raises(Exception, match=re.escape(reason)):
        initialise(options(tmp_path / "gateway.env", **changed))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InitError, match="can't be written: No such file or directory; choose another --file"):
        initialise(options(tmp_path / "none" / "gateway.env"))


async def test_the_role_owns_its_database_and_can_migrate_it(settings: Settings) -> None:
    sql = database_sql("postgresql://init-role:it's%20me@127.0.0.1/init-database")
    superuser = await asyncpg.connect(settings.asyncpg_dsn)
    try:
        for statement in re.sub(r"--.*", "", sql).split(";\n"):
            if statement.strip():
                await superuser.execute(statement)
        url = settings.database_url.replace("//postgres@/gateway?", "//init-role@/init-database?")
        connection = await asyncpg.connect(url)
        assert await connection.fetchval("show log_error_verbosity") == "terse"
        assert await connection.fetchval("show log_min_error_statement") == "panic"
        await connection.execute("create table mine (id uuid primary key default uuidv7())")
        await connection.close()
    finally:
        await superuser.execute('drop database if exists "init-database" with (force)')
        await superuser.execute('drop role if exists "init-role"')
        await superuser.close()
