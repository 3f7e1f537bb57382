"""The application in the receiving mode `subconta`."""

from collections.abc import AsyncIterator

import pytest

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api_client import Api
from tests.resolvers.receiving.fixtures import in_mode, with_settings


@pytest.fixture
def services(services: Services) -> Services:
    return with_settings(services, in_mode(services.settings, ReceivingMode.subconta))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened
