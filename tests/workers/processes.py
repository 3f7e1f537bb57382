"""Worker processes as an operator starts them."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from gateway.settings import Settings

NO_REDIS = "redis://127.0.0.1:1/0"


@dataclass
class WorkerProcess:
    process: Process
    lines: list[dict[str, Any]] = field(default_factory=list)

    async def says(self, event: str, seconds: float = 60.0) -> dict[str, Any]:
        """Wait for a line of the log."""
        async with asyncio.timeout(seconds):
            while True:
                for line in self.lines:
                    if line["event"] == event:
                        return line
                await self.read()

    async def read(self) -> None:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, f"the worker ended; it said {self.lines}"
        self.lines.append(json.loads(line))

    async def stop(self, seconds: float = 60.0) -> int:
        """SIGTERM; the exit code."""
        self.process.terminate()
        return await self.ended(seconds)

    async def ended(self, seconds: float = 60.0) -> int:
        """Wait for its end; the exit code."""
        async with asyncio.timeout(seconds):
            await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode

    async def kill(self) -> None:
        self.process.kill()
        await self.process.communicate()


@asynccontextmanager
async def working(
    settings: Settings, module: str = "gateway", *words: str, stderr: int | None = None, **changes: str
) -> AsyncIterator[WorkerProcess]:
    """`python -m gateway worker`, or another module, with these settings."""
    given = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key.get_secret_value(),
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "DATABASE_POOL": "4",
        **changes,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *(words or (("worker",) if module == "gateway" else ())),
        env={**os.environ, **{f"GATEWAY_{name}": value for name, value in given.items()}},
        stdout=PIPE,
        stderr=stderr,
    )
    worker = WorkerProcess(process)
    try:
        yield worker
    finally:
        if process.returncode is None:
            await worker.kill()
