"""Products and coupons: create, use, change, delete."""

import re

from playwright.async_api import Browser, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes


@sizes
async def test_a_product_from_creation_to_deletion(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/produtos")
        await expect(page.get_by_text("Nenhum produto ainda")).to_be_visible()
        await page.get_by_role("link", name="Novo produto").click()
        await page.get_by_label("Nome", exact=True).fill("Caneca")
        await page.get_by_label("Preço").fill("3990")
        await page.get_by_label("Código (SKU)").fill("CAN-1")
        await assert_sound(visit)
        await page.get_by_role("button", name="Cadastrar produto").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Caneca")
        await assert_sound(visit)

        await page.get_by_role("link", name="Editar").click()
        await page.get_by_label("Preço").fill("4500")
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_text(re.compile("R\\$\\s45,00")).first).to_be_visible()

        await page.get_by_role("link", name="Criar link").click()
        await expect(page.get_by_role("combobox", name="Produto")).to_have_value("Caneca")
        await page.get_by_role("button", name="Criar link").click()
        await expect(page.get_by_role("link", name="Caneca")).to_be_visible()
        await page.get_by_role("link", name="Caneca").click()
        await expect(page.get_by_role("table", name="Links de pagamento")).to_contain_text("Caneca")

        await page.get_by_role("button", name="Desativar").click()
        await expect(page.get_by_text("Produto indisponível")).to_be_visible()
        await expect(page.get_by_text("Este produto está desativado:")).to_be_visible()
        await page.get_by_role("button", name="Excluir").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir produto").click()
        await expect(page.get_by_text("Nenhum produto ainda")).to_be_visible()
        await assert_sound(visit)


@sizes
async def test_a_sku_of_another_product_is_refused_at_its_field(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    await merchant.api.post("/products", {"name": "Caneca", "price": 39.9, "sku": "CAN-1"}, token=merchant.key)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/produtos/novo")
        await page.get_by_label("Nome", exact=True).fill("Caneca grande")
        await page.get_by_label("Preço").fill("4990")
        sku = page.get_by_label("Código (SKU)")
        await sku.fill("can-1")
        await page.get_by_role("button", name="Cadastrar produto").click()
        await expect(sku).to_have_attribute("aria-invalid", "true")
        await expect(sku).to_be_focused()
        await expect(sku).to_have_accessible_description(re.compile("já existe um produto com este sku"))
        await expect(page.get_by_role("alert")).to_have_count(0)
        await assert_sound(visit)
        await sku.fill("CAN-2")
        await page.get_by_role("button", name="Cadastrar produto").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Caneca grande")


async def test_a_product_is_charged_from_its_page(panel: str, browser: Browser, merchant: Merchant) -> None:
    made = await merchant.api.post("/products", {"name": "Caneca", "price": 39.9}, token=merchant.key)
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, f"/produtos/{made.json()['data']['id']}")
        await visit.page.get_by_role("link", name="Cobrar", exact=True).click()
        await expect(visit.page.get_by_role("combobox", name="Produto")).to_have_value("Caneca")
        await visit.page.get_by_label("Nome do pagador").fill("Bia")
        await visit.page.get_by_label("E-mail do pagador").fill("bia@example.com")
        await visit.page.get_by_label("CPF ou CNPJ do pagador").fill("529.982.247-25")
        await visit.page.get_by_role("button", name="Gerar cobrança").click()
        await expect(visit.page.get_by_role("heading", level=1)).to_contain_text("R$ 39,90 · Bia")


@sizes
async def test_a_coupon_from_creation_to_deletion(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    await merchant.api.post("/products", {"name": "Caneca", "price": 39.9}, token=merchant.key)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cupons")
        await expect(page.get_by_text("Nenhum cupom ainda")).to_be_visible()
        await page.get_by_role("link", name="Novo cupom").click()
        await page.get_by_label("Código").fill("natal10")
        await page.get_by_label("Desconto (%)").fill("12,5")
        await page.get_by_label("Vale até").fill("2099-12-25")
        await page.get_by_text("Mais opções").click()
        await page.get_by_label("Vale só nestes produtos").fill("cane")
        await page.get_by_role("option", name="Caneca").click()
        await expect(page.get_by_role("button", name="Tirar Caneca")).to_be_visible()
        await expect(page.get_by_role("combobox", name="Acrescentar produto")).to_be_focused()
        await assert_sound(visit)
        await page.get_by_role("button", name="Criar cupom").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("NATAL10")
        await expect(page.get_by_text("Vale até 25/12/2099")).to_be_visible()
        await expect(page.get_by_role("link", name="Caneca")).to_be_visible()
        await assert_sound(visit)

        await page.get_by_label("Valor da compra").fill("10000")
        await page.get_by_label("Produto comprado").fill("cane")
        await page.get_by_role("option", name="Caneca").click()
        await page.get_by_role("button", name="Testar").click()
        await expect(page.get_by_text(re.compile("De R\\$\\s100,00 por R\\$\\s87,50"))).to_be_visible()

        await page.get_by_role("button", name="Desativar").click()
        await expect(page.get_by_text("Desativado", exact=True)).to_be_visible()
        await page.get_by_role("button", name="Testar").click()
        await expect(page.get_by_role("alert")).to_have_text("Este cupom não está ativo.")
        await page.get_by_role("button", name="Excluir").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir cupom").click()
        await expect(page.get_by_text("Nenhum cupom ainda")).to_be_visible()
