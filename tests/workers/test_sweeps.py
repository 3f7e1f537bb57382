"""The sweeps of the worker: each runs periodically, and at once when triggered."""

import asyncio
from datetime import timedelta

from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services
from gateway.workers.settings import crons, webhook_nudge
from gateway.workers.sweeps import Beat, Sweep, all_sweeps
from tests import sql
from tests.api import Merchant
from tests.moved_clock import MovedClock


async def test_every_sweep_runs_and_runs_again_when_triggered(
    services: Services, merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    await merchant.issue()
    sweeps = all_sweeps(services.settings)
    tasks = [asyncio.create_task(sweep.run(services)) for sweep in sweeps]
    woken: list[str] = []

    class Dispatcher:
        def wake(self) -> None:
            woken.append("dispatcher")

    ctx = {"dispatcher": Dispatcher()}
    await asyncio.sleep(0.1)
    assert await sql.value(database, "select status from charges") == "pending"
    clock.advance(timedelta(hours=25))
    for job in (webhook_nudge, *(cron.coroutine for cron in crons(sweeps))):
        await job(ctx)
    async with asyncio.timeout(60):
        while await sql.value(database, "select status from charges") != "expired":  # noqa: ASYNC110  # It says nothing.
            await asyncio.sleep(0.01)
    assert woken == ["dispatcher"] * 2
    assert not any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_sweep_that_fails_goes_on(services: Services) -> None:
    turns = 0

    async def act(_ctx: Context) -> None:
        nonlocal turns
        turns += 1
        if turns == 1:
            raise RuntimeError("once")

    sweep = Sweep("x", Beat("x", 0.01), act)
    task = asyncio.create_task(sweep.run(services))
    async with asyncio.timeout(60):
        while turns < 3:  # noqa: ASYNC110  # It says nothing.
            await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
