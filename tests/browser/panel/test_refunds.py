"""Refunds: from the charge, with a second look; the timeline, the list and the statement show them."""

import asyncio

from playwright.async_api import Browser, Page, Route, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.resolvers.refunds.fixtures import paid_charge, refund


@sizes
async def test_a_part_goes_back_then_a_rejected_rest_stays(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    charge = await paid_charge(merchant)
    async with opening(browser, size) as visit:
        page = visit.page
        dialog = page.get_by_role("dialog", name="Devolver ao pagador")
        timeline = page.get_by_role("region", name="Linha do tempo")
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await page.get_by_role("button", name="Devolver", exact=True).click()
        await expect(dialog.get_by_label("Valor a devolver")).to_have_value("100,00")
        await dialog.get_by_label("Valor a devolver").fill("2990")
        await dialog.get_by_label("Motivo (opcional)").fill("Uma peça com defeito")
        await assert_sound(visit)
        await dialog.get_by_role("button", name="Conferir").click()
        await expect(dialog).to_contain_text("R$ 29,90 voltam para José Pagador")
        await assert_sound(visit)
        await dialog.get_by_role("button", name="Voltar").click()
        await expect(dialog.get_by_label("Valor a devolver")).to_have_value("29,90")
        await expect(dialog.get_by_label("Motivo (opcional)")).to_have_value("Uma peça com defeito")
        await dialog.get_by_role("button", name="Conferir").click()
        await dialog.get_by_role("button", name="Devolver R$ 29,90").click()
        await expect(dialog).to_be_hidden()
        await expect(page.get_by_text("Parcialmente devolvida")).to_be_visible()
        entry = timeline.get_by_role("listitem").filter(has_text="Devolução de R$ 29,90")
        await expect(entry).to_contain_text("Concluída")
        await expect(entry).to_contain_text("Motivo: Uma peça com defeito")
        await expect(timeline.get_by_text("Pagamento devolvido")).to_have_count(0)

        # More than what is left: the gateway's sentence, and the form as it was.
        await page.get_by_role("button", name="Devolver", exact=True).click()
        await expect(dialog).to_contain_text("Você ainda pode devolver até R$ 70,10.")
        await dialog.get_by_label("Valor a devolver").fill("7011")
        await dialog.get_by_role("button", name="Conferir").click()
        await dialog.get_by_role("button", name="Devolver R$ 70,11").click()
        await expect(dialog.get_by_role("alert")).to_be_visible()
        await dialog.get_by_role("button", name="Voltar").click()
        await dialog.get_by_label("Valor a devolver").fill("7010")
        await dialog.get_by_label("Simular uma recusa do banco").check()
        await dialog.get_by_role("button", name="Conferir").click()
        await dialog.get_by_role("button", name="Devolver R$ 70,10").click()
        entry = timeline.get_by_role("listitem").filter(has_text="Devolução de R$ 70,10")
        await expect(entry).to_contain_text("Por que não foi feita:")
        await assert_sound(visit)

        await page.goto(f"{panel}/saldo")
        await page.get_by_role("navigation", name="Saldo").get_by_role("link", name="Devoluções").click()
        await expect(page.get_by_role("row").filter(has_text="Não feita")).to_contain_text("R$ 70,10")
        await page.get_by_role("link", name="Concluída").click()
        await expect(page.get_by_role("status")).to_have_text("Total: 1")
        await assert_sound(visit)
        await page.get_by_role("table").get_by_role("link", name="José Pagador").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("José Pagador")
        await page.goto(f"{panel}/saldo/extrato")
        entries = page.get_by_role("row")
        await expect(entries.filter(has_text="Devolução a José Pagador")).to_contain_text(["-R$ 70,10", "-R$ 29,90"])
        await expect(entries.filter(has_text="Devolução não feita a José Pagador")).to_contain_text("R$ 70,10")
        await assert_sound(visit)


async def test_refunds_are_exported_and_a_refunded_charge_offers_none(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    charge = await paid_charge(merchant)
    for reference, amount in (("dev-1", 10), ("dev-2", 90)):
        await refund(merchant, charge, amount=amount, external_reference=reference)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo/devolucoes?externalReference=dev-2")
        await page.get_by_role("button", name="Exportar").click()
        await page.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Baixar arquivo").click()
        download = await downloading.value
        assert download.suggested_filename.startswith("devolucoes-")
        _, line = (await download.path()).read_text().splitlines()
        assert ",90.00," in line
        await page.goto(f"{panel}/cobrancas/{charge['id']}")
        await expect(page.get_by_text("Devolvida", exact=True)).to_be_visible()
        await expect(page.get_by_role("button", name="Devolver", exact=True)).to_have_count(0)
        visit.assert_clean()


async def test_a_lost_answer_makes_no_second_refund(panel: str, browser: Browser, merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    async with opening(browser) as visit:
        page = visit.page
        dialog = page.get_by_role("dialog", name="Devolver ao pagador")
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await page.get_by_role("button", name="Devolver", exact=True).click()
        await dialog.get_by_label("Valor a devolver").fill("200")
        await dialog.get_by_role("button", name="Conferir").click()

        async def lose_answer(route: Route) -> None:
            if "mutation CreateRefund" in (route.request.post_data or ""):
                await route.fetch()
                await route.abort()
            else:
                await route.continue_()

        await page.route("**/graphql", lose_answer)
        await dialog.get_by_role("button", name="Devolver R$ 2,00").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("O gateway não respondeu")
        await page.unroute("**/graphql")
        await expect(page.get_by_text("Parcialmente devolvida")).to_be_attached()
        await dialog.get_by_role("button", name="Voltar").click()
        await dialog.get_by_role("button", name="Conferir").click()
        await dialog.get_by_role("button", name="Devolver R$ 2,00").click()
        await expect(dialog).to_be_hidden()
    listed = await merchant.api.get("/refunds", token=merchant.key)
    assert [row["amount"] for row in listed.json()["data"]] == [2.0]


async def test_a_refund_ordered_again_after_a_late_answer_is_the_same(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    charge = await paid_charge(merchant)
    late, again = asyncio.Event(), asyncio.Event()

    async def lose_answers(route: Route) -> None:
        """The first refund has no answer, and the page can't read the charge until the second."""
        order = "mutation CreateRefund" in (route.request.post_data or "")
        if order and not late.is_set():
            await route.fetch()
            await late.wait()
            await route.abort()
        elif "query Charge(" in (route.request.post_data or "") and not again.is_set():
            await route.abort()
        else:
            if order:
                again.set()
            await route.fallback()

    async def order(page: Page) -> None:
        await page.get_by_role("button", name="Devolver", exact=True).click()
        await dialog.get_by_label("Valor a devolver").fill("1000")
        await dialog.get_by_role("button", name="Conferir").click()

    async with opening(browser) as visit:
        page = visit.page
        dialog = page.get_by_role("dialog", name="Devolver ao pagador")
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await order(page)
        await page.route("**/graphql", lose_answers)
        await dialog.get_by_role("button", name="Devolver R$ 10,00").click()
        await expect(dialog.get_by_role("button", name="Voltar")).to_be_disabled()
        await expect(dialog.get_by_role("button", name="Fechar")).to_have_count(0)
        await page.keyboard.press("Escape")
        late.set()
        await expect(dialog.get_by_role("alert")).to_contain_text("O gateway não respondeu")
        await dialog.get_by_role("button", name="Fechar").click()
        await order(page)
        await dialog.get_by_role("button", name="Devolver R$ 10,00").click()
        await expect(page.get_by_text("Parcialmente devolvida")).to_be_visible()
        await page.unroute_all(behavior="wait")
    listed = await merchant.api.get("/refunds", token=merchant.key)
    assert [row["amount"] for row in listed.json()["data"]] == [10.0]
