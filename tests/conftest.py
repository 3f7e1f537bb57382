"""Real servers for every test: one PostgreSQL and one Redis per xdist worker, real commits.

All rows are deleted between tests. Nothing is patched: `Services` injects a fake clock and scripted engines.
"""

import asyncio
import gc
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as pace
from redis.asyncio import Redis

from gateway.app import Gateway
from gateway.dev.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import WebhookUrlPolicy
from gateway.integrations.engines.interface import Engines
from gateway.integrations.identity import Identities
from gateway.integrations.identity.appwrite import Appwrite, open_http
from gateway.integrations.object_storage import open_object_storage
from gateway.models.base import Environment
from gateway.models.database import Database, open_database
from gateway.models.migrate import upgrade
from gateway.models.tables import metadata
from gateway.rate_limits import RedisRateLimiter
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from gateway.security import Passwords, SessionTokens, Vault
from gateway.server.startup import gc_disabled
from gateway.settings import Settings, load_settings
from gateway.workers.notify import open_queue
from tests.api_client import Api, Merchant
from tests.appwrite import PROJECT, FakeAppwrite
from tests.commands import Commands
from tests.fake_clock import MovedClock
from tests.simulators import simulator
from tests.subprocesses import Forks

SECRET = "a secret key for tests only, 32 characters or more"
SLOWEST_FIRST = (
    "tests/embedded/test_dev.py",
    "tests/architecture/test_plans.py",
    "tests/schema/test_compiled.py::test_random_documents",
)
"""The slowest tests start first, so that no worker waits for them at the end."""
MIGRATED = "pristine"
"""A migrated database without connections, so that `create database … template` can copy it. Migrating takes longer."""


# Examples have no deadline and are the same in every run. `--hypothesis-profile default` tries new ones.
pace.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
pace.load_profile("steady")

# Structlog's default renders every local variable of a traceback, which takes 40 ms per exception.
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    # Not in tests/chaos or tests/clients: pytest reads options before it loads their conftest.py.
    parser.addoption("--chaos", action="store_true", help="run all fault-injection experiments in full size")
    parser.addoption("--chaos-page", help="write the table of results to this page")
    parser.addoption("--clients", action="store_true", help="run foreign clients from npm and PyPI (make clients)")
    parser.addoption("--fuzz", action="store_true", help="generate thousands of requests (make fuzz)")
    parser.addoption("--pages", action="store_true", help="walk every page of the panel for every role (make pages)")
    parser.addoption("--fuzz-seed", type=int, help="seed of the generated requests; random by default, and printed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("fuzz") and config.getoption("fuzz_seed") is None:
        worker_input: dict[str, int] = getattr(config, "workerinput", {})
        config.option.fuzz_seed = worker_input.get("fuzz_seed") or secrets.randbelow(10**9)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Passes one seed to all xdist workers."""
    node.workerinput["fuzz_seed"] = node.config.getoption("fuzz_seed")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrizes `seed`: the same few values in each run, or four times as many new ones with --fuzz."""
    if marker := metafunc.definition.get_closest_marker("seeds"):
        (few,) = marker.args
        fuzz, first = metafunc.config.getoption("fuzz"), metafunc.config.getoption("fuzz_seed")
        metafunc.parametrize("seed", range(first, first + 4 * few) if fuzz else range(few))


def pytest_xdist_auto_num_workers() -> int:
    # Tests wait for their servers, so two more workers than cores make the suite faster.
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(SLOWEST_FIRST))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # Modules and collected tests are never garbage, and scanning them takes a tenth of the suite's time.
    with gc_disabled():
        return (yield)


def pytest_unconfigure() -> None:
    # Pytest collects garbage twice after this. Freezing the live objects saves seconds.
    gc.collect()
    gc.freeze()


class RecordedNotifier:
    """Counts notifications to workers instead of sending them through Redis."""

    def __init__(self) -> None:
        self.webhook_calls = 0

    def webhooks(self) -> None:
        self.webhook_calls += 1

    async def answers(self) -> bool:
        return True


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """A directory in memory if available: the servers of the tests need speed and no durability."""
    memory = Path("/dev/shm")  # noqa: S108  # Linux keeps it in memory.
    base = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="gw", dir=base, ignore_cleanup_errors=True) as path:
        yield Path(path)


@pytest.fixture(scope="session")
def database_url(data_dir: Path) -> Iterator[str]:
    with EmbeddedPostgres(data_dir, durable=False, max_connections=200) as url:
        upgrade(url)
        asyncio.run(_copy(url))
        yield url


async def _copy(url: str) -> None:
    """Copy the database before other connections exist, since PostgreSQL refuses to copy one in use."""
    connection = await asyncpg.connect(url)
    # Planning is most of PostgreSQL's work in the tests. `tests/architecture` checks the plans of production.
    await connection.execute("alter database gateway set plan_cache_mode = force_generic_plan")
    await connection.execute(f"create database {MIGRATED} template gateway")
    await connection.close()


@pytest.fixture(scope="session")
def redis_url(data_dir: Path) -> Iterator[str]:
    with EmbeddedRedis(data_dir, durable=False) as url:
        yield url


