"""The panel of a gateway in this process."""

from collections.abc import AsyncIterator

import pytest

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.chromium import served


@pytest.fixture
async def panel(services: Services) -> AsyncIterator[str]:
    async with served(Gateway(services.settings, services)) as url:
        yield f"{url}/painel"
