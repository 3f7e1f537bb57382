"""One experiment's world: a database of its own, receivers, the gateway's processes, and merchants with endpoints."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from gateway.security import Vault, new_webhook_secret
from gateway.values.ids import new_id
from tests.chaos import answers
from tests.chaos.answers import Mode
from tests.chaos.assertions import Evidence, gather
from tests.chaos.fixtures import NOTICE_TOKENS, Endpoint, Shop
from tests.chaos.processes import GatewayProcess, until
from tests.chaos.receiver import Receivers, Request
from tests.chaos.servers import Plant
from tests.ports import free_port

SECRET = "a secret key for experiments only, 32 characters or more"
ALLOWED = "127.0.0.1/32"
"""Where receivers may be. The rest of 127.0.0.0/8 stays forbidden, and traps listen there."""

NEW_STORE = """insert into users (id, name, email, password_hash, created_at, updated_at)
               values ($1::uuid, 'Ana', $1::uuid::text || '@example.com', '', now(), now())"""
NEW_ENDPOINT = """insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
    values ($1, $2, $3, 'loja', $4, $5, 'whsec_', '{}', now(), now())"""
# As the outbox does it: one event, and a delivery to each active endpoint of its store and environment.
EMIT = """
with event as (
    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
    select id, $1::uuid, $2::text, 'charge.created',
           convert_to('{"id":"' || id || '","event":"charge.created","data":{"customer_name":"José 🎉"}}', 'UTF8'),
           'experiment:' || id, now()
      from (select uuidv7() as id from generate_series(1, $3::integer)) as fresh
    returning id
)
insert into webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at, attempts, failures)
select event.id, e.id, now() - $4::integer * interval '1 minute', now(), $4, $4 from event, webhook_endpoints e
 where e.user_id = $1::uuid and e.environment = $2::text and e.active
