"""A panel without a connection: what was read stays, and what could not be read comes with the connection."""

from playwright.async_api import Browser, Page, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening

OFFLINE = "Você está sem conexão."
UNREACHABLE = "O gateway não respondeu. Verifique sua conexão e tente de novo."


async def go_to(page: Page, name: str) -> None:
    await page.get_by_role("navigation", name="Menu principal").get_by_role("link", name=name, exact=True).click()


async def test_a_page_that_was_not_opened_before_is_shown_with_the_connection(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    await merchant.issue()
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        await assert_sound(visit)
        await page.context.set_offline(True)
        await expect(page.get_by_text(OFFLINE)).to_be_visible()
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        # Its code is not here yet. Trying again does not leave the panel.
        await go_to(page, "Links")
        await expect(page.get_by_text(UNREACHABLE)).to_be_visible()
        await page.get_by_role("button", name="Tentar de novo").click()
        await expect(page.get_by_text(UNREACHABLE)).to_be_visible()
        # What was read is still here.
        await go_to(page, "Cobranças")
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        await go_to(page, "Links")
        await expect(page.get_by_text(UNREACHABLE)).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.get_by_text("Nenhum link ainda")).to_be_visible()
        await expect(page.get_by_text(OFFLINE)).to_be_hidden()


async def test_a_form_sent_without_a_connection_keeps_what_was_typed(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes/novo")
        await page.get_by_label("Nome").fill("Bia Souza")
        await page.get_by_label("CPF ou CNPJ").fill("52998224725")
        await page.context.set_offline(True)
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_text(UNREACHABLE)).to_be_visible()
        await page.context.set_offline(False)
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Bia Souza")
