"""Exports of lists: the file has what the list shows."""

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api_client import Merchant
from tests.applicants import staff_member
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.store import furnish
from tests.members import join


@sizes
async def test_a_list_is_exported_with_its_filters_and_order(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    for amount in (50, 70, 10, 60):
        await merchant.issue(amount=amount, description=f"Pedido de {amount}")
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas?q=pedido&amountMin=50&order=amount_desc")
        await page.get_by_role("button", name="Exportar").click()
        dialog = page.get_by_role("dialog", name="Exportar a lista")
        for shown in ("3", "pedido", "Valor mínimo: R$ 50,00", "Maior valor"):
            await expect(dialog.get_by_role("definition").filter(has_text=shown)).to_have_count(1)
        await assert_sound(visit)
        await dialog.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await dialog.get_by_role("button", name="Baixar arquivo").click()
        download = await downloading.value
        assert download.suggested_filename.startswith("cobrancas-")
        assert download.suggested_filename.endswith(".csv")
        head, *lines = (await download.path()).read_text().splitlines()
        assert head.startswith("id,created_at,status,")
        amount = head.split(",").index("amount")
        assert [line.split(",")[amount] for line in lines] == ["70.00", "60.00", "50.00"]
        await expect(dialog).to_be_hidden()
        await expect(page.get_by_role("table", name="Cobranças")).to_be_visible()
        await assert_sound(visit)


@sizes
async def test_the_columns_of_a_file_are_chosen_and_remembered(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    await merchant.issue(amount=50)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        for change in (("Identificador", "Metadados"), ()):
            await page.get_by_role("button", name="Exportar").click()
            dialog = page.get_by_role("dialog", name="Exportar a lista")
            await dialog.get_by_text("Escolher as colunas").click()
            for label in change:
                await dialog.get_by_role("checkbox", name=label, exact=True).uncheck()
            await assert_sound(visit)
            await dialog.get_by_label("Formato").select_option("csv")
            async with page.expect_download() as downloading:
                await dialog.get_by_role("button", name="Baixar arquivo").click()
            head = (await (await downloading.value).path()).read_text().splitlines()[0].split(",")
            assert head[:3] == ["created_at", "status", "amount"]
            assert head[-1] == "environment"
            await expect(dialog).to_be_hidden()


async def test_a_file_without_columns_is_refused_at_their_field(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    await merchant.issue(amount=50)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        await page.get_by_role("button", name="Exportar").click()
        await page.get_by_text("Escolher as colunas").click()
        await page.get_by_role("button", name="Desmarcar todas").click()
        await page.get_by_role("button", name="Baixar arquivo").click()
        await expect(page.get_by_role("group", name="Colunas do arquivo")).to_contain_text(
            "escolha ao menos uma coluna"
        )
        await page.get_by_role("checkbox", name="Valor", exact=True).check()
        await page.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Baixar arquivo").click()
        assert (await (await downloading.value).path()).read_text() == "amount\n50.00\n"


async def test_the_statement_of_a_period_is_exported(panel: str, browser: Browser, merchant: Merchant) -> None:
    charge = await merchant.issue(amount=50)
    await merchant.pay(charge["id"])
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo/extrato?from=2020-01-01")
        await page.get_by_role("button", name="Exportar").click()
        dialog = page.get_by_role("dialog", name="Exportar a lista")
        await assert_sound(visit)
        await dialog.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await dialog.get_by_role("button", name="Baixar arquivo").click()
        download = await downloading.value
        assert download.suggested_filename.startswith("extrato-")
        head, line = (await download.path()).read_text().splitlines()
        assert head.startswith("at,kind,amount,balance_after,")
        assert line.split(",")[1] == "charge_paid"


async def test_the_lists_of_developers_are_exported(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    ids = await furnish(merchant, services)
    endpoint, delivery = ids["/dev/webhooks"]["id"], ids["/dev/webhooks"]["deliveryId"]
    lists = {
        "/dev/chaves": ids["/dev/chaves"]["id"],
        "/dev/webhooks": endpoint,
        "/dev/eventos": ids["/dev/eventos"]["id"],
        f"/dev/webhooks/{endpoint}": delivery,
    }
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant)
        for path, row in lists.items():
            await page.goto(f"{panel}{path}")
            await page.get_by_role("button", name="Exportar").click()
            await page.get_by_label("Formato").select_option("csv")
            async with page.expect_download() as downloading:
                await page.get_by_role("button", name="Baixar arquivo").click()
            lines = (await (await downloading.value).path()).read_text().splitlines()
            assert row in [line.split(",")[lines[0].split(",").index("id")] for line in lines]
        visit.assert_clean()


async def test_staff_exports_the_merchants(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    staff = await staff_member(merchant.api, services)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, staff, "/servico/lojistas?order=created_at_asc")
        await page.get_by_role("button", name="Exportar").click()
        await page.get_by_label("Formato").select_option("csv")
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Baixar arquivo").click()
        lines = (await (await downloading.value).path()).read_text()
        assert lines.index(merchant.email) < lines.index(staff.email)
        visit.assert_clean()


async def test_a_role_that_may_not_export_sees_no_button(panel: str, browser: Browser, merchant: Merchant) -> None:
    person = await merchant.api.register_merchant()
    await join(merchant, person, "operator")
    await merchant.issue()
    async with opening(browser) as visit:
        await log_in(visit, panel, person)
        await visit.page.get_by_role("combobox", name="Loja", exact=True).select_option(merchant.id)
        await visit.page.goto(f"{panel}/cobrancas")
        await expect(visit.page.get_by_role("table", name="Cobranças")).to_be_visible()
        await expect(visit.page.get_by_role("button", name="Exportar")).to_have_count(0)
