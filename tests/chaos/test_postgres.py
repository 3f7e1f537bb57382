"""PostgreSQL crashes, is large, or can't write."""

import asyncio
import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg

from gateway.resolvers.core.context import system_context
from gateway.resolvers.webhooks.claims import claim_due, release
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.values.ids import new_id
from tests.chaos import answers
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.invariants import percentile
from tests.chaos.load import Load, failures
from tests.chaos.processes import until
from tests.chaos.report import Result

WITHOUT_ATTEMPT = """select count(*) from webhook_deliveries d where state = 1
                       and not exists (select from webhook_attempts a where a.delivery_id = d.id)"""
HALF = """select count(*) from charges c
           where not exists (select from webhook_events v where v.dedupe_key = 'charge.created:' || c.id)"""


@experiment(
    "7",
    "PostgreSQL immediate restart, twice, API under load",
    "in-flight transactions fail with a controlled 500 + `error.id`; pool heals; nothing half-written",
    quick=True,
)
async def test_experiment_07_postgres_is_cut_off(open_environment: OpenEnvironment, result: Result, full: bool) -> None:
    env: ChaosEnvironment = await open_environment(alone="all share PostgreSQL, and without it there are no deliveries")
    _, worker = await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant")
    link = await merchant.call(
        "POST", "/payment-links", {"title": "Pedido", "amount": 10}, token=merchant.tokens["test"]
    )
    load = Load(merchant, link["slug"])
    await load.prepare()
    heals = []
    async with load.running(30.0 if full else 15.0):
        for _ in range(2 if full else 1):
            await asyncio.sleep(2)
            await env.servers.crash_postgres()
            await asyncio.sleep(1)
            env.servers.postgres.start()
            up = time.monotonic()
            await until(partial(_recovered, load, up), "a request to succeed", every=0.005)
            heals.append(min(one.started + one.seconds for one in load.since(up) if one.status < 300) - up)
        await asyncio.sleep(3)
        calm = time.monotonic()
        await asyncio.sleep(2)
    await env.settled()
    wrong = failures(load.done)
    assert {status for _, status in wrong} <= {500}
    assert wrong or not full, "PostgreSQL was down, and no request failed"
    assert failures(load.since(calm)) == {}
    assert all(one.error_id for one in load.done if one.status == 500)
    assert await env.value(HALF) == 0
    assert worker.alive
    result.note(f"{len(load.done)} requests, {sum(wrong.values())} answered 500 with their `error.id`, none otherwise")
    result.note(
        f"first success {max(heals) * 1000:.0f} ms after PostgreSQL was back; worker alive, all events delivered"
    )


async def _recovered(load: Load, start: float) -> bool:
    return any(one.status < 300 for one in load.since(start))


