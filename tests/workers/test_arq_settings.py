"""The arq worker: its cron jobs, its health keys, its shutdown, and that it unpickles nothing."""

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest

from gateway.server.worker import _cancel
from gateway.settings import Settings
from gateway.workers.arq_settings import _close, _finish_jobs, _open_retrying_queue, cron_jobs, open_worker
from gateway.workers.notify import open_queue
from gateway.workers.periodic_jobs import all_jobs
from tests.ports import free_port


class DispatcherSpy:
    def __init__(self) -> None:
        self.times = 0

    def wake(self) -> None:
        self.times += 1


def context(settings: Settings) -> dict[str, Any]:
    return {
        "settings": settings,
        "dispatcher": DispatcherSpy(),
        "jobs": all_jobs(settings),
    }


async def test_a_worker_that_stops_deletes_only_its_own_health_key(settings: Settings) -> None:
    queues = [_open_retrying_queue(settings.redis_url) for _ in range(2)]
    worker, other = (open_worker(queue, context(settings)) for queue in queues)
    for each in (worker, other):
        await each.record_health()
    await _close(worker)
    assert await queues[1].exists(worker.health_check_key, other.health_check_key) == 1
    await _close(other)
    for queue in queues:
        await queue.aclose(True)


async def test_a_short_outage_of_redis_is_waited_for() -> None:
    """Redis accepts no connections at first. One event loop has all timers, so it listens before the last try."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while commands := (await reader.read(4096)).count(b"*"):
            writer.write(b"+PONG\r\n" * commands)
        writer.close()

    port = free_port()
    queue = _open_retrying_queue(f"redis://127.0.0.1:{port}/0")
    ping = asyncio.create_task(queue.ping())
    await asyncio.sleep(0.3)
    async with await asyncio.start_server(serve, "127.0.0.1", port):
        assert await ping
        await queue.aclose(True)


async def test_crons_are_unique_and_only_trigger_jobs(settings: Settings) -> None:
    """A cron has no arguments and no result, and may run twice."""
    ctx = context(settings)
    for job in cron_jobs(ctx["jobs"]):
        assert job.unique
        for _ in range(2):
            assert await job.coroutine(ctx) is None
    late = [job.name for job in ctx["jobs"] if not job._triggered.is_set() and job.schedule.pause > job.schedule.every]
    assert late == [], "a job without a cron waits longer than its schedule"


async def test_each_cron_triggers_the_jobs_of_its_schedule(settings: Settings) -> None:
    ctx, triggered = context(settings), {}
    for job in cron_jobs(ctx["jobs"]):
        await job.coroutine(ctx)
        triggered[job.name.removeprefix("cron:")] = {each.name for each in ctx["jobs"] if each._triggered.is_set()}
        for each in ctx["jobs"]:
            each._triggered.clear()
    assert (triggered.pop("poll_deliveries"), ctx["dispatcher"].times) == (set(), 1)
    for name, jobs in triggered.items():
        assert jobs == {job.name for job in ctx["jobs"] if job.schedule.name == name}
    assert triggered["minute"] == {
        "issuances",
        "engine_notifications",
        "receiving",
        "withdrawals",
        "refunds",
        "archive",
    }
    assert {*triggered, "second"} == {job.schedule.name for job in ctx["jobs"]}


async def test_running_jobs_end_before_arq_is_closed(settings: Settings) -> None:
    """arq itself would cancel them."""
    queue = _open_retrying_queue(settings.redis_url)
    worker, release = open_worker(queue, context(settings)), asyncio.Event()
    worker.tasks["job"] = job = asyncio.create_task(release.wait())
    finishing = asyncio.create_task(_finish_jobs(worker))
    await asyncio.sleep(0.01)
    assert not finishing.done()
    release.set()
    await finishing
    assert job.result()
    await _close(worker)
    await queue.aclose(True)


class Poison:
    """Creates a file when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_notification_wakes_the_dispatcher_and_a_pickled_job_runs_nothing(
    settings: Settings, tmp_path: Path, times: int
) -> None:
    queue = open_queue(settings.redis_url)
    trace = tmp_path / "was-here"
    poison = pickle.dumps({"t": 1, "f": "notify_dispatcher", "a": (Poison(trace),), "k": {}, "et": 0})
    await queue.set("arq:job:poison", poison)
    await queue.zadd("arq:queue", {"poison": 1})
    for number in range(times):
        await queue.enqueue_job("notify_dispatcher", _job_id=f"notification:{number}")
    ctx = context(settings)
    own = _open_retrying_queue(settings.redis_url)
    running = asyncio.create_task(open_worker(own, ctx).async_run())
    try:
        async with asyncio.timeout(30):
            while ctx["dispatcher"].times < times or await queue.zscore("arq:queue", "poison"):  # noqa: ASYNC110  # It sends no notification.
                await asyncio.sleep(0.02)
        assert not trace.exists()
        assert [key for key in await queue.keys("arq:result:*") if key != b"arq:result:poison"] == []
    finally:
        await _cancel([running])  # One cancellation is sometimes swallowed.
        await own.aclose(True)
        await queue.flushdb()
        await queue.aclose(True)
