"""The time zone of the store: its days and times are those of the panel, wherever the browser is."""

from datetime import datetime

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening
from tests.rows import put_charges

LATE = "2026-03-11T01:30:00+00:00"
"""22:30 of 10 March in São Paulo, 21:30 in Manaus, and 23:30 in Noronha."""
MIDNIGHT = "2026-03-11T03:30:00+00:00"
"""11 March in São Paulo, 10 March in Manaus."""


async def test_days_and_times_are_those_of_the_store(
    panel: str, browser: Browser, services: Services, merchant: Merchant
) -> None:
    for moment in (LATE, MIDNIGHT):
        await put_charges(services.database, merchant.id, [{"environment": "test"}], now=datetime.fromisoformat(moment))
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/loja")
        await page.get_by_label("Fuso horário").select_option("Amazonas (UTC−4)")
        await page.get_by_role("button", name="Salvar").first.click()
        await expect(page.get_by_text("Salvo.").first).to_be_visible()
        await assert_sound(visit)

        await page.goto(f"{panel}/cobrancas?createdFrom=2026-03-10&createdTo=2026-03-10&order=created_at_asc")
        rows = page.get_by_role("row")
        await expect(rows.nth(1)).to_contain_text("10/03 21:30")
        await expect(rows.nth(2)).to_contain_text("10/03 23:30")
        await expect(rows.nth(1).locator("time")).to_have_attribute(
            "title", "terça-feira, 10 de março de 2026 às 21:30:00"
        )
        await page.get_by_role("button", name="Exportar").click()
        await expect(page.get_by_text("Hora da loja: Horário Padrão do Amazonas.")).to_be_visible()
        await expect(page.get_by_role("dialog").get_by_text("Horário Padrão do Amazonas")).to_be_visible()
        await page.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Baixar arquivo").click()
        lines = (await (await downloading.value).path()).read_text()
        assert "2026-03-10T21:30:00-04:00" in lines
        assert "2026-03-10T23:30:00-04:00" in lines
        visit.assert_clean()


async def test_a_typed_day_ends_in_the_stores_zone(panel: str, browser: Browser, merchant: Merchant) -> None:
    changed = await merchant.api.put("/auth/profile", {"time_zone": "America/Noronha"}, token=merchant.token)
    assert changed.status_code == 200, changed.text
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/links/novo")
        await page.get_by_label("Valor").fill("4990")
        await page.get_by_label("Título").fill("Curso")
        await page.get_by_text("Mais opções").click()
        await page.get_by_label("Aceita pagamentos até").fill("2030-12-31")
        await page.get_by_role("button", name="Criar link").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Curso")
        await expect(page.get_by_text("31/12/2030")).to_be_visible()
        shown = page.get_by_role("definition").locator("time[title*='31 de dezembro de 2030']")
        await expect(shown).to_have_attribute("datetime", "2031-01-01T01:59:59.999999+00:00")
        visit.assert_clean()
