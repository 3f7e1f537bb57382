"""`/health*` and `/metrics` with healthy and failing dependencies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database, open_database
from gateway.resolvers.core.context import Services
from gateway.resolvers.webhooks.backlog import BACKLOG
from gateway.settings import Settings
from gateway.workers.notify import RedisNotifier, open_queue
from tests import sql
from tests.api_client import Api, Merchant
from tests.explain import nodes, plan_of
from tests.fake_clock import MovedClock

NOT_LATE = {"oldest_seconds": 0.0, "stuck": False}


@asynccontextmanager
async def closed_database(settings: Settings) -> AsyncIterator[Database]:
    """A closed pool."""
    database = await open_database(settings.asyncpg_dsn, size=2)
    await database.close()
    yield database


async def test_health_reports_the_dependencies(api: Api, clock: MovedClock) -> None:
    answer = await api.get("/health")
    assert answer.status_code == 200
    health = answer.json()["data"]
    assert health.pop("uptime_seconds") >= 0
    assert health == {
        "status": "ok",
        "version": "2.0.0",
        "time": clock.now().isoformat(),
        "checks": {
            "database": "ok",
            "redis": "ok",
            "outbox": {"pending": 0, "oldest_seconds": 0.0, "stuck": False},
            "engine": "ok",
        },
    }


async def test_the_outbox_is_reported_with_its_oldest_delay(api: Api, merchant: Merchant, database: Database) -> None:
    endpoint = {"name": "x", "url": "http://127.0.0.1:18009/"}
    assert (await api.post("/webhook-endpoints", endpoint, token=merchant.token)).status_code == 201
    await merchant.issue()
    await merchant.issue()
    async with database.pool.acquire() as connection:
        await connection.execute(
            "update webhook_deliveries set next_attempt_at = now() - interval '90 s' "
            "where id = (select id from webhook_deliveries limit 1)"
        )
    outbox = (await api.get("/health")).json()["data"]["checks"]["outbox"]
    assert outbox["pending"] == 2
    assert 90 <= outbox["oldest_seconds"] < 120


async def test_a_retry_that_is_not_due_yet_is_no_delay(api: Api, merchant: Merchant, database: Database) -> None:
    endpoint = {"name": "x", "url": "http://127.0.0.1:18009/"}
    await api.post("/webhook-endpoints", endpoint, token=merchant.token)
    await merchant.issue()
    async with database.pool.acquire() as connection:
        await connection.execute("update webhook_deliveries set next_attempt_at = now() + interval '1 h'")
    assert (await api.get("/health")).json()["data"]["checks"]["outbox"] == NOT_LATE | {"pending": 1}


async def test_the_outbox_is_read_from_the_index_of_due_deliveries_only(database: Database) -> None:
    async with database.pool.acquire() as connection, connection.transaction():
        # After autovacuum has seen an empty table, a sequential scan would be cheapest.
        await connection.execute("set local enable_seqscan = off")
        plan = await plan_of(connection, BACKLOG)
    assert "ix_webhook_deliveries_due" in {node.get("Index Name") for node in nodes(plan)}
    read = {(node["Node Type"], node.get("Relation Name")) for node in nodes(plan)}
    assert ("Seq Scan", "webhook_deliveries") not in read


async def health_of_overdue(
    api: Api, merchant: Merchant, database: Database, *changes: str
) -> tuple[str, dict[str, float | bool]]:
    """The status and the outbox with a delivery due for three minutes, after further changes."""
    endpoint = {"name": "x", "url": "http://127.0.0.1:18009/"}
    await api.post("/webhook-endpoints", endpoint, token=merchant.token)
    await merchant.issue()
    await sql.run(database, "update webhook_deliveries set next_attempt_at = now() - interval '3 minutes'")
    for change in changes:
        await sql.run(database, change)
    answer = await api.get("/health")
    assert answer.status_code == 200
    health = answer.json()["data"]
    return health["status"], health["checks"]["outbox"]


async def test_an_outbox_without_attempts_is_stuck(api: Api, merchant: Merchant, database: Database) -> None:
    status, outbox = await health_of_overdue(api, merchant, database)
    assert (status, outbox["stuck"]) == ("degraded", True)
    assert outbox["oldest_seconds"] >= 180
    text = (await api.get("/metrics")).text
    assert "gateway_webhook_stuck_endpoints 1.0" in text
    assert "gateway_webhook_due 1.0" in text


LAST_ATTEMPT = (
    "insert into webhook_endpoint_health (endpoint_id, last_attempt_at, degraded, consecutive_failures) "
    "select id, now() - interval '{}', true, 3 from webhook_endpoints"
)


@pytest.mark.parametrize(
    ("change", "stuck"),
    [
        (LAST_ATTEMPT.format("1 minute"), False),
        (LAST_ATTEMPT.format("3 minutes"), True),
        ("update webhook_deliveries set next_attempt_at = now() - interval '90 s'", False),
        ("update webhook_endpoints set active = false", False),
    ],
    ids=["its endpoint was served since", "its endpoint was not", "not for long", "its endpoint is off"],
)
async def test_slow_deliveries_are_not_stuck(
    api: Api, merchant: Merchant, database: Database, change: str, stuck: bool
) -> None:
    status, outbox = await health_of_overdue(api, merchant, database, change)
    assert (status == "degraded", outbox["stuck"]) == (stuck, stuck)


async def test_a_backlog_behind_a_running_attempt_is_not_stuck(
    api: Api, merchant: Merchant, database: Database
) -> None:
    lease = """update webhook_deliveries set lease_token = uuidv7(), lease_until = now() + interval '1 minute',
                      next_attempt_at = now() + interval '1 minute'
                where id = (select id from webhook_deliveries limit 1)"""
    second = """with event as (
                    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
                    select uuidv7(), user_id, environment, type, body, 'x', now() from webhook_events returning id
                )
                insert into webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at)
                select event.id, endpoint_id, next_attempt_at, now() from event, webhook_deliveries"""
    status, outbox = await health_of_overdue(api, merchant, database, second, lease)
    assert (status, outbox["stuck"], outbox["pending"]) == ("ok", False, 2)
    assert outbox["oldest_seconds"] >= 180
    text = (await api.get("/metrics")).text
    for line in ("due 1.0", "in_flight 1.0", "scheduled 0.0", "stuck_endpoints 0.0", "degraded_endpoints 0.0"):
        assert f"gateway_webhook_{line}" in text


async def test_metrics_work_without_the_database(settings: Settings, services: Services) -> None:
    async with closed_database(settings) as dead, Api.of(Gateway(settings, replace(services, database=dead))) as api:
        answer = await api.get("/metrics")
    assert answer.status_code == 200
    assert "gateway_request_seconds_bucket" in answer.text


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
async def test_a_failing_database_is_503(settings: Settings, services: Services, path: str) -> None:
    async with closed_database(settings) as dead, Api.of(Gateway(settings, replace(services, database=dead))) as api:
        answer = await api.get(path)
        assert answer.status_code == 503
        assert "banco de dados" in answer.json()["error"]["message"]
        assert (await api.get("/health/live")).json() == {"data": {"status": "ok"}}
    if path == "/health":
        assert answer.json()["error"]["checks"] == {"database": "failing", "redis": "ok", "engine": "ok"}


@asynccontextmanager
async def unfit_database(settings: Settings, unfit: str) -> AsyncIterator[Database]:
    """A database that responds and can't serve: "postgres" has none of the tables."""
    empty, options = settings.asyncpg_dsn.replace("/gateway?", "/postgres?"), {"default_transaction_read_only": "on"}
    where = (empty, {}) if unfit == "empty" else (settings.asyncpg_dsn, options)
    database = await open_database(where[0], size=2, server_settings=where[1])
    yield database
    await database.close()


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
@pytest.mark.parametrize(
    ("unfit", "words"), [("empty", "falta `gateway migrate`"), ("read-only", "não aceita gravações")]
)
async def test_a_database_that_can_t_serve_is_503_with_the_reason(
    settings: Settings, services: Services, path: str, unfit: str, words: str
) -> None:
    async with (
        unfit_database(settings, unfit) as database,
        Api.of(Gateway(settings, replace(services, database=database))) as api,
    ):
        answer = await api.get(path)
    assert answer.status_code == 503
    assert words in answer.json()["error"]["message"]
    assert answer.json()["error"].get("checks", {"database": "failing"})["database"] == "failing"


