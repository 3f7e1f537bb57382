"""Exit codes of `gateway serve` with several processes."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import httpx
import pytest

from gateway.settings import Settings
from tests.ports import free_port


@pytest.fixture
async def limited_dsn(settings: Settings) -> AsyncIterator[str]:
    """A DSN whose role may open one connection: enough for the check at start, too few for a process."""
    owner = await asyncpg.connect(settings.asyncpg_dsn)
    await owner.execute("create role narrow login connection limit 1; grant select on alembic_version to narrow")
    yield settings.asyncpg_dsn.replace("//postgres@", "//narrow@")
    await owner.execute("drop owned by narrow; drop role narrow")
    await owner.close()


async def _serve(settings: Settings, database_url: str, port: int, folder: Path) -> Process:
    urls = {"DATABASE_URL": database_url, "REDIS_URL": settings.redis_url}
    secret = {"SECRET_KEY": settings.secret_key.get_secret_value()}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", "serve", "--port", str(port), "--workers", "2"),
        env={**os.environ, **{f"GATEWAY_{name}": value for name, value in (urls | secret).items()}},
        cwd=folder,
    )


async def test_processes_that_can_t_start_exit_with_1(settings: Settings, limited_dsn: str, tmp_path: Path) -> None:
    process = await _serve(settings, limited_dsn, free_port(), tmp_path)
    assert await asyncio.wait_for(process.wait(), 100) == 1


async def test_processes_that_are_stopped_exit_with_0(settings: Settings, tmp_path: Path) -> None:
    port = free_port()
    process = await _serve(settings, settings.database_url, port, tmp_path)
    async with asyncio.timeout(100), httpx.AsyncClient() as client:
        while True:
            try:
                await client.get(f"http://127.0.0.1:{port}/health/live")
            except httpx.TransportError:
                await asyncio.sleep(0.1)
            else:
                break
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
