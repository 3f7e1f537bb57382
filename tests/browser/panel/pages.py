"""Walks of the panel: sizes, login, and what every page must hold."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, expect

from tests.api_client import PASSWORD, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.chromium import Visit, visiting

SIZES = {"phone": {"width": 360, "height": 740}, "desk": {"width": 1280, "height": 900}}
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])
sizes = pytest.mark.parametrize("size", list(SIZES))


@asynccontextmanager
async def opening(browser: Browser, size: str = "desk", scheme: str = "light") -> AsyncIterator[Visit]:
    async with visiting(browser, viewport=SIZES[size], color_scheme=scheme) as visit:
        yield visit


async def assert_sound(visit: Visit) -> None:
    """No complaint of the console or the policy, no foreign request, axe clean, and no horizontal scrolling."""
    assert await accessibility_violations(visit.page) == []
    width = await visit.page.evaluate("document.documentElement.clientWidth")
    assert await visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.assert_clean()


async def log_in(visit: Visit, panel: str, merchant: Merchant, path: str = "") -> None:
    """Log in on the way to a page of the panel, such as `/cobrancas`."""
    await visit.page.goto(f"{panel}{path}")
    await visit.page.get_by_label("E-mail").fill(merchant.email)
    await visit.page.get_by_label("Senha").fill(PASSWORD)
    await visit.page.keyboard.press("Enter")
    await expect(visit.page.locator("main#conteudo h1")).to_be_visible()
