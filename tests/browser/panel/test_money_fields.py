"""Money is typed from the right. A text that is pasted, dropped or filled in is read as a number."""

import pytest
from playwright.async_api import Browser, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening

DROP = """(field, text) => {
    field.value = ''
    field.focus()
    field.setRangeText(text)
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromDrop' }))
}"""
FILL_IN = """(field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
}"""


async def test_a_pasted_amount_is_the_amount(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/links/novo")
        amount, name = page.get_by_label("Valor"), page.get_by_label("Título")
        await amount.press_sequentially("1290")
        await expect(amount).to_have_value("12,90")
        for text, shown in [("R$ 1.000", "1.000,00"), ("-3", "1.000,00"), ("1,555", "1.000,00"), ("49.9", "49,90")]:
            await name.fill(text)
            await name.press("ControlOrMeta+a")
            await name.press("ControlOrMeta+c")
            await amount.press("End")
            await amount.press("ControlOrMeta+v")
            await expect(amount).to_have_value(shown)
        await expect(page.get_by_text("Gerar Pix de R$ 49,90")).to_be_visible()
        await amount.press_sequentially("5")
        await expect(amount).to_have_value("499,05")
        await amount.press_sequentially("0")
        await name.fill("Camiseta")
        await page.get_by_role("button", name="Criar link").click()
        await expect(page.get_by_text("R$ 4.990,50").first).to_be_visible()


@pytest.mark.parametrize("event", [DROP, FILL_IN], ids=["dropped", "filled in"])
async def test_an_amount_of_the_browser_is_the_amount(
    panel: str, browser: Browser, merchant: Merchant, event: str
) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        amount = visit.page.get_by_label("Valor")
        for text, shown in [("1.500", "1.500,00"), ("50", "50,00"), ("99999999999", "50,00")]:
            await amount.evaluate(event, text)
            await expect(amount).to_have_value(shown)
