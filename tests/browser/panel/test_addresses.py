"""Addresses that others have written: what the panel does not know in them is ignored."""

import re

import pytest
from playwright.async_api import Browser, expect

from gateway.models.database import Database
from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening
from tests.fake_clock import MovedClock
from tests.rows import put_charges

LISTS = (
    "/cobrancas?utm_source=whatsapp",
    "/cobrancas?fbclid=1&status=xyz&order=junk&createdFrom=ontem&customerId=x&amountMin=abc",
    "/clientes?status=paid&cpf=",
    "/saldo/devolucoes?status=",
    "/dev/eventos?type=nada",
    "/assinaturas?failing=talvez&intervalCount=1e9",
)


async def test_unknown_parameters_are_ignored(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo/extrato?from=junk&gclid=1")
        await expect(page.get_by_text("Nada mudou o saldo")).to_be_visible()
        for path in LISTS:
            await page.goto(f"{panel}{path}")
            await expect(page.get_by_text(re.compile("^Nenhuma? .* ainda$"))).to_be_visible()
            await expect(page.get_by_role("alert")).to_have_count(0)
            await expect(page.get_by_role("list", name="Filtros em uso")).to_have_count(0)
        await page.goto(f"{panel}/?periodo=zzz&utm_source=whatsapp")
        await expect(page.get_by_role("combobox", name="Período")).to_have_value("30")
        await expect(page.get_by_text("Cobranças pagas")).to_be_visible()
        visit.assert_clean()


@pytest.mark.parametrize("path", ["/convite", "/senha/nova"])
async def test_an_unreadable_code_is_none(panel: str, browser: Browser, merchant: Merchant, path: str) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant)
        await page.goto(f"{panel}{path}#%E0%A4%A")
        await expect(page.get_by_label("Código")).to_have_value("")
        await page.goto(f"{panel}{path}#um%20c%C3%B3digo")
        await page.reload()
        await expect(page.get_by_label("Código")).to_have_value("um código")
        visit.assert_clean()


async def test_how_many_pages_are_shown_is_in_the_address(
    panel: str, browser: Browser, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    await put_charges(
        database, merchant.id, [{"description": f"Pedido {number}"} for number in range(60)], now=clock.now()
    )
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas?q=pedido")
        rows = page.get_by_role("table", name="Cobranças").get_by_role("row")
        await expect(rows).to_have_count(26)
        await page.get_by_role("button", name="Mostrar mais").click()
        await expect(rows).to_have_count(51)
        assert page.url.endswith("?q=pedido&paginas=2")
        await page.reload()
        await expect(rows).to_have_count(51)
        await page.get_by_role("combobox", name="Ordem").select_option("amount_desc")
        await expect(rows).to_have_count(26)
        assert "paginas" not in page.url
        visit.assert_clean()
