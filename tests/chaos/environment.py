"""The environment of an experiment: its own database, receivers, gateway processes, and merchants with endpoints."""

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
from tests.chaos.fixtures import NOTIFICATION_TOKENS, Endpoint, Merchant
from tests.chaos.processes import GatewayProcess, until
from tests.chaos.receiver import Receivers, Request
from tests.chaos.servers import Servers
from tests.ports import free_port

SECRET = "a secret key for experiments only, 32 characters or more"
ALLOWED = "127.0.0.1/32"
"""The receivers' network. The rest of 127.0.0.0/8 is forbidden, and traps listen there."""

NEW_STORE = """insert into users (id, name, email, password_hash, created_at, updated_at)
               values ($1::uuid, 'Ana', $1::uuid::text || '@example.com', '', now(), now())"""
NEW_ENDPOINT = """insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
    values ($1, $2, $3, 'loja', $4, $5, 'whsec_', '{}', now(), now())"""
# As the outbox does: one event, and a delivery to each active endpoint of its store and environment.
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
    """An unaffected merchant with an event every quarter of a second, for invariant I10.

    It starts with the first worker and stops when the experiment is checked. Experiments that interrupt all deliveries
    stop it for that time.
    """

    def __init__(self, env: "ChaosEnvironment") -> None:
        self.endpoint: Endpoint | None = None
        self._env = env
        self._store = ""
        self._task: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()

    def start(self) -> None:
        """Start the events, unless they run already or the experiment has no bystander."""
        if self._env.alone or self._task:
            return
        self._stopped.clear()
        self._task = asyncio.create_task(self._emit_events())

    async def leave(self, *, wait: bool = True) -> None:
        """Stop the events, and with `wait` wait for their deliveries."""
        if not self._task:
            return
        self._stopped.set()
        task, self._task = self._task, None
        if not wait:
            task.cancel()
        await asyncio.gather(task, return_exceptions=not wait)
        if wait:
            await until(self._all_delivered, "the bystander's deliveries", 60 * self._env.slack)

    async def _emit_events(self) -> None:
        if not self._store:
            self._store = await self._env.store()
            self.endpoint = await self._env.insert_endpoint(self._store, BYSTANDER, healthy=True)
            self._env.endpoints.remove(self.endpoint)  # The list has the experiment's endpoints only.
        while not self._stopped.is_set():
            await self._env.emit(self._store)
            await asyncio.sleep(0.25)

    async def _all_delivered(self) -> bool:
        assert self.endpoint
        return not await self._env.value(f"{DUE} and endpoint_id = $1)", self.endpoint.id)


