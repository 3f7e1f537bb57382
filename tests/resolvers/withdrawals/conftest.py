"""The receiving mode `subconta`, and a merchant with a balance on its own account."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api_client import Api, Merchant
from tests.resolvers.withdrawals.fixtures import earn, open_account


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, settings=services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta}))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@pytest.fixture
async def shop(api: Api) -> Merchant:
    """A merchant with an approved account and 100 reais on it."""
    merchant = await api.register_merchant()
    await open_account(merchant)
    await earn(merchant, 100)
    return merchant
