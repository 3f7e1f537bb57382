"""The CPU time of the most expensive GraphQL requests on a real server."""

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.models.database import Database
from gateway.settings import Settings
from tests.api_client import PASSWORD, VALID_CNPJ
from tests.ports import free_port
from tests.schema.costly import A_MERCHANT, ANYBODY, document

MAX_ANONYMOUS_SECONDS, MAX_SECONDS = 0.1, 0.25
MARGIN = 2.5
"""Tolerance for slow and busy machines."""
TRIES = 3

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux has the CPU time of a process"),
    pytest.mark.timeout(300),
]


@asynccontextmanager
async def gateway(settings: Settings, folder: Path) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    """A server of `gateway serve`, with password hashing as in production."""
    port = free_port()
    variables = {
        "GATEWAY_DATABASE_URL": settings.database_url,
        "GATEWAY_REDIS_URL": settings.redis_url,
        "GATEWAY_SECRET_KEY": settings.secret_key.get_secret_value(),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", "serve", "--port", str(port)),
        env=os.environ | variables,
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            async with asyncio.timeout(60):
                while not await is_ready(client):  # noqa: ASYNC110  # A process has no event for listening.
                    await asyncio.sleep(0.1)
            yield process, client
    finally:
        process.terminate()
        await process.wait()


async def is_ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health/live")).status_code == 200
    except httpx.TransportError:
        return False


def cpu_seconds(process: Process) -> float:
    user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def send(client: httpx.AsyncClient, body: bytes, token: str | None = None) -> httpx.Response:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    return await client.post("/graphql", content=body, headers=headers)


async def find_too_expensive(
    process: Process, client: httpx.AsyncClient, requests: Mapping[str, bytes], limit: float, token: str | None = None
) -> dict[str, Any]:
    """The requests that always take more than `limit`, or get no response of GraphQL."""
    found: dict[str, Any] = {}
    for name, body in requests.items():
        taken: list[float] = []
        while len(taken) < TRIES and (not taken or taken[-1] > limit * MARGIN):
            # A new document each time, which is in no cache.
            fresh = body.replace(b'"query":"', b'"query":"#%d\\n' % len(taken), 1)
            before = cpu_seconds(process)
            answer = await send(client, fresh, token)
            taken.append(cpu_seconds(process) - before)
            if answer.status_code not in {200, 400} or not answer.json().keys() & {"data", "errors"}:
                found[name] = (answer.status_code, answer.text[:200])
        if taken[-1] > limit * MARGIN:
            found[name] = taken
    return found


async def register(client: httpx.AsyncClient) -> str:
    form = {"name": "Ana", "email": "ana@example.com", "password": PASSWORD, "cnpj": VALID_CNPJ, "company": "Loja"}
    session = await client.post("/auth/register", json=form)
    token: str = session.json()["data"]["accessToken"]
    return token


async def test_anonymous_requests_are_cheap(settings: Settings, database: Database, tmp_path: Path) -> None:
    async with gateway(settings, tmp_path) as (process, client):
        assert await find_too_expensive(process, client, ANYBODY, MAX_ANONYMOUS_SECONDS) == {}


async def test_a_merchant_s_requests_are_cheap(settings: Settings, database: Database, tmp_path: Path) -> None:
    order = {"amount": 5, "description": "Pedido", "customerName": "João", "customerEmail": "joao@example.com"}
    issue = " ".join(f"a{n}: issueCharge(input: $i) {{ id }}" for n in range(10))
    async with gateway(settings, tmp_path) as (process, client):
        token = await register(client)
        for _ in range(11):
            issued = await send(
                client,
                document(f"mutation($i: IssueChargeInput!) {{ {issue} }}", i=order | {"customerCpf": "52998224725"}),
                token,
            )
            assert "errors" not in issued.json(), issued.text
        assert await find_too_expensive(process, client, A_MERCHANT, MAX_SECONDS, token) == {}
