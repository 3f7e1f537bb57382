"""A log that can't be written, to a pipe without a reader or a full disk, loses lines and nothing else."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

import httpx
import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from gateway.telemetry import LOG_LINES_LOST, Output
from tests import sql
from tests.ports import free_port
from tests.subprocesses import Forks
from tests.workers.outbox import Outbox
from tests.workers.processes import NO_REDIS, working
from tests.workers.receivers import receiving

pytestmark = pytest.mark.timeout(300)
DELIVERED = 1
FOUR_KIB = "ulimit -f 4 && exec {}"


@asynccontextmanager
async def serving(
    settings: Settings, port: int, stdout: int | BinaryIO, shell: str = "exec {}"
) -> AsyncIterator[Process]:
    """Run `gateway serve` from a shell that may set limits, with its log in `stdout`."""
    variables = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
    }
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", shell.format(f"{sys.executable} -m gateway serve --port {port} --workers 1")),
        env={**os.environ, **{f"GATEWAY_{name}": value for name, value in variables.items()}},
        stdout=stdout,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def wait_until_ready(client: httpx.AsyncClient) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await client.get("/health/live")
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            else:
                return


async def lost_lines(client: httpx.AsyncClient) -> float:
    """The number of lost log lines, from the metrics."""
    text = (await client.get("/metrics")).text
    (line,) = (line for line in text.splitlines() if line.startswith("gateway_log_lines_lost_total"))
    return float(line.split()[1])


async def test_the_api_survives_the_reader_of_its_log(settings: Settings, services: Services) -> None:
    port = free_port()
    reading, writing = os.pipe()
    async with (
        serving(settings, port, writing) as process,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        os.close(writing)
        await wait_until_ready(client)
        os.close(reading)
        answers = [(await client.get("/health/live")).status_code for _ in range(8)]
        assert answers == [200] * 8
        assert await lost_lines(client) >= 7  # The line of a response may be logged after the next request.
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGTERM  # Uvicorn's graceful exit.


async def test_a_full_disk_loses_lines_and_later_lines_are_whole(
    settings: Settings, services: Services, tmp_path: Path
) -> None:
    port = free_port()
    path = tmp_path / "log"
    with path.open("ab") as log:
        async with (
            serving(settings, port, log, FOUR_KIB) as process,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
        ):
            await wait_until_ready(client)
            while not await lost_lines(client):
                assert (await client.get("/health/live")).status_code == 200
            assert path.stat().st_size == 4096
            before = path.read_bytes()
            torn = not before.endswith(b"\n")
            os.truncate(path, 0)  # As log rotation by copying does.
            assert (await client.get("/health/live")).status_code == 200
            process.terminate()
            assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGTERM
    after = path.read_bytes()
    assert after.startswith(b"\n") is torn, "what was torn has an end"
    whole = before.splitlines()[: -1 if torn else None] + after.lstrip(b"\n").splitlines()
    events = [json.loads(line)["event"] for line in whole]
    assert events[-1] == f"Finished server process [{process.pid}]"


async def test_a_worker_without_a_log_still_delivers(
    settings: Settings, forks: Forks, services: Services, database: Database
) -> None:
    outbox = await Outbox.open(services, database)
    application = {"DATABASE_URL": f"{settings.database_url}&application_name=unheard"}
    async with receiving() as receiver, working(forks, settings, REDIS_URL=NO_REDIS, **application) as worker:
        endpoint = await outbox.endpoint(receiver.url())
        await worker.logs("worker_started")
        worker.log_pipe.close()
        for number in range(3):
            gone = "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'unheard'"
            assert await sql.value(database, gone) > 0
            await outbox.emit(endpoint)
            await receiver.arrived(1 + number)
        assert await outbox.settled() == {DELIVERED: 3}
        assert await worker.stop() == 0


def test_a_partial_write_counts_its_lost_lines() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = LOG_LINES_LOST._value.get()
    with os.fdopen(writing, "wb") as stream, os.fdopen(reading, "rb", buffering=0) as reader:
        output = Output(stream)
        output.write((b"x" * 999 + b"\n") * 1000)
        taken = reader.read(1_000_000)
        assert 0 < len(taken) < 1_000_000
        assert LOG_LINES_LOST._value.get() - before == 1000 - taken.count(b"\n")
        before = LOG_LINES_LOST._value.get()
        output.write(b"next\n")
        assert reader.read(1000) == b"next\n" if taken.endswith(b"\n") else b"\nnext\n"
    output.write(b"no reader\nreads this\n")
    assert LOG_LINES_LOST._value.get() - before == 2
