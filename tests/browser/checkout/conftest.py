"""The shop of the checkout tests: the real application on a loopback port."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api_client import Merchant
from tests.browser.checkout.shop import Shop
from tests.chromium import Visit, served, visiting

PHONE = {"width": 360, "height": 740}


@pytest.fixture
async def shop(settings: Settings, services: Services, merchant: Merchant) -> AsyncIterator[Shop]:
    async with served(Gateway(settings, services)) as url:
        yield Shop(url, merchant, services.database)


@pytest.fixture
async def phone(shop: Shop, browser: Browser) -> AsyncIterator[Visit]:
    """Yield a phone-sized page. It closes before the shop, which waits for open streams."""
    permissions = ["clipboard-read", "clipboard-write"]
    async with visiting(browser, viewport=PHONE, device_scale_factor=2, permissions=permissions) as opened:
        yield opened


@pytest.fixture
async def plain(shop: Shop, browser: Browser) -> AsyncIterator[Visit]:
    """Yield the same page without JavaScript."""
    async with visiting(browser, viewport=PHONE, java_script_enabled=False) as opened:
        yield opened
