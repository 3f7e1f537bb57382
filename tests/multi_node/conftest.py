"""Two API processes and two workers behind a proxy, on the test's own database and Redis."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from gateway.models.database import Database
from tests import sql
from tests.api_client import Api
from tests.chaos.processes import until
from tests.multi_node.proxy import Address, Proxy
from tests.subprocesses import CLEAN, Fork, Forks

HOST = "127.0.0.9"
"""No other connection uses this address, so a free port stays free."""
NAME = "two of each"
SESSIONS = "select count(*) from pg_stat_activity where application_name = $1"


@dataclass
class Fleet:
    """The processes behind the proxy, and a client of the proxy."""

    proxy: Proxy
    api: Api
    apis: dict[Address, int]
    """Process ids by address."""
    workers: list[int]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def settings_of(database_url: str, redis_url: str, documents: Path) -> dict[str, str]:
    return {
        "GATEWAY_DATABASE_URL": f"{database_url}{'&' if '?' in database_url else '?'}application_name={NAME}",
        "GATEWAY_REDIS_URL": redis_url,
        "GATEWAY_DOCUMENTS_URL": documents.as_uri(),
        "GATEWAY_SECRET_KEY": "a secret key for tests only, 32 characters or more",
        "GATEWAY_ENGINE_LIVE": "simulator",
        "GATEWAY_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.1/32",
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
        "GATEWAY_ARGON2_MEMORY_KIB": "8",
        "GATEWAY_ARGON2_TIME_COST": "1",
    }


@contextmanager
def processes(forks: Forks, commands: list[list[str]], settings: dict[str, str], home: Path) -> Iterator[list[Fork]]:
    """Run these `gateway` commands, each with its own log file."""
    with ExitStack() as stack:
        started = []
        for number, words in enumerate(commands):
            log = stack.enter_context(_log(home, number).open("w"))
            started.append(forks.start(*words, env=CLEAN | settings, cwd=home, stdout=log.fileno()))
            stack.callback(started[-1].wait)
            stack.callback(started[-1].kill)
        yield started


def _log(home: Path, number: int) -> Path:
    return home / f"{number}.log"


@pytest.fixture
async def fleet(
    database: Database, database_url: str, redis_url: str, documents: Path, forks: Forks, tmp_path: Path
) -> AsyncIterator[Fleet]:
    addresses = [(HOST, free_port()) for _ in range(2)]
    serving = [["serve", "--host", host, "--port", str(port), "--workers", "1"] for host, port in addresses]
    commands = [*serving, ["worker"], ["worker"]]
    async with AsyncExitStack() as stack:
        settings = settings_of(database_url, redis_url, documents)
        started = stack.enter_context(processes(forks, commands, settings, tmp_path))
        proxy = await stack.enter_async_context(Proxy.running(addresses))
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=proxy.url, trust_env=False, timeout=60))
        await until(lambda: _ready(client, addresses, tmp_path), "all of them to be ready", every=0.05)
        pids = [process.pid for process in started]
        yield Fleet(proxy, Api(client), dict(zip(addresses, pids[:2], strict=True)), pids[2:])
    # Sessions of killed processes may still run, and must end before the tables are emptied.
    await until(lambda: _no_session(database), "their sessions to end")
    redis = Redis.from_url(redis_url)
    await redis.flushdb()
    await redis.aclose()


async def _ready(client: httpx.AsyncClient, addresses: list[Address], home: Path) -> bool:
    try:
        answers = [await client.get(f"http://{host}:{port}/health/ready") for host, port in addresses]
    except httpx.TransportError:
        return False
    started = ["worker_started" in _log(home, number).read_text() for number in (2, 3)]
    return all(answer.status_code == 200 for answer in answers) and all(started)


async def _no_session(database: Database) -> bool:
    return await sql.value(database, SESSIONS, NAME) == 0