@dataclass
class ChaosEnvironment:
    """All objects of an experiment. `slack` multiplies time limits on a busy machine.

    `alone`: the reason why there is no unaffected merchant; empty if there is one.
    """

    servers: Servers
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
            "REDIS_URL": self.servers.redis_url,
            "SECRET_KEY": SECRET,
            "BASE_URL": f"http://127.0.0.1:{self.port}",
            "WEBHOOK_ALLOWED_NETWORKS": ALLOWED,
            "TRUSTED_PROXIES": "127.0.0.0/8",
            "ENGINE_LIVE": "simulator",
            "ENGINE_TEST_TOKEN": NOTIFICATION_TOKENS["test"],
            "ENGINE_LIVE_TOKEN": NOTIFICATION_TOKENS["live"],
            "RECEIPTS_FOR_TEST": "true",
            "ARGON2_MEMORY_KIB": "1024",
            "ARGON2_TIME_COST": "1",
            **self.settings,
        }

    # Processes

    async def api(self, *words: str, **settings: str) -> GatewayProcess:
        """Start `gateway serve` and wait until it is ready."""
        options = ("--port", str(self.port), "--workers", "1", *words)
        return await self._ready(self._start("api", "gateway", "serve", *options, settings=settings))

    async def faulty_api(self, **faults: Any) -> GatewayProcess:
        """Start an API with false `names` (`tests.chaos.faulty_api`) and wait until it is ready."""
        return await self._ready(self._start("api", "tests.chaos.faulty_api", str(self.port), json.dumps(faults)))

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
        """Start `gateway worker`."""
        return await self._at_work(self._start("worker", "gateway", "worker", settings=settings), started)

    async def faulty_worker(
        self, *, started: bool = True, environment: dict[str, str] | None = None, **faults: Any
    ) -> GatewayProcess:
        """Start a worker with another `lease`, a clock `skew` or false `names` (`tests.chaos.faulty_worker`)."""
        words = ("tests.chaos.faulty_worker", json.dumps(faults))
        return await self._at_work(self._start("worker", *words, environment=environment or {}), started)

    async def _at_work(self, worker: GatewayProcess, started: bool) -> GatewayProcess:
        if started:
            await worker.says("worker_started")
            self.bystander.start()
        return worker

    def bill(self) -> GatewayProcess:
        """Start `gateway bill`."""
        return self._start("bill", "gateway", "bill", "--data-dir", str(self.home))

    def reconcile(self) -> GatewayProcess:
        """Start `gateway reconcile`."""
        return self._start("reconcile", "gateway", "reconcile", "--data-dir", str(self.home))

    def _start(
        self, kind: str, *words: str, settings: dict[str, str] | None = None, environment: dict[str, str] | None = None
    ) -> GatewayProcess:
        log = self.home / f"{kind}-{len(self.processes)}.log"
        merged = {**self.settings, **(settings or {})}
        process = GatewayProcess(self.servers.forks, *words, settings=merged, log=log, **(environment or {}))
        self.processes.append(process)
        return process

    # Merchants

    async def merchant(self, *, live: bool = False) -> Merchant:
        """A merchant registered through the API; `live` approves it."""
        merchant = Merchant(self.client)
        await merchant.register()
        if live:
            await self.run("update users set production_status = 'approved' where id = $1", merchant.id)
            await merchant.go_live()
        return merchant

    async def register(
        self,
        merchant: Merchant,
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
        created = await merchant.call("POST", "/webhook-endpoints", order, token=merchant.tokens[environment])
        endpoint = Endpoint(created["id"], path, environment, [created["secret"]], healthy)
        self.endpoints.append(endpoint)
        return endpoint

    def _url(self, path: str, environment: str) -> str:
        assert environment == "test", "live endpoints need an HTTPS URL"
        return self.receivers.url(path)

    async def store(self) -> str:
        """Insert a store's row, for events inserted by SQL; returns its id."""
        store = new_id()
        await self.run(NEW_STORE, store)
        return store

    async def insert_endpoint(
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
        """Insert an endpoint by SQL, which allows plain HTTP for live ones and any number of them."""
        self.receivers.answer(path, mode, **options)
        endpoint = Endpoint(new_id(), path, environment, [new_webhook_secret()], healthy)
        encrypted = self.vault.encrypt(endpoint.secrets[0])
        await self.run(NEW_ENDPOINT, endpoint.id, store, environment, url or self.receivers.url(path), encrypted)
        self.endpoints.append(endpoint)
        return endpoint

    async def emit(self, store: str, count: int = 1, environment: str = "test", *, tried: int = 0) -> None:
        """Insert events by SQL in one transaction, with `tried` failed attempts."""
        await self.run(EMIT, store, environment, count, tried)

    # The database, with a connection per call, which survives a crash of the server

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

    # The experiment's own deliveries, without the bystander's

    def requests(self, path: str | None = None) -> list[Request]:
        """The received requests, in order."""
        return [request for request in self.receivers.requests(path) if request.path != BYSTANDER]

    async def any_due(self) -> bool:
        """Whether a delivery is pending."""
        others = f"{DUE} and endpoint_id not in (select id from webhook_endpoints where url like '%' || $1))"
        return bool(await self.value(others, BYSTANDER))

    async def settled(self, seconds: float = 60.0) -> None:
        """Wait until no delivery is pending."""

        async def none_due() -> bool:
            return not await self.any_due()

        await until(none_due, "all deliveries to settle", seconds * self.slack)

    async def arrived(self, count: int, path: str | None = None, seconds: float = 60.0) -> None:
        """Wait until `count` requests have arrived."""

        async def enough() -> bool:
            return len(self.requests(path)) >= count

        await until(enough, f"{count} requests at {path or 'any path'}", seconds * self.slack)

    # The result

    async def evidence(self) -> Evidence:
        bystander = [self.bystander.endpoint] if self.bystander.endpoint else []
        return await gather(self.rows, self.receivers, [*self.endpoints, *bystander])

    async def close(self) -> None:
        await self.client.aclose()
        for process in self.processes:
            process.end()
        self.receivers.stop()


@asynccontextmanager
async def running_environment(
    servers: Servers,
    home: Path,
    *,
    slack: float = 1.0,
    alone: str = "",
    listeners: list[dict[str, Any]] | None = None,
    **settings: str,
) -> AsyncIterator[ChaosEnvironment]:
    """An environment with its receivers started, without gateway processes."""
    receivers = Receivers(home / "receivers.jsonl", listeners or [])
    receivers.start()
    env = ChaosEnvironment(
        servers, home, await servers.new_database(), receivers, slack, alone, settings=dict(settings)
    )
    try:
        yield env
    finally:
        await asyncio.shield(env.close())
