"""An answer that comes late leaves the user on the page that they have chosen since."""

import asyncio

from playwright.async_api import Browser, Page, Route, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening
from tests.browser.panel.store import CUSTOMER


async def hold(page: Page, field: str) -> asyncio.Event:
    """From now on the answers with this root field wait for the event."""
    answered = asyncio.Event()

    async def wait(route: Route) -> None:
        if field not in (route.request.post_data or ""):
            await route.fallback()
            return
        response = await route.fetch()
        await answered.wait()
        await route.fulfill(response=response)

    def is_document(address: str) -> bool:
        return address.endswith("/graphql")

    await page.route(is_document, wait)
    return answered


async def arrive(page: Page, answered: asyncio.Event) -> None:
    async with page.expect_response("**/graphql"):
        answered.set()
    await page.unroute_all(behavior="wait")


async def test_a_late_charge_leaves_the_form_of_a_product(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        form = {
            "Valor": "2500",
            "Descrição": "Pedido 7",
            "Nome do pagador": "Bia",
            "E-mail do pagador": "bia@x.example",
        }
        for label, text in {**form, "CPF ou CNPJ do pagador": "529.982.247-25"}.items():
            await page.get_by_label(label).fill(text)
        answered = await hold(page, "issueCharge(")
        await page.get_by_role("button", name="Gerar cobrança").click()
        await page.get_by_role("link", name="Produtos", exact=True).click()
        await page.get_by_role("link", name="Novo produto").click()
        await page.get_by_label("Nome", exact=True).fill("Caneca")
        await arrive(page, answered)
        await page.get_by_label("Preço").fill("3990")
        await expect(page.get_by_label("Nome", exact=True)).to_have_value("Caneca")
        await page.get_by_role("button", name="Cadastrar produto").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Caneca")
        await page.get_by_role("link", name="Cobranças", exact=True).click()
        await expect(page.get_by_role("row").filter(has_text="Bia")).to_contain_text("R$ 25,00")


async def test_a_late_save_leaves_the_search_of_a_list(panel: str, browser: Browser, merchant: Merchant) -> None:
    made = await merchant.api.post("/customers", CUSTOMER, token=merchant.key)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/clientes/{made.json()['data']['id']}?editar=1")
        await page.get_by_label("Nome", exact=True).fill("Carla Nova")
        answered = await hold(page, "updateCustomer(")
        await page.get_by_role("button", name="Salvar").click()
        await page.get_by_role("link", name="Cobranças", exact=True).click()
        await page.get_by_role("link", name="Paga", exact=True).click()
        await expect(page).to_have_url(f"{panel}/cobrancas?status=paid")
        await arrive(page, answered)
        await page.get_by_role("searchbox").fill("Bia")
        await expect(page).to_have_url(f"{panel}/cobrancas?status=paid&q=Bia")
