"""The second step of a login, which has to be done in time."""

from datetime import timedelta

import pytest
from playwright.async_api import Browser, Page, expect

from tests.api_client import PASSWORD, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.browser.panel.pages import opening, sizes
from tests.fake_clock import MovedClock
from tests.two_factor import Factor, enrol

OVER = "O tempo para informar o código acabou. Informe a senha de novo."


@pytest.fixture
async def factor(merchant: Merchant) -> Factor:
    return await enrol(merchant)


async def enter_password(page: Page) -> None:
    await page.get_by_label("Senha").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Código")).to_be_focused()


@sizes
async def test_the_time_for_the_code_is_shown_and_then_the_password_is_needed_again(
    panel: str, browser: Browser, merchant: Merchant, factor: Factor, size: str
) -> None:
    """The clock of this device is an hour ahead, which changes nothing."""
    async with opening(browser, size) as visit:
        page = visit.page
        await visit.stop_the_clock()
        await page.goto(f"{panel}/entrar")
        await page.get_by_label("E-mail").fill(merchant.email)
        await page.get_by_label("Continuar conectado").check()
        await enter_password(page)
        await expect(page.get_by_role("timer")).to_have_text("Tempo para informar o código: 5:00")
        await page.clock.run_for(61_000)
        await expect(page.get_by_role("timer")).to_have_text("Tempo para informar o código: 3:59")
        await page.clock.run_for(240_000)
        await expect(page.get_by_role("alert")).to_have_text(OVER)
        await expect(page.get_by_label("E-mail")).to_have_value(merchant.email)
        await expect(page.get_by_label("Continuar conectado")).to_be_checked()
        await expect(page.get_by_label("Senha")).to_be_focused()
        await enter_password(page)
        await page.get_by_label("Código").fill(factor.code())
        await page.keyboard.press("Enter")
        await page.clock.resume()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Olá")


async def test_a_challenge_that_the_gateway_refuses_leads_back_to_the_password(
    panel: str, browser: Browser, merchant: Merchant, factor: Factor, clock: MovedClock
) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await page.goto(f"{panel}/entrar")
        await page.get_by_label("E-mail").fill(merchant.email)
        await enter_password(page)
        assert await accessibility_violations(page) == []
        clock.advance(timedelta(minutes=6))
        await page.get_by_label("Código").fill(factor.code())
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text(OVER)
        assert await accessibility_violations(page) == []
        await enter_password(page)
