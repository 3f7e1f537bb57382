"""What a page prints: a sheet without frame and buttons, black on white, on A4."""

import re
from collections.abc import Iterable

import pytest
from playwright.async_api import Browser, Page, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening

COLOURS = """() => {
  const shown = [...document.querySelectorAll('main *')].filter((element) => element.checkVisibility())
  const alone = shown.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3))
  return [...new Set(alone.map((element) => getComputedStyle(element).color))]
}"""
GROUND = "getComputedStyle(document.body).backgroundColor"
A4 = (595, 842)


async def assert_sheet(page: Page, hidden: Iterable[str] = ()) -> None:
    """The page as paper shows it, also for a person with a phone and a dark scheme."""
    await page.emulate_media(media="print")
    assert await page.evaluate(COLOURS) == ["rgb(0, 0, 0)"]
    assert await page.evaluate(GROUND) == "rgb(255, 255, 255)"
    assert await page.locator("button:visible, nav:visible, a[target=_blank]:visible").count() == 0
    for text in hidden:
        await expect(page.get_by_text(text).first).to_be_hidden()
    box = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", await page.pdf(prefer_css_page_size=True))
    assert box is not None
    assert tuple(round(float(side)) for side in box.groups()) == A4


@pytest.mark.parametrize("size", ["phone", "desk"])
async def test_a_paid_charge_is_printed_as_a_receipt(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    charge = await merchant.issue(description="Camiseta azul")
    await merchant.pay(charge["id"])
    async with opening(browser, size, "dark") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await expect(page.get_by_role("button", name="Imprimir")).to_be_visible()
        receipt = page.get_by_text("Comprovante de pagamento recebido")
        await expect(receipt).to_be_hidden()
        await assert_sheet(page, hidden=["Linha do tempo", "Para desenvolvedores", "Menu principal"])
        await expect(receipt).to_be_visible()
        await expect(page.get_by_text("Nada aqui movimenta dinheiro.").last).to_be_visible()
        await expect(page.get_by_role("definition").filter(has_text="Camiseta azul")).to_be_visible()
        await expect(page.get_by_text("Horário Padrão de Brasília", exact=True)).to_be_visible()
        printed = await page.locator("time:visible").first.evaluate("each => getComputedStyle(each, '::after').content")
        assert re.fullmatch(r'"\d\d/\d\d/\d{4}, \d\d:\d\d"', printed)
        visit.assert_clean()


async def test_the_statement_is_printed_as_a_table_with_its_period(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    charge = await merchant.issue(amount=50)
    await merchant.pay(charge["id"])
    async with opening(browser, "phone", "dark") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo/extrato?from=2026-01-01")
        await expect(page.get_by_role("button", name="Imprimir")).to_be_visible()
        await expect(page.get_by_text("Pagamento de")).to_be_visible()
        await assert_sheet(page)
        await expect(page.get_by_text("Desde: 01/01/2026").first).to_be_visible()
        await expect(page.get_by_role("columnheader", name="Saldo depois")).to_be_visible()
        assert await page.locator("tr").first.evaluate("each => getComputedStyle(each).display") == "table-row"
        visit.assert_clean()
