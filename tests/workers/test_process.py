"""The worker as a process: with and without Redis, stopped and killed."""

import asyncio
import signal
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.dev import supervisor as dev
from gateway.dev.embedded import EmbeddedRedis
from gateway.models.database import Database
from gateway.server import worker as worker_process
from gateway.settings import Settings
from gateway.workers.email_worker import EmailWorkerConfig
from gateway.workers.notify import RedisNotifier, open_queue
from gateway.workers.webhook_dispatcher import DispatcherConfig
from tests import sql
from tests.api_client import Merchant
from tests.commands import Commands
from tests.subprocesses import Forks
from tests.workers.outbox import Outbox
from tests.workers.processes import NO_REDIS, working
from tests.workers.receivers import OK, Receiver, receiving

pytestmark = pytest.mark.timeout(300)
DUE, DELIVERED = 0, 1
SHORT_LEASE = "tests.workers.short_lease"


async def test_without_redis_deliveries_and_jobs_run_and_sigterm_waits_for_requests(
    settings: Settings, forks: Forks, outbox: Outbox, database: Database, merchant: Merchant
) -> None:
    overdue = await merchant.issue()
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    await sql.run(database, "update charges set expires_at = $2 where id = $1", overdue["id"], long_ago)
    async with receiving() as receiver, working(forks, settings, REDIS_URL=NO_REDIS) as worker:
        endpoint = await outbox.endpoint(receiver.url())
        await outbox.emit(endpoint, count=10)
        assert await outbox.settled() == {DELIVERED: 10}
        await worker.logs("worker_without_redis")
        async with asyncio.timeout(60):
            while await sql.value(database, "select status from charges") != "expired":  # noqa: ASYNC110  # It sends no notification.
                await asyncio.sleep(0.02)

        receiver.hold()
        await outbox.emit(endpoint, count=6)
        await receiver.arrived(14)
        worker.process.terminate()
        await worker.logs("worker_stopping")
        receiver.release()
        assert await worker.ended() == 0
    assert await outbox.states() == {DUE: 2, DELIVERED: 14}
    assert len(receiver.requests) == 14


async def test_a_deploy_during_slow_deliveries_ends_in_time_and_sends_nothing_twice(
    settings: Settings, forks: Forks, outbox: Outbox
) -> None:
    """Two workers with slow requests are stopped one after the other."""
    async with receiving() as receiver:
        receiver.delay = 1.0
        endpoints = [await outbox.endpoint(receiver.url(f"/{n}")) for n in range(4)]
        async with (
            working(forks, settings, REDIS_URL=NO_REDIS) as leaving,
            working(forks, settings, REDIS_URL=NO_REDIS) as staying,
        ):
            await leaving.logs("worker_started")
            await staying.logs("worker_started")
            await outbox.emit(*endpoints, count=8)
            await receiver.arrived(16)
            assert await leaving.stop() == 0
            assert await outbox.settled() == {DELIVERED: 32}
            await outbox.emit(*endpoints)
            await receiver.arrived(33)
            assert await staying.stop() == 0
    assert max(receiver.most_in_flight.values()) <= 4
    sent = [(request.path, request.event_id) for request in receiver.requests]
    assert len(sent) == len(set(sent))
    states = await outbox.states()
    assert states[DELIVERED] + states.get(DUE, 0) == 36
    assert states[DELIVERED] == len(sent)


async def test_redis_speeds_up_deliveries_and_its_loss_loses_none(
    settings: Settings, forks: Forks, outbox: Outbox, merchant: Merchant, tmp_path: Path
) -> None:
    redis = EmbeddedRedis(tmp_path, durable=False)
    url = redis.start()
    queue = open_queue(url)
    try:
        async with receiving() as receiver, working(forks, settings, REDIS_URL=url) as worker:
            body = {"name": "loja", "url": receiver.url()}
            await merchant.api.post("/webhook-endpoints", body, token=merchant.token)
            await worker.logs("worker_started")
            await _notifications_are_faster_than_polling(outbox, receiver, RedisNotifier(queue))
            notified = len(receiver.of("/notified"))
            await _payments_while_redis_is_flushed(merchant, queue)
            assert await outbox.settled() == {DELIVERED: notified + 10}
            redis.stop()
            await merchant.issue()
            await worker.logs("worker_without_redis")
            assert 0 not in await outbox.settled()
            redis.start()
            async with asyncio.timeout(60):
                while not await queue.keys("arq:health-check:*"):  # noqa: ASYNC110  # It sends no notification.
                    await asyncio.sleep(0.05)
            assert await worker.stop() == 0
        assert await queue.keys("arq:health-check:*") == []
        assert len(receiver.requests) == len({request.event_id for request in receiver.requests})
    finally:
        await queue.aclose(True)
        redis.stop()


