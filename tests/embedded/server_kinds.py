"""Descriptions of the two embedded servers, and processes that hold one."""

import json
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import redis.asyncio

from gateway.dev.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.dev.embedded.orphan_processes import processes_in
from gateway.dev.embedded.server import EmbeddedServer

HOLDER = Path(__file__).with_name("holder.py")
REPOSITORY = HOLDER.parents[2]


async def note_row(url: str, text: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
    await connection.execute("INSERT INTO note VALUES ($1)", text)
    await connection.close()


async def rows(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    found = await connection.fetch("SELECT text FROM note")
    await connection.close()
    return [row["text"] for row in found]


async def note_item(url: str, text: str) -> None:
    client = redis.asyncio.from_url(url)
    await client.rpush("notes", text)
    await client.aclose()


async def items(url: str) -> list[str]:
    client = redis.asyncio.from_url(url)
    found = await client.lrange("notes", 0, -1)
    await client.aclose()
    return [item.decode() for item in found]


@dataclass
class Kind:
    """An embedded server, with functions to write to it and read from it."""

    name: str
    make: Callable[[Path], EmbeddedServer]
    note: Callable[[str, str], Awaitable[None]]
    notes: Callable[[str], Awaitable[list[str]]]

    def processes(self, data_dir: Path) -> list[int]:
        server = self.make(data_dir)
        return processes_in(server.home, server.programs)


POSTGRES = Kind("postgres", lambda path: EmbeddedPostgres(path, durable=False), note_row, rows)
REDIS = Kind("redis", EmbeddedRedis, note_item, items)


@dataclass
class Holder:
    """Another process that runs or joins a server."""

    process: subprocess.Popen[str]
    status: dict[str, object] = field(default_factory=dict)

    def wait_ready(self) -> "Holder":
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.status = json.loads(line)
        return self

    @property
    def url(self) -> str:
        return str(self.status["url"])

    @property
    def server_pid(self) -> int | None:
        pid = self.status["pid"]
        return pid if isinstance(pid, int) else None

    def release(self) -> None:
        self.process.communicate(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)
