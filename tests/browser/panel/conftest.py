"""The panel of a gateway in this process."""

from collections.abc import AsyncIterator

import pytest

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.chromium import served


@pytest.fixture
async def panel(settings: Settings, services: Services) -> AsyncIterator[str]:
    async with served(Gateway(settings, services)) as url:
        yield f"{url}/painel"