async def _notifications_are_faster_than_polling(outbox: Outbox, receiver: Receiver, notifier: RedisNotifier) -> None:
    """The next poll is 0.75 s later. A busy machine may be as slow with a notification, but not every time."""
    endpoint = await outbox.endpoint(receiver.url("/notified"))
    await outbox.emit(endpoint)
    await receiver.arrived(1, "/notified")
    waits: list[float] = []
    while sum(wait < 0.5 for wait in waits) < 2:
        assert len(waits) < 20, waits
        await asyncio.sleep(0.25)
        started = asyncio.get_running_loop().time()
        await outbox.emit(endpoint)
        await notifier._send()
        arrived = await receiver.arrived(len(waits) + 2, "/notified")
        waits.append(arrived[-1].at - started)


async def _payments_while_redis_is_flushed(merchant: Merchant, queue: object) -> None:
    flush = queue.flushall  # type: ignore[attr-defined]  # its base class has no types.
    for _ in range(5):
        charge = await merchant.issue()
        await flush()
        await merchant.pay(charge["id"])
        await flush()


async def test_a_killed_and_a_frozen_worker_lose_their_leases(settings: Settings, forks: Forks, outbox: Outbox) -> None:
    async with receiving(lambda _p, _n: None) as receiver:
        endpoint = await outbox.endpoint(receiver.url())
        (event_id,) = await outbox.emit(endpoint)
        async with working(forks, settings, SHORT_LEASE, REDIS_URL=NO_REDIS) as killed:
            (first,) = await receiver.arrived(1)
            await killed.kill()
        receiver.script = lambda _p, _n: OK
        async with working(forks, settings, SHORT_LEASE, REDIS_URL=NO_REDIS) as worker:
            _, second = await receiver.arrived(2)
            assert await outbox.settled() == {DELIVERED: 1}
            assert second.at - first.at >= 1.4
            assert (first.event_id, second.event_id) == (event_id, event_id)
            assert second.headers["x-service-attempt"] == "2"
            assert second.headers["x-service-signature"] == first.headers["x-service-signature"]

            receiver.hold()
            (frozen_event,) = await outbox.emit(endpoint)
            await receiver.arrived(3)
            worker.process.send_signal(signal.SIGSTOP)
            receiver.release()
            async with working(forks, settings, SHORT_LEASE, REDIS_URL=NO_REDIS) as successor:
                assert await outbox.settled() == {DELIVERED: 2}
                worker.process.send_signal(signal.SIGCONT)
                await worker.logs("webhook_lease_lost")
                assert await successor.stop() == 0
            assert await worker.stop() == 0
    assert [request.event_id for request in receiver.requests[2:]] == [frozen_event] * 2
    assert [attempt["number"] for attempt in await outbox.attempts()] == [2, 2]


async def test_the_worker_waits_for_a_database_that_is_not_there_yet(settings: Settings, tmp_path: Path) -> None:
    absent = settings.model_copy(update={"database_url": f"postgresql://postgres@/gateway?host={tmp_path}"})
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        opening = asyncio.create_task(worker_process._open_services(absent, stack, stop))
        await asyncio.sleep(0.1)
        assert not opening.done()
        stop.set()
        assert await opening is None


def test_a_worker_with_invalid_settings_ends_at_once(gateway: Commands) -> None:
    result = gateway("worker", database_url="postgresql://ana:secreta@127.0.0.1:1/gateway?sslmode=perhaps")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("gateway: the database can't be reached: `sslmode` parameter must be one of: ")
    assert result.stderr.count("\n") == 1
    assert "secreta" not in result.stderr


async def test_a_worker_whose_dispatcher_fails_stops_and_fails(settings: Settings, forks: Forks) -> None:
    async with working(forks, settings, "tests.workers.broken_dispatcher", REDIS_URL=NO_REDIS) as worker:
        result = await worker.logs("worker_task_ended")
        assert (result["level"], result["task"]) == ("error", "dispatcher")
        assert "unexpected" in result["exception"]
        await worker.logs("worker_stopping")
        assert await worker.ended() == 1


async def test_tasks_that_do_not_finish_in_time_are_canceled() -> None:
    """As with a hanging database, where a statement takes half a minute to fail, and so does its rollback."""
    rolled_back = asyncio.Event()

    async def hung() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            rolled_back.set()
            await asyncio.Event().wait()

    finished = asyncio.Event()
    others = asyncio.create_task(finished.wait())
    hanging = asyncio.create_task(hung())
    finishing = asyncio.create_task(worker_process._finish([hanging, others], within=0.05))
    asyncio.get_running_loop().call_later(0.01, finished.set)
    async with asyncio.timeout(60):
        await finishing
    assert hanging.cancelled()
    assert rolled_back.is_set()
    assert others.result()
    # The limits of both, with the time to close the database, are below the supervisor's.
    assert DispatcherConfig().drain < EmailWorkerConfig().drain < worker_process.FINISH_SECONDS < dev.WORKER_SECONDS
    assert dev.API_SECONDS + dev.WORKER_SECONDS < 30


async def test_a_task_that_swallows_a_cancellation_is_canceled_again() -> None:
    swallowed = 0

    async def swallow_two() -> None:
        nonlocal swallowed
        while swallowed < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed += 1
        await asyncio.sleep(60)

    task = asyncio.create_task(swallow_two())
    await asyncio.sleep(0)
    await asyncio.wait_for(worker_process._cancel([task], again_after=0.01), 10)
    assert task.cancelled()
