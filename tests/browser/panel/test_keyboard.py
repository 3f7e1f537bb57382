"""A merchant without a pointer."""

from playwright.async_api import Browser, Locator, Page, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening

MOST_STOPS = 80


async def tab_to(page: Page, wanted: Locator) -> None:
    await expect(wanted).to_be_visible()
    for _ in range(MOST_STOPS):
        if await wanted.evaluate("element => element === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {wanted}")


async def test_a_charge_is_paid_and_closed_by_the_keyboard_alone(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant)
        await tab_to(page, page.get_by_role("link", name="Cobranças", exact=True))
        await page.keyboard.press("Enter")
        await tab_to(page, page.get_by_role("link", name="Nova cobrança").first)
        await page.keyboard.press("Enter")
        # The first field has the focus already.
        await expect(page.get_by_label("Valor")).to_be_focused()
        await page.keyboard.type("2500")
        # The first field that lacks something takes the focus.
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Descrição")).to_be_focused()
        await expect(page.get_by_text("Preencha este campo.")).to_have_count(4)
        form = {
            "Descrição": "Pedido 7",
            "Nome do pagador": "Bia",
            "E-mail do pagador": "bia@example.com",
            "CPF ou CNPJ": "52998224725",
        }
        for label, text in form.items():
            await tab_to(page, page.get_by_label(label))
            await page.keyboard.type(text)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 25,00 · Bia")

        # A dialog keeps the focus inside, and gives it back.
        close = page.get_by_role("button", name="Encerrar")
        await tab_to(page, close)
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("alertdialog")
        await expect(dialog).to_be_visible()
        for _ in range(10):
            await page.keyboard.press("Tab")
            await expect(dialog.locator(":focus")).to_have_count(1)
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await expect(close).to_be_focused()

        await tab_to(page, page.get_by_role("button", name="Simular pagamento"))
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Pagamento recebido", exact=True)).to_be_visible()
        visit.assert_clean()