@experiment(
    "23",
    "Outbox table with 1 M done + 100 k due at 2000 endpoints; vacuum running",
    "claim p95 < 60 ms",
    seconds=420,
)
async def test_experiment_23_a_large_outbox(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(alone="claims are timed and released, and nothing is delivered")
    await env.run(_LARGE_ENDPOINTS, 2000)
    await env.run(_LARGE_DONE, 1_000_000)
    await env.run(_LARGE_DUE, 100_000)
    await env.run("analyze")
    settings = load_settings(_env_file=None, **{name.lower(): value for name, value in env.settings.items()})
    async with open_services(settings) as services:
        ctx = system_context(services, source="job", request_id="experiment-23")
        vacuum = asyncio.create_task(_vacuum_until_canceled(env))
        spent = []
        for _ in range(60):
            started = time.perf_counter()
            claims = await claim_due(ctx, slots=50, retry_slots=50, degraded_slots=12)
            spent.append((time.perf_counter() - started) * 1000)
            assert len(claims) == 50
            await release(ctx, claims)
        vacuum.cancel()
        await asyncio.gather(vacuum, return_exceptions=True)
    # The invariants would read all of the million inserted rows, so these are deleted first.
    await env.run(
        """truncate webhook_attempts, webhook_deliveries, webhook_events, webhook_endpoint_health,
                    webhook_endpoints"""
    )
    result.note(
        f"60 claims of 50: p50 {statistics.median(spent):.0f} ms, p95 {percentile(spent, 95):.0f} ms, max {max(spent):.0f} ms"
    )
    assert percentile(spent, 95) < 60


async def _vacuum_until_canceled(env: ChaosEnvironment) -> None:
    while True:
        await env.run("vacuum webhook_deliveries")


_LARGE_ENDPOINTS = """
with store as (
    insert into users (id, name, email, password_hash, created_at, updated_at)
    values (uuidv7(), 'Ana', 'ana@example.com', '', now(), now()) returning id
)
insert into webhook_endpoints
       (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
select uuidv7(), store.id, 'live', 'loja', 'http://127.0.0.1:1/', '', 'whsec_', '{}', now(), now()
  from store, generate_series(1, $1::integer)
"""
_LARGE_EVENTS = """
with place as (select id, user_id, (row_number() over ()) - 1 as n from webhook_endpoints),
fresh as (select uuidv7() as id, n from generate_series(1, $1::integer) as n),
event as (
    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
    select fresh.id, place.user_id, 'live', 'charge.paid', 'x', 'experiment:' || fresh.id, now()
      from fresh join place on place.n = fresh.n % 2000 returning id
)
"""
_LARGE_DELIVERIES = """
insert into webhook_deliveries (event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at)
select fresh.id, place.id, {state}, {attempts}, now(), now(), {finished}
  from fresh join place on place.n = fresh.n % 2000
"""
_LARGE_DONE = _LARGE_EVENTS + _LARGE_DELIVERIES.format(state=1, attempts=1, finished="now()")
_LARGE_DUE = _LARGE_EVENTS + _LARGE_DELIVERIES.format(state=0, attempts=0, finished="null")


@experiment(
    "24a",
    "Statement timeout while completing a delivery",
    "delivery re-sent later, never marked delivered without a row in attempts",
)
async def test_experiment_24a_completing_times_out(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(alone="all deliveries are locked, so no result can be stored")
    await _limit_statements(env, "1s")
    lease = 4.0
    worker = await env.faulty_worker(lease=lease)
    store = await env.store()
    await env.insert_endpoint(store, "/merchant", answers.delay, seconds=1.0)
    await env.emit(store)
    await env.arrived(1)
    blocker = await asyncpg.connect(env.database_url, server_settings={"statement_timeout": "0"})
    async with blocker.transaction():
        await blocker.execute("select from webhook_deliveries for update")
        await worker.says("dispatcher_failed")
        await asyncio.sleep(lease)
    await blocker.close()
    await env.settled()
    assert await env.value(WITHOUT_ATTEMPT) == 0
    requests = env.receivers.requests()
    assert len(requests) >= 2
    failed = len(worker.said("dispatcher_failed"))
    result.note(
        f"{failed} statements timed out; sent again {requests[1].at - requests[0].at:.1f} s later (lease {lease:.0f} s)"
    )
    result.note("then delivered, with a row in attempts")


async def _limit_statements(env: ChaosEnvironment, seconds: str) -> None:
    await env.run(
        f"alter database {env.database_url.partition('?')[0].rpartition('/')[2]} set statement_timeout = '{seconds}'"
    )


@experiment(
    "24b",
    "Disk full while completing deliveries",
    "delivery re-sent later, never marked delivered without a row in attempts",
    seconds=240,
)
async def test_experiment_24b_the_disk_is_full(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(
        alone="all share the disk, and while it is full no result can be stored"
    )
    lease, due = 5.0, 200
    store = await env.store()
    for number in range(10):
        await env.insert_endpoint(store, f"/{number}", size=1500)
    await _fill_attempts(env)
    worker = await env.faulty_worker(lease=lease)
    size = await env.value("select max(pg_relation_size(relid)) from pg_partition_tree('webhook_attempts')")
    with _no_file_beyond(size, await _backends(env)):
        await env.emit(store, due // 10)
        await worker.says("dispatcher_failed")
        await asyncio.sleep(lease + 2)
        delivered = await env.value("select count(*) from webhook_deliveries where state = 1")
        refused = worker.said("dispatcher_failed")
        assert await env.value(WITHOUT_ATTEMPT) == 0
    assert "could not extend file" in str(refused)
    assert delivered < due
    await env.settled(120)
    assert await env.value(WITHOUT_ATTEMPT) == 0
    assert worker.alive
    twice = len(env.receivers.requests()) - due
    result.note(f"{len(refused)} writes refused for want of space, {delivered} deliveries marked delivered meanwhile")
    result.note(f"with space again all {due} delivered and logged, {twice} of them sent twice")
    await env.run("delete from webhook_attempts where delivery_id = $1", _NO_DELIVERY)


_NO_DELIVERY = new_id()
# Larger than a WAL segment, so the limit of file sizes applies to this table only.
_FILL_ATTEMPTS = """
insert into webhook_attempts (delivery_id, number, started_at, duration_ms, response)
select $1::uuid, n, now(), 1, decode(repeat(md5(n::text), 94), 'hex') from generate_series(1, 14000) as n
"""


async def _fill_attempts(env: ChaosEnvironment) -> None:
    """Insert attempts of no delivery into the partition of this month."""
    connection = await asyncpg.connect(env.database_url)
    await connection.execute(_FILL_ATTEMPTS, _NO_DELIVERY)
    await connection.execute("vacuum full webhook_attempts")  # PostgreSQL extends a table ahead of its rows.
    await connection.close()


async def _backends(env: ChaosEnvironment) -> list[int]:
    """The pids of the server, whose new sessions inherit its limits, and of all its sessions."""
    assert env.servers.postgres.pid
    return [env.servers.postgres.pid, *(row[0] for row in await env.rows("select pid from pg_stat_activity"))]


@contextmanager
def _no_file_beyond(size: int, pids: list[int]) -> Iterator[None]:
    """To PostgreSQL, which ignores SIGXFSZ for that purpose, a limit of its files is a full disk."""
    _limit(pids, str(size))
    try:
        yield
    finally:
        _limit(pids, "unlimited")


def _limit(pids: list[int], size: str) -> None:
    """As the user that the server runs as: limits of others' processes are not even root's in a container."""
    owner = Path(f"/proc/{pids[0]}").stat()
    account = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    for number, pid in enumerate(pids):
        done = subprocess.run(
            ["prlimit", f"--pid={pid}", f"--fsize={size}:"], **account, capture_output=True, check=False
        )
        assert not (done.returncode and number == 0), done.stderr  # Sessions may have ended meanwhile.
