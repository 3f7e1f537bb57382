"""Deliveries per second of one dispatcher, from claim to written attempt, and how soon a committed event arrives.

`python bench/deliveries.py [--events 4000] [--endpoints 200]`: a database of its own on embedded PostgreSQL, a receiver
in a process of its own, plain HTTP over loopback, 1.5 KB bodies, uvloop. `--profile` prints where the CPU goes.
"""

import argparse
import asyncio
import cProfile
import multiprocessing
import pstats
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

import uvloop

from gateway.egress import AddressGuard, EgressClient, Resolver
from gateway.embedded import EmbeddedPostgres
from gateway.ids import new_id
from gateway.models.database import Database
from gateway.models.migrate import upgrade
from gateway.resolvers.context import system_context
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.workers.deliveries import Dispatcher, Pace
from gateway.workers.sender import Sender

BODY = b'{"id":"01931e7e","event":"charge.paid","data":{"description":"' + b"x" * 1430 + b'"}}'


class Receiver(asyncio.Protocol):
    """Answers 200 at the end of the body and notes when each `webhook-id` came; cheap, so that it isn't measured."""

    arrivals: dict[bytes, float] = {}  # noqa: RUF012 -- of the whole process, by design.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._data = b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        if self._data.endswith(BODY[-16:]):
            at = self._data.index(b"webhook-id: ") + 12
            self.arrivals[self._data[at : at + 36]] = time.time()
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: bench\r\n\r\nok")


def receive(pipe: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        pipe.send(Receiver.arrivals)

    uvloop.run(serve())


STORE = "insert into users (id, name, email, created_at, updated_at) values ($1::uuid, 'Ana', $1::uuid || '@example.com', now(), now())"
ENDPOINT = """insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
    values ($1, $2, 'live', 'loja', $3, $4, 'whsec_', '{}', now(), now())"""
EVENT = """insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
           values ($1::uuid, $2, 'live', 'charge.paid', $3, $1::uuid::text, now())"""
DELIVERY = """insert into webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at)
              values ($1, $2, now(), now())"""


class Outbox:
    def __init__(self, database: Database) -> None:
        self.pool = database.pool
        self.store = new_id()
        self.endpoints: list[str] = []
        self.committed: dict[bytes, float] = {}

    async def prepare(self, url: str, endpoints: int, sealed: bytes) -> None:
        self.endpoints = [new_id() for _ in range(endpoints)]
        async with self.pool.acquire() as connection:
            await connection.execute(STORE, self.store)
            await connection.executemany(ENDPOINT, [(i, self.store, url, sealed) for i in self.endpoints])

    async def emit(self, count: int) -> None:
        ids = [new_id() for _ in range(count)]
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.executemany(EVENT, [(i, self.store, BODY) for i in ids])
            places = (self.endpoints[n % len(self.endpoints)] for n in range(count))
            await connection.executemany(DELIVERY, list(zip(ids, places, strict=True)))
        now = time.time()
        self.committed |= {i.encode(): now for i in ids}

    async def drained(self) -> None:
        due = "select exists(select from webhook_deliveries where state = 0)"
        async with self.pool.acquire() as connection:
            while await connection.fetchval(due):  # noqa: ASYNC110 -- PostgreSQL announces nothing.
                await asyncio.sleep(0.02)


@asynccontextmanager
async def dispatching(dispatcher: Dispatcher) -> AsyncIterator[None]:
    task = asyncio.create_task(dispatcher.run())
    try:
        yield
    finally:
        dispatcher.stop()
        await task


async def measure(url: str, port: int, pipe: Connection, options: argparse.Namespace) -> None:
    settings = load_settings(
        database_url=url,
        redis_url="redis://127.0.0.1:1",
        secret_key="x" * 32,
        webhook_allowed_networks=(ip_network("127.0.0.0/8"),),
    )
    async with open_services(settings) as services:
        outbox = Outbox(services.database)
        target = f"http://127.0.0.1:{port}/hook"
        await outbox.prepare(target, options.endpoints, services.vault.seal(new_webhook_secret()))
        resolver = Resolver()
        client = EgressClient(AddressGuard(settings.webhook_allowed_networks), resolver)
        ctx = system_context(services, source="job", request_id="bench")
        dispatcher = Dispatcher(ctx, Sender(client.post, services.vault).send, Pace())
        await outbox.emit(options.events)
        async with outbox.pool.acquire() as connection:
            await connection.execute("analyze")
        cpu, clock = time.process_time(), time.perf_counter()
        async with dispatching(dispatcher):
            await outbox.drained()
            seconds = time.perf_counter() - clock
            spent = (time.process_time() - cpu) / options.events * 1000
            print(
                f"{options.endpoints} endpoints: {options.events / seconds:.0f} deliveries/s, {spent:.2f} ms CPU each"
            )
            outbox.committed.clear()
            for _ in range(options.seconds * 50):
                started = time.perf_counter()
                await outbox.emit(1)
                dispatcher.wake()
                await asyncio.sleep(max(0.0, 0.02 - (time.perf_counter() - started)))
            await outbox.drained()
        pipe.send(None)
        arrivals = pipe.recv()
        waits = sorted(arrivals[event] - committed for event, committed in outbox.committed.items())
        if waits:
            p50, p99 = waits[len(waits) // 2], waits[int(len(waits) * 0.99)]
            print(f"at 50 events/s: commit to receipt p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms")
        resolver.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--endpoints", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as path, EmbeddedPostgres(Path(path) / "data") as url:
        upgrade(url)
        port = ours.recv()
        if options.profile:
            profile.enable()
        uvloop.run(measure(url, port, ours, options))
    receiver.terminate()
    if options.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
