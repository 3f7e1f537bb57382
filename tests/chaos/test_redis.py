"""Failures of Redis, which has only notifications and counts, must not affect payments and webhooks."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import redis.asyncio
from redis.exceptions import RedisError

from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.invariants import healthy_waits, percentile, waits_at
from tests.chaos.load import Load, failures, format_percentiles, slowest_by_kind
from tests.chaos.processes import frozen
from tests.chaos.report import Result

NO_REDIS = "redis://127.0.0.1:1/0"
MAX_SLOWDOWN_SECONDS = 0.3
"""Maximum additional time of a request."""
RATE = 20.0


@experiment(
    "4",
    "Redis FLUSHALL in a loop during 500 payments",
    "all delivered; p95 ≤ poll interval + 1 s",
    quick=True,
)
async def test_experiment_04_redis_is_flushed_in_a_loop(
    open_environment: OpenEnvironment, result: Result, full: bool
) -> None:
    env: ChaosEnvironment = await open_environment()
    payments = 500 if full else 40
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    async with _flushing(env) as flushes:
        for _ in range(payments // 10):
            charges = await asyncio.gather(*[merchant.issue() for _ in range(10)])
            await asyncio.gather(*[merchant.pay(charge) for charge in charges])
        await env.settled()
    waits = waits_at(await env.evidence(), "/merchant")
    assert len(waits) == 2 * payments
    assert percentile(waits, 95) <= 2.0 * env.slack
    result.note(f"{payments} payments, {len(waits)} of {2 * payments} events delivered under {len(flushes)} FLUSHALL")
    result.note(f"commit to arrival p50 {percentile(waits, 50):.2f} s, p95 {percentile(waits, 95):.2f} s")


@asynccontextmanager
async def _flushing(env: ChaosEnvironment) -> AsyncIterator[list[float]]:
    client = redis.asyncio.Redis.from_url(env.servers.redis_url)
    flushes: list[float] = []

    async def flush() -> None:
        while True:
            await client.flushall()
            flushes.append(time.monotonic())
            await asyncio.sleep(0.02)

    task = asyncio.create_task(flush())
    try:
        yield flushes
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, RedisError):
            await task
        await client.aclose()


@asynccontextmanager
async def _stopped(env: ChaosEnvironment) -> AsyncIterator[None]:
    await env.servers.kill_redis()
    try:
        yield
    finally:
        env.servers.redis.start()


@asynccontextmanager
async def _hung(env: ChaosEnvironment) -> AsyncIterator[None]:
    with frozen(env.servers.redis.pid):
        yield


@experiment(
    "5",
    "Redis stopped for 60 s, API under load",
    "no request fails or gets more than 300 ms slower; deliveries continue; workers alive after",
    seconds=240,
)
async def test_experiment_05_redis_is_stopped(open_environment: OpenEnvironment, result: Result) -> None:
    await _without_redis(await open_environment(), result, _stopped, seconds=60)


@experiment("6", "Redis hangs for 20 s (SIGSTOP), API under load", "same as 5", seconds=240)
async def test_experiment_06_redis_hangs(open_environment: OpenEnvironment, result: Result) -> None:
    await _without_redis(await open_environment(), result, _hung, seconds=20)


async def _without_redis(
    env: ChaosEnvironment,
    result: Result,
    outage: Callable[[ChaosEnvironment], AbstractAsyncContextManager[None]],
    *,
    seconds: float,
) -> None:
    _, worker = await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    order = {"title": "Pedido", "amount": 10}
    link = await merchant.call("POST", "/payment-links", order, token=merchant.tokens["test"])
    load = Load(merchant, link["slug"])
    await load.prepare()
    async with load.running(RATE):
        await asyncio.sleep(2)  # Caches, connections, compiled statements.
        calm = time.monotonic()
        await asyncio.sleep(8.0 if seconds > 5 else 3.0)
        started = time.monotonic()
        async with outage(env):
            await asyncio.sleep(seconds)
        over = time.monotonic()
        await asyncio.sleep(2)
    await env.settled()
    assert failures(load.done) == {}
    before, during = load.since(calm, started), load.since(started, over)
    result.note(f"{len(during)} requests in {over - started:.0f} s, none failed")
    result.note(f"before {format_percentiles(before)}; meanwhile {format_percentiles(during)}")
    usual = slowest_by_kind(before)
    slower = {kind: slowest - usual[kind] for kind, slowest in slowest_by_kind(during).items()}
    result.note(f"slowest of a kind: {max(slower.values()) * 1000:+.0f} ms")
    assert (
        percentile([one.seconds for one in during], 99)
        < percentile([one.seconds for one in before], 99) + MAX_SLOWDOWN_SECONDS * env.slack
    )
    assert max(slower.values()) < MAX_SLOWDOWN_SECONDS * env.slack, slower
    waits = healthy_waits(await env.evidence())
    result.note(f"commit to arrival of {len(waits)} events p99 {percentile(waits, 99):.2f} s")
    assert worker.alive
    assert worker.said("worker_without_redis") or seconds < 60


@experiment(
    "5b",
    "No Redis at all, from the start",
    "API and worker start, issue, pay, deliver, limit and stop as always",
)
async def test_experiment_05b_there_never_was_a_redis(open_environment: OpenEnvironment, result: Result) -> None:
    env: ChaosEnvironment = await open_environment(REDIS_URL=NO_REDIS)
    api, worker = await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    for _ in range(20):
        await merchant.pay(await merchant.issue())
    await env.settled()
    wrong = {"email": "ninguem@example.com", "password": "errada errada"}
    codes = [(await merchant.send("POST", "/auth/login", wrong, token=None)).status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]
    waits = waits_at(await env.evidence(), "/merchant")
    assert len(waits) == 40
    await env.bystander.leave()
    stops = [await worker.stop(), await api.stop()]
    result.note(f"40 of 40 events delivered, p95 {percentile(waits, 95):.2f} s; the eleventh wrong login answered 429")
    result.note(f"worker and API stopped in {stops[0]:.1f} and {stops[1]:.1f} s")
