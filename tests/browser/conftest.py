"""Fixtures of the tests with a real browser."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.chromium import Visit, chromium, visiting


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as launched:
        yield launched


@pytest.fixture
async def visit(browser: Browser) -> AsyncIterator[Visit]:
    async with visiting(browser) as opened:
        yield opened
