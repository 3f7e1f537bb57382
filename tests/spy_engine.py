"""An engine that reports each call to a test before it is made, to delay it, fail it, or interleave other requests.

Failures of the engine itself belong to its scenario.
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
"""Receives the call's name and arguments before the call. What it raises, the call raises."""


class Overheard:
    """Passes all calls on to an engine after reporting them."""

    def __init__(self, engine: Any, hear: Hear) -> None:
        self._engine, self._hear = engine, hear

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return self._spied(name, found) if iscoroutinefunction(found) else found

    def _spied(self, name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def spied(*arguments: Any) -> Any:
            await self._hear(name, *arguments)
            return await call(*arguments)

        return spied


def overhearing(services: Services, hear: Hear) -> Services:
    """The services with a spied engine in the test environment."""
    spied: Any = Overheard(services.engines.test, hear)
    return replace(services, engines=replace(services.engines, test=spied))


@asynccontextmanager
async def overheard(merchant: Merchant, hear: Hear) -> AsyncIterator[Merchant]:
    """The merchant at an application with a spied engine."""
    services = overhearing(merchant.api.services, hear)
    async with Api.of(Gateway(services.settings, services)) as api:
        yield replace(merchant, api=api)
