"""An engine whose calls a test hears of, and the application that works with it: how a bank is slow, breaks in a way
that nobody thought of, or has something else happen meanwhile. What an engine itself does on a bad day is its script's.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from msgspec.structs import replace

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import Api, Merchant

Hear: TypeAlias = Callable[..., Awaitable[None]]
"""Given the name of the call and its arguments, before the call is made. What it raises, the call raises."""


class Overheard:
    """An engine of which everything is passed on, once it has been heard."""

    def __init__(self, engine: Any, hear: Hear) -> None:
        self._engine, self._hear = engine, hear

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return self._heard(name, found) if iscoroutinefunction(found) else found

    def _heard(self, name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def heard(*arguments: Any) -> Any:
            await self._hear(name, *arguments)
            return await call(*arguments)

        return heard


def overhearing(services: Services, hear: Hear) -> Services:
    """The same services, with an engine of the test environment that is heard."""
    heard: Any = Overheard(services.engines.test, hear)
    return replace(services, engines=replace(services.engines, test=heard))


@asynccontextmanager
async def overheard(merchant: Merchant, hear: Hear) -> AsyncIterator[Merchant]:
    """The same merchant, at an application whose engine is heard."""
    services = overhearing(merchant.api.services, hear)
    async with Api.of(Gateway(services.settings, services)) as api:
        yield replace(merchant, api=api)