@pytest.fixture(scope="session")
def settings(database_url: str, redis_url: str) -> Settings:
    return load_settings(
        _env_file=None,
        database_url=database_url,
        redis_url=redis_url,
        secret_key=SECRET,
        base_url="http://gateway.test",
        webhook_allowed_networks=(ip_network("127.0.0.0/8"),),
        engine_live="simulator",
        engine_test_token="test-notifications-token-0123456789abcdef",
        engine_live_token="live-notifications-token-0123456789abcdef",
        # Long enough for a busy machine. Tests of the timeout set their own.
        engine_notification_timeout_seconds=60,
        argon2_memory_kib=8,
        argon2_time_cost=1,
    )


@pytest.fixture(scope="session")
async def pool(settings: Settings) -> AsyncIterator[Database]:
    database = await open_database(settings.asyncpg_dsn, size=16)
    yield database
    await database.close()


class RowCleaner:
    """Deletes all rows over a connection of its own with triggers disabled, as one protects the audit trail.

    Disabling them on a shared connection would discard its cached plans.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    async def __call__(self) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        await self._connection.execute("select pg_temp.empty()")

    async def _connect(self) -> "asyncpg.Connection[asyncpg.Record]":
        connection = await asyncpg.connect(self._dsn, server_settings={"session_replication_role": "replica"})
        deletes = " ".join(f"delete from {table.name};" for table in metadata.sorted_tables)
        # A function caches the plans of its statements.
        await connection.execute(
            f"create function pg_temp.empty() returns void language plpgsql as 'begin {deletes} end'"
        )
        return connection

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


@pytest.fixture(scope="session")
async def empty(settings: Settings) -> AsyncIterator[RowCleaner]:
    cleaner = RowCleaner(settings.asyncpg_dsn)
    yield cleaner
    await cleaner.close()


@pytest.fixture
async def database(pool: Database, empty: RowCleaner) -> AsyncIterator[Database]:
    """The database, emptied after the test."""
    yield pool
    await empty()


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock(datetime.now(UTC))


@pytest.fixture
def engines(database: Database, clock: MovedClock) -> Engines:
    """Two simulators; `engines.test.scenario.plan("create_charge", Behaviour.refuse)` makes one misbehave."""
    return Engines(
        test=simulator(database, clock, Environment.test),
        live=simulator(database, clock, Environment.live),
    )


@pytest.fixture
def documents(data_dir: Path) -> Iterator[Path]:
    """The folder that stores merchants' documents, deleted after the test."""
    folder = data_dir / "documents"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
async def fake_appwrite() -> AsyncIterator[tuple[FakeAppwrite, Identities]]:
    """The identity service of all tests, and its client."""
    async with FakeAppwrite.running() as fake, open_http() as http:
        # Long enough for a busy machine. Tests of the deadline set their own.
        yield fake, Appwrite(http, fake.endpoint, PROJECT, deadline=60)


@pytest.fixture
def appwrite(fake_appwrite: tuple[FakeAppwrite, Identities]) -> Iterator[FakeAppwrite]:
    """The identity service; tests may script failures."""
    yield fake_appwrite[0]
    fake_appwrite[0].answers.clear()


@pytest.fixture
async def fresh_redis(settings: Settings) -> AsyncIterator[None]:
    """Empty Redis after the test, for fixtures that open their own services: rate limits are counted there."""
    yield
    async with Redis.from_url(settings.redis_url) as redis:
        await redis.flushdb()


@pytest.fixture
async def services(
    settings: Settings,
    database: Database,
    clock: MovedClock,
    engines: Engines,
    documents: Path,
    fake_appwrite: tuple[FakeAppwrite, Identities],
) -> AsyncIterator[Services]:
    queue = open_queue(settings.redis_url)
    resolver = Resolver()
    secret = settings.secret_key.get_secret_value()
    vault = Vault(secret)
    archive = open_object_storage(documents.as_uri())
    yield Services(
        settings=settings,
        database=database,
        credentials=Credentials(database),
        engines=engines,
        clock=clock,
        # Long enough for a busy machine: after a timeout the limiter would restart its counts in memory.
        limiter=RedisRateLimiter(queue, timeout_seconds=60),
        tickets=RedisRateLimiter(queue, timeout_seconds=60),
        notifier=RecordedNotifier(),
        passwords=Passwords(memory_kib=8, time_cost=1),
        tokens=SessionTokens(secret, clock, timedelta(hours=1)),
        vault=vault,
        addresses=WebhookUrlPolicy(AddressGuard(settings.webhook_allowed_networks), resolver),
        object_storage=archive,
        identities=fake_appwrite[1],
    )
    await queue.flushdb()
    await queue.aclose(True)
    resolver.close()
    archive.close()


@pytest.fixture
async def api(settings: Settings, services: Services) -> AsyncIterator[Api]:
    """The application in this process, through its real transports."""
    async with Api.of(Gateway(settings, services)) as opened:
        yield opened


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with Forks.open() as opened:
        yield opened


@pytest.fixture
def gateway(settings: Settings, forks: Forks, tmp_path: Path) -> Commands:
    """Runs `gateway …` with the test servers configured."""
    return Commands(settings, forks, tmp_path)


@pytest.fixture
async def merchant(api: Api) -> Merchant:
    """A registered merchant with a test API key."""
    return await api.register_merchant()
