"""Walks of the panel: sizes, login, and what every page must hold."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.webhooks.attempts import record_attempts
from gateway.resolvers.webhooks.claims import claim_due
from gateway.workers.webhook_sender import Sender
from tests.api_client import PASSWORD, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.chromium import Visit, visiting

SIZES = {"phone": {"width": 360, "height": 740}, "desk": {"width": 1280, "height": 900}}
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])
sizes = pytest.mark.parametrize("size", ["phone", pytest.param("desk", marks=pytest.mark.pages)])
"""The phone's walk in `make test`, and the desk's in `make pages`."""


@asynccontextmanager
async def opening(browser: Browser, size: str = "desk", scheme: str = "light") -> AsyncIterator[Visit]:
    async with visiting(browser, viewport=SIZES[size], color_scheme=scheme) as visit:
        yield visit


SMALL_TARGETS = """[...document.querySelectorAll('button, select, textarea, summary, input:not([aria-hidden])')]
    .map((node) => node.closest('label') ?? node)
    .filter((node) => node.checkVisibility({ visibilityProperty: true }) && node.offsetHeight < 44)
    .map((node) => node.outerHTML)"""
"""Controls that a thumb misses. Links inside texts are exempt (WCAG 2.5.8)."""


async def assert_sound(visit: Visit) -> None:
    """No complaint of the console or the policy, no foreign request, axe clean, targets of 44 pixels, and no horizontal
    scrolling.
    """
    violations = await accessibility_violations(visit.page)
    assert violations == [], violations
    small = await visit.page.evaluate(SMALL_TARGETS)
    assert small == [], small
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


async def send_webhooks(services: Services) -> None:
    """What the worker does. A test receiver is sent nothing, so no connection is needed."""

    async def refuse(*_: object) -> Any:
        raise AssertionError("only test receivers are served here")

    ctx = system_context(services, source="job", request_id="test")
    sender = Sender(refuse, services.vault)
    claims = await claim_due(ctx, slots=9, retry_slots=9, degraded_slots=9)
    await record_attempts(ctx, [await sender.send(claim) for claim in claims])