"""

DUE = "select exists(select from webhook_deliveries where state = 0"
BYSTANDER = "/bystander"


class Bystander:
    """A merchant that nothing is done to, with an event every quarter of a second while it is there: I10 judges by it.

    It comes with the first worker, and leaves when the experiment is judged. Before an experiment takes away what all
    deliveries need, it sends it away for that time.
    """

    def __init__(self, world: "World") -> None:
        self.endpoint: Endpoint | None = None
        self._world = world
        self._store = ""
        self._going_on: asyncio.Task[None] | None = None
        self._over = asyncio.Event()

    def come(self) -> None:
        """There it is, unless it was or the experiment is to be without."""
        if self._world.alone or self._going_on:
            return
        self._over.clear()
        self._going_on = asyncio.create_task(self._go_on())

    async def leave(self, *, told: bool = True) -> None:
        """No more events; it has got those that were. Those of a world in disorder are not waited for (`told`)."""
        if not self._going_on:
            return
        self._over.set()
        going_on, self._going_on = self._going_on, None
        if not told:
            going_on.cancel()
        await asyncio.gather(going_on, return_exceptions=not told)
        if told:
            await until(self._all_told, "the bystander's deliveries", 60 * self._world.slack)

    async def _go_on(self) -> None:
        if not self._store:
            self._store = await self._world.store()
            self.endpoint = await self._world.plant_endpoint(self._store, BYSTANDER, healthy=True)
            self._world.endpoints.remove(self.endpoint)  # Those are the experiment's.
        while not self._over.is_set():
            await self._world.emit(self._store)
            await asyncio.sleep(0.25)

    async def _all_told(self) -> bool:
        assert self.endpoint
        return not await self._world.value(f"{DUE} and endpoint_id = $1)", self.endpoint.id)


@dataclass
class World:
    """What an experiment acts upon. `slack` widens bounds of time where the machine is not the experiment's alone.

    `alone`: why a merchant beside the experiment could tell nothing; there is one where nothing is said.
    """

    plant: Plant
    home: Path
    database_url: str
    receivers: Receivers
    slack: float = 1.0
    alone: str = ""
    port: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    endpoints: list[Endpoint] = field(default_factory=list)
    processes: list[GatewayProcess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.vault = Vault(SECRET)
        self.bystander = Bystander(self)
        self.port = self.port or free_port()
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}",
            trust_env=False,
            timeout=60,
            limits=httpx.Limits(max_connections=200),
        )
        self.settings = {
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.plant.redis_url,
            "SECRET_KEY": SECRET,
            "BASE_URL": f"http://127.0.0.1:{self.port}",
            "WEBHOOK_ALLOWED_NETWORKS": ALLOWED,
            "TRUSTED_PROXIES": "127.0.0.0/8",
            "ENGINE_LIVE": "simulator",
            "ENGINE_TEST_TOKEN": NOTICE_TOKENS["test"],
            "ENGINE_LIVE_TOKEN": NOTICE_TOKENS["live"],
            "RECEIPTS_FOR_TEST": "true",
            "ARGON2_MEMORY_KIB": "1024",
            "ARGON2_TIME_COST": "1",
            **self.settings,
        }

    # Processes

    async def api(self, *words: str, **settings: str) -> GatewayProcess:
        """`gateway serve`, once it answers."""
        options = ("--port", str(self.port), "--workers", "1", *words)
        return await self._ready(self._start("api", "gateway", "serve", *options, settings=settings))

    async def odd_api(self, **oddities: Any) -> GatewayProcess:
        """An API with `names` of its own (`tests.chaos.faulty_api`), once it answers."""
        return await self._ready(self._start("api", "tests.chaos.faulty_api", str(self.port), json.dumps(oddities)))

    async def _ready(self, api: GatewayProcess) -> GatewayProcess:
        async def ready() -> bool:
            assert api.alive, api.log.read_text()[-2000:]
            try:
                return (await self.client.get("/health/ready")).status_code == 200
            except httpx.TransportError:
                return False

        await until(ready, "the API to be ready")
        return api

    async def worker(self, *, started: bool = True, **settings: str) -> GatewayProcess:
        """`gateway worker`."""
        return await self._at_work(self._start("worker", "gateway", "worker", settings=settings), started)

    async def odd_worker(
        self, *, started: bool = True, environment: dict[str, str] | None = None, **oddities: Any
    ) -> GatewayProcess:
        """A worker with a `lease`, a `skew` of its clock or `names` of its own (`tests.chaos.faulty_worker`)."""
        words = ("tests.chaos.faulty_worker", json.dumps(oddities))
        return await self._at_work(self._start("worker", *words, environment=environment or {}), started)

    async def _at_work(self, worker: GatewayProcess, started: bool) -> GatewayProcess:
        if started:
            await worker.says("worker_started")
            self.bystander.come()
        return worker

    def bill(self) -> GatewayProcess:
        """`gateway bill`, under way."""
        return self._start("bill", "gateway", "bill", "--data-dir", str(self.home))

    def _start(
        self, kind: str, *words: str, settings: dict[str, str] | None = None, environment: dict[str, str] | None = None
    ) -> GatewayProcess:
        log = self.home / f"{kind}-{len(self.processes)}.log"
        given = {**self.settings, **(settings or {})}
        process = GatewayProcess(self.plant.forks, *words, settings=given, log=log, **(environment or {}))
        self.processes.append(process)
        return process

    # Merchants

    async def shop(self, *, live: bool = False) -> Shop:
        """A merchant registered through the API; approved for live if asked."""
        shop = Shop(self.client)
        await shop.register()
        if live:
            await self.run("update users set production_status = 'approved' where id = $1", shop.id)
            await shop.go_live()
        return shop

    async def register(
        self,
        shop: Shop,
        path: str,
        mode: Mode = answers.ok,
        *,
        environment: str = "test",
        healthy: bool = False,
        url: str | None = None,
        **options: Any,
    ) -> Endpoint:
        """An endpoint, registered through the API."""
        self.receivers.answer(path, mode, **options)
        order = {"name": path, "url": url or self._url(path, environment)}
        made = await shop.call("POST", "/webhook-endpoints", order, token=shop.tokens[environment])
        endpoint = Endpoint(made["id"], path, environment, [made["secret"]], healthy)
        self.endpoints.append(endpoint)
        return endpoint

    def _url(self, path: str, environment: str) -> str:
        assert environment == "test", "live endpoints speak HTTPS: give their URL"
        return self.receivers.url(path)

    async def store(self) -> str:
        """A store's bare row, for events written by SQL; its id."""
        store = new_id()
        await self.run(NEW_STORE, store)
        return store

    async def plant_endpoint(
        self,
        store: str,
        path: str,
        mode: Mode = answers.ok,
        *,
        environment: str = "test",
        healthy: bool = False,
        url: str | None = None,
        **options: Any,
    ) -> Endpoint:
        """An endpoint written by SQL: live ones may then be plain HTTP, and there may be very many."""
        self.receivers.answer(path, mode, **options)
        endpoint = Endpoint(new_id(), path, environment, [new_webhook_secret()], healthy)
        encrypted = self.vault.encrypt(endpoint.secrets[0])
        await self.run(NEW_ENDPOINT, endpoint.id, store, environment, url or self.receivers.url(path), encrypted)
        self.endpoints.append(endpoint)
        return endpoint

    async def emit(self, store: str, count: int = 1, environment: str = "test", *, tried: int = 0) -> None:
        """Events written by SQL, in one transaction, as if they had been tried in vain so many times."""
        await self.run(EMIT, store, environment, count, tried)

    # The database, by connections of our own, so that a crashed server is no matter

    async def run(self, sql: str, *values: Any) -> None:
        await self._with(lambda connection: connection.execute(sql, *values))

    async def rows(self, sql: str, *values: Any) -> list[asyncpg.Record]:
        rows: list[asyncpg.Record] = await self._with(lambda connection: connection.fetch(sql, *values))
        return rows

    async def value(self, sql: str, *values: Any) -> Any:
        return await self._with(lambda connection: connection.fetchval(sql, *values))

    async def _with(self, act: Callable[[Any], Awaitable[Any]]) -> Any:
        connection = await asyncpg.connect(self.database_url)
        try:
            return await act(connection)
        finally:
            await connection.close()

    # What came of the experiment's own deliveries; the bystander's go on beside them

    def requests(self, path: str | None = None) -> list[Request]:
        """What arrived, in order."""
        return [request for request in self.receivers.requests(path) if request.path != BYSTANDER]

    async def any_due(self) -> bool:
        """Whether a delivery is on its way."""
        others = f"{DUE} and endpoint_id not in (select id from webhook_endpoints where url like '%' || $1))"
        return bool(await self.value(others, BYSTANDER))

    async def settled(self, seconds: float = 60.0) -> None:
        """Wait until no delivery is on its way any more."""

        async def none_due() -> bool:
            return not await self.any_due()

        await until(none_due, "all deliveries to settle", seconds * self.slack)

    async def arrived(self, count: int, path: str | None = None, seconds: float = 60.0) -> None:
        """Wait until `count` requests have come."""

        async def enough() -> bool:
            return len(self.requests(path)) >= count

        await until(enough, f"{count} requests at {path or 'any path'}", seconds * self.slack)

    # The verdict

    async def evidence(self) -> Evidence:
        bystander = [self.bystander.endpoint] if self.bystander.endpoint else []
        return await gather(self.rows, self.receivers, [*self.endpoints, *bystander])

    async def close(self) -> None:
        await self.client.aclose()
        for process in self.processes:
            process.end()
        self.receivers.stop()


@asynccontextmanager
async def opened_world(
    plant: Plant,
    home: Path,
    *,
    slack: float = 1.0,
    alone: str = "",
    listeners: list[dict[str, Any]] | None = None,
    **settings: str,
) -> AsyncIterator[World]:
    """A world with its receivers up and no process of the gateway yet."""
    receivers = Receivers(home / "receivers.jsonl", listeners or [])
    receivers.start()
    world = World(plant, home, await plant.new_database(), receivers, slack, alone, settings=dict(settings))
    try:
        yield world
    finally:
        await asyncio.shield(world.close())
