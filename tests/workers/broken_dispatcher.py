"""A worker process whose dispatcher fails after 0.1 s: `python -m tests.workers.broken_dispatcher`."""

import asyncio
import sys
from typing import Any, cast

import uvloop

from gateway.models.database_clock import DatabaseClock
from gateway.resolvers.core.context import system_context
from gateway.server.worker import _work
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging
from gateway.workers.webhook_dispatcher import Dispatcher


class Broken(Dispatcher):
    async def run(self) -> None:
        await asyncio.sleep(0.1)
        raise OSError("unexpected")


async def work() -> bool:
    async with open_services(load_settings(), clock=DatabaseClock()) as services:
        ctx = system_context(services, source="job", request_id="a worker")
        return await _work(services, Broken(ctx, cast(Any, None)), asyncio.Event())


if __name__ == "__main__":
    configure_logging("info")
    sys.exit(0 if uvloop.run(work()) else 1)
