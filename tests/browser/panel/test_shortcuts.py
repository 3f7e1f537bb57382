"""Single keys: what they do, where they are text, and the switch that turns them off."""

import re

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api_client import Merchant
from tests.applicants import apply, staff_member
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes


async def test_a_list_is_worked_by_single_keys(panel: str, browser: Browser, merchant: Merchant) -> None:
    for amount in (10, 20, 30):
        await merchant.issue(amount=amount, description="Pedido c/j", customer_name=f"Pagador {amount}")
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        rows = page.get_by_role("table", name="Cobranças").get_by_role("row")
        await expect(rows).to_have_count(4)
        for key, row in (("j", 1), ("j", 2), ("j", 3), ("j", 3), ("k", 2)):
            await page.keyboard.press(key)
            await expect(rows.nth(row).get_by_role("link").first).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Pagador 20")
        await page.go_back()
        await expect(rows).to_have_count(4)
        await page.keyboard.press("/")
        search = page.get_by_role("searchbox", name="Buscar")
        await expect(search).to_be_focused()
        await page.keyboard.type("c/j")
        await expect(search).to_have_value("c/j")
        await expect(rows).to_have_count(4)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Control+c")
        await page.keyboard.press("c")
        await expect(page.get_by_role("heading", name="Nova cobrança")).to_be_visible()
        visit.assert_clean()


async def test_a_charge_is_copied_and_paid_by_single_keys(panel: str, browser: Browser, merchant: Merchant) -> None:
    charge = await merchant.issue()
    async with opening(browser) as visit:
        page = visit.page
        await visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await page.keyboard.press("y")
        await expect(page.get_by_role("button", name="Copiado")).to_be_visible()
        assert await page.evaluate("navigator.clipboard.readText()") == charge["id"]
        await page.keyboard.press("p")
        await expect(page.get_by_text("Pagamento recebido", exact=True)).to_be_visible()
        visit.assert_clean()


async def test_the_period_of_the_home_page_has_keys(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant)
        for key, period in (("1", "hoje"), ("2", "7"), ("3", "30"), ("4", "90")):
            await page.keyboard.press(key)
            await expect(page).to_have_url(re.compile(f"periodo={period}$"))
        visit.assert_clean()


async def test_staff_reaches_the_next_merchant_of_the_queue_by_a_key(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    second = await merchant.api.register_merchant()
    for applicant in (merchant, second):
        await apply(applicant)
    staff = await staff_member(merchant.api, services)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, staff, f"/servico/lojistas/{merchant.id}")
        await expect(page.get_by_role("region", name="Próximo da fila")).to_be_visible()
        await page.keyboard.press("n")
        await expect(page).to_have_url(re.compile(f"/servico/lojistas/{second.id}$"))
        visit.assert_clean()


@sizes
async def test_the_keys_are_listed_and_can_be_turned_off(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/conta")
        card = page.get_by_role("region", name="Teclas de atalho")
        await expect(card.get_by_text("Nova cobrança")).to_be_visible()
        # The key that leaves a page would lose what is in its form.
        await page.keyboard.press("c")
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Teclas de atalho")
        await expect(dialog.get_by_text("Nova cobrança")).to_be_visible()
        await assert_sound(visit)
        await page.keyboard.press("Escape")
        await card.get_by_role("checkbox").uncheck()
        await card.get_by_role("button", name="Salvar").click()
        await expect(card.get_by_text("Salvo.")).to_be_visible()
        await page.goto(f"{panel}/cobrancas")
        await expect(page.get_by_role("heading", name="Cobranças")).to_be_visible()
        await page.keyboard.press("c")
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page).to_have_url(re.compile("/cobrancas$"))
        visit.assert_clean()
