"""Deliveries per second of one dispatcher, from claim to written attempt, and how soon a committed event arrives.

`python -m bench.deliveries [--events 4000] [--endpoints 200]`: a database and a Redis of its own, embedded, a receiver
in a process of its own, plain HTTP over loopback, 1.5 KB bodies, uvloop. `--profile` prints where the CPU goes.

Events come at 50 a second in two ways: the dispatcher is told in its own process, as the worker tells it of what it
commits itself; and by hints through Redis, at most five a second, as the API tells it. Targets: 400 a second, and
from commit to receipt less than a second at p99, either way.
"""

import argparse
import asyncio
import cProfile
import multiprocessing
import pstats
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

import uvloop

from bench.figures import percentile
from bench.verdict import judged, leave
from gateway.egress import AddressGuard, EgressClient, Resolver
from gateway.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.ids import new_id
from gateway.models.database import Database
from gateway.models.migrate import upgrade
from gateway.resolvers.context import system_context
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import Settings, load_settings
from gateway.workers.deliveries import Dispatcher, Pace
from gateway.workers.sender import Sender
from gateway.workers.settings import take_hints

LEAST_RATE, MOST_P99_MS, CALM = 400, 1000, 50
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

    async def trickle(self, seconds: int, tell: Callable[[], None]) -> dict[bytes, float]:
        """Fifty events a second, each told of when it is committed: when that was."""
        self.committed.clear()
        for _ in range(seconds * CALM):
            started = time.perf_counter()
            await self.emit(1)
            tell()
            await asyncio.sleep(max(0.0, 1 / CALM - (time.perf_counter() - started)))
        await self.drained()
        return dict(self.committed)

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


@asynccontextmanager
async def hinted(settings: Settings, dispatcher: Dispatcher) -> AsyncIterator[None]:
    """The worker's end of the hints that go through Redis."""
    task = asyncio.create_task(take_hints(settings, dispatcher, ()))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def measure(database: str, redis: str, port: int, pipe: Connection, options: argparse.Namespace) -> bool:
    settings = load_settings(
        database_url=database,
        redis_url=redis,
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
            rate = options.events / (time.perf_counter() - clock)
            spent = (time.process_time() - cpu) / options.events * 1000
            told = f"{options.endpoints} endpoints: {rate:.0f} deliveries/s, {spent:.2f} ms CPU each"
            met = [judged(f"{told}, target {LEAST_RATE}/s", met=rate >= LEAST_RATE)]
            committed = {"told in its process": await outbox.trickle(options.seconds, dispatcher.wake)}
            async with hinted(settings, dispatcher):
                committed["hints by Redis"] = await outbox.trickle(options.seconds, services.wake.webhooks)
        pipe.send(None)
        arrivals = pipe.recv()
        for way, events in committed.items():
            p50, p99 = (percentile([arrivals[one] - at for one, at in events.items()], share) for share in (0.5, 0.99))
            told = f"at {CALM} events/s, {way}: commit to receipt p50 {p50:.1f} ms, p99 {p99:.1f} ms"
            met.append(judged(f"{told}, target {MOST_P99_MS} ms", met=p99 < MOST_P99_MS))
        resolver.close()
    return all(met)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--endpoints", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
        home = Path(path) / "data"
        with EmbeddedPostgres(home) as database, EmbeddedRedis(home) as redis:
            upgrade(database)
            port = ours.recv()
            if options.profile:
                profile.enable()
            met = uvloop.run(measure(database, redis, port, ours, options))
    receiver.terminate()
    if options.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    leave(met=met)


if __name__ == "__main__":
    main()
