"""The periodic jobs of the worker: each runs by its schedule, and at once when triggered."""

import asyncio
from datetime import timedelta

from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services
from gateway.workers.arq_settings import cron_jobs, notify_dispatcher
from gateway.workers.periodic_jobs import PeriodicJob, Schedule, all_jobs
from tests import sql
from tests.api_client import Merchant
from tests.fake_clock import MovedClock


async def test_every_job_runs_and_runs_again_when_triggered(
    services: Services, merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    await merchant.issue()
    jobs = all_jobs(services.settings)
    tasks = [asyncio.create_task(job.run(services)) for job in jobs]
    notified: list[str] = []

    class Dispatcher:
        def wake(self) -> None:
            notified.append("dispatcher")

    ctx = {"dispatcher": Dispatcher()}
    await asyncio.sleep(0.1)
    assert await sql.value(database, "select status from charges") == "pending"
    clock.advance(timedelta(hours=25))
    for job in (notify_dispatcher, *(cron.coroutine for cron in cron_jobs(jobs))):
        await job(ctx)
    async with asyncio.timeout(60):
        while await sql.value(database, "select status from charges") != "expired":  # noqa: ASYNC110  # It sends no notification.
            await asyncio.sleep(0.01)
    assert notified == ["dispatcher"] * 2
    assert not any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_job_that_fails_runs_again(services: Services) -> None:
    runs = 0

    async def act(_ctx: Context) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise RuntimeError("once")

    job = PeriodicJob("x", Schedule("x", 0.01), act)
    task = asyncio.create_task(job.run(services))
    async with asyncio.timeout(60):
        while runs < 3:  # noqa: ASYNC110  # It sends no notification.
            await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