async def test_without_redis_it_is_degraded_and_still_200(settings: Settings, services: Services) -> None:
    queue = open_queue("redis://127.0.0.1:1/0")
    try:
        async with Api.of(Gateway(settings, replace(services, notifier=RedisNotifier(queue)))) as api:
            answer = await api.get("/health")
            assert (await api.get("/health/ready")).status_code == 200
    finally:
        await queue.aclose(True)
    assert answer.status_code == 200
    assert answer.json()["data"]["status"] == "degraded"
    assert answer.json()["data"]["checks"]["redis"] == "failing"


async def test_the_engine_s_status_is_of_its_last_call(api: Api, merchant: Merchant, engines: Engines) -> None:
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("create_charge", Behaviour.unavailable)
    assert (await api.post("/pix", {"amount": 5}, token=merchant.key)).status_code == 400
    with pytest.raises(AssertionError, match="provedor de pagamentos"):
        await merchant.issue()
    answer = await api.get("/health")
    assert answer.status_code == 200
    assert (answer.json()["data"]["status"], answer.json()["data"]["checks"]["engine"]) == ("degraded", "failing")
    await merchant.issue()
    assert (await api.get("/health")).json()["data"]["checks"]["engine"] == "ok"


async def test_health_needs_no_credential_and_ignores_invalid_ones(api: Api) -> None:
    for path in ("/health", "/health/live", "/health/ready"):
        assert (await api.get(path, token="service_test_nonsense")).status_code == 200


async def test_metrics_without_a_token_are_for_loopback_only(settings: Settings, services: Services) -> None:
    gateway = Gateway(settings, services)
    async with Api.of(gateway, address="::1") as near:
        answer = await near.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain")
        assert "gateway_request_seconds_bucket" in answer.text
        assert (await near.get("/metrics", x_forwarded_for="203.0.113.9")).status_code == 403
    async with Api.of(gateway, address="203.0.113.9") as far:
        refused = await far.get("/metrics")
        assert refused.status_code == 403
        assert "GATEWAY_METRICS_TOKEN" in refused.json()["error"]["message"]


async def test_metrics_with_a_token_need_it(settings: Settings, services: Services) -> None:
    guarded = settings.model_validate(settings.model_dump() | {"metrics_token": "a token for the scraper"})
    async with Api.of(Gateway(guarded, replace(services, settings=guarded))) as api:
        assert (await api.get("/metrics")).json() == {"error": "Token JWT ou chave de API ausente"}
        assert (await api.get("/metrics", token="another")).status_code == 401
        assert (await api.get("/metrics", token="a token for the scraper")).status_code == 200


async def test_a_recovered_database_is_healthy(api: Api, database: Database, clock: MovedClock) -> None:
    async with database.pool.acquire() as connection:
        await connection.execute(
            "select pg_terminate_backend(pid, 30000) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() and state = 'idle'"
        )
    clock.advance(timedelta(seconds=1))
    statuses = {(await api.get("/health/ready")).status_code for _ in range(20)}
    assert 200 in statuses
    assert (await api.get("/health/ready")).status_code == 200
