"""Worker processes as an operator starts them."""

import asyncio
import json
import os
from asyncio import ReadTransport, StreamReader, StreamReaderProtocol
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from gateway.settings import Settings
from tests.subprocesses import CLEAN, Fork, Forks

NO_REDIS = "redis://127.0.0.1:1/0"


@dataclass
class WorkerProcess:
    process: Fork
    log: StreamReader
    log_pipe: ReadTransport
    lines: list[dict[str, Any]] = field(default_factory=list)

    async def logs(self, event: str, seconds: float = 60.0) -> dict[str, Any]:
        """Wait for a line of the log."""
        async with asyncio.timeout(seconds):
            while True:
                for line in self.lines:
                    if line["event"] == event:
                        return line
                await self.read()

    async def read(self) -> None:
        line = await self.log.readline()
        assert line, f"the worker ended; it logged {self.lines}"
        self.lines.append(json.loads(line))

    async def stop(self, seconds: float = 60.0) -> int:
        """Send SIGTERM; returns the exit code."""
        self.process.terminate()
        return await self.ended(seconds)

    async def ended(self, seconds: float = 60.0) -> int:
        """Wait for its end; returns the exit code."""
        async with asyncio.timeout(seconds):
            await self.log.read()
        return await asyncio.to_thread(self.process.wait, seconds)

    async def kill(self) -> None:
        self.process.kill()
        await self.ended()


@asynccontextmanager
async def working(
    forks: Forks, settings: Settings, module: str = "gateway", **changes: str
) -> AsyncIterator[WorkerProcess]:
    """`python -m gateway worker`, or another module, with these settings."""
    env = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "DATABASE_POOL": "4",
        **changes,
    }
    read_end, write_end = os.pipe()
    process = forks.start(
        *(("worker",) if module == "gateway" else ()),
        module=module,
        env=CLEAN | {f"GATEWAY_{name}": value for name, value in env.items()},
        cwd=Path(gettempdir()),  # Without a developer's `.env`.
        stdout=write_end,
        stderr=2,
    )
    os.close(write_end)
    log = StreamReader()
    log_pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: StreamReaderProtocol(log), os.fdopen(read_end, "rb")
    )
    worker = WorkerProcess(process, log, log_pipe)
    try:
        yield worker
    finally:
        await worker.kill()
        log_pipe.close()
