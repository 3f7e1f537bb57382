"""Dispatchers in this process, against the real database and real receivers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Resolver
from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.workers.webhook_dispatcher import Dispatcher, DispatcherConfig
from gateway.workers.webhook_sender import HttpPost, Sender
from tests.workers.outbox import Outbox

FAST = 0.001
"""Time scale: the live schedule's five seconds become five milliseconds."""


@pytest.fixture
def ctx(services: Services) -> Context:
    return system_context(services, source="job", request_id="test-worker")


@pytest.fixture
async def outbox(services: Services, database: Database) -> Outbox:
    return await Outbox.open(services, database)


@pytest.fixture
def post(services: Services) -> Any:
    resolver = Resolver()
    client = EgressClient(AddressGuard(services.settings.webhook_allowed_networks), resolver)
    yield client.post
    resolver.close()


Dispatching = Callable[..., Any]


@pytest.fixture
def dispatching(ctx: Context, services: Services, post: HttpPost) -> Dispatching:
    """`async with dispatching(...) as dispatcher` runs a dispatcher, and stops it gracefully at the end."""

    @asynccontextmanager
    async def run(*, scale: float = FAST, send: Any = None, **config: Any) -> AsyncIterator[Dispatcher]:
        sender = Sender(post, services.vault, time_scale=scale)
        dispatcher = Dispatcher(
            ctx, send or sender.send, DispatcherConfig(**({"poll": 0.02, "drain": 30.0} | config)), time_scale=scale
        )
        task = asyncio.create_task(dispatcher.run())
        async with AsyncExitStack() as stack:
            stack.push_async_callback(lambda: task)
            stack.callback(dispatcher.stop)
            yield dispatcher

    return run
