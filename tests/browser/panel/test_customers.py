"""Customers: create, change, charge, delete."""

from playwright.async_api import Browser, expect

from tests.api_client import VALID_CPF, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes


@sizes
async def test_a_customer_from_creation_to_deletion(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes")
        await expect(page.get_by_text("Nenhum cliente ainda")).to_be_visible()
        await page.get_by_role("link", name="Novo cliente").click()
        await page.get_by_label("Nome", exact=True).fill("Bia Compradora")
        await page.get_by_label("CPF ou CNPJ").fill("529.982.247-26")
        await page.get_by_label("E-mail").fill("bia@example.com")
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_label("CPF ou CNPJ")).to_have_attribute("aria-invalid", "true")
        await assert_sound(visit)
        await page.get_by_label("CPF ou CNPJ").fill(VALID_CPF)
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Bia Compradora")
        await expect(page.get_by_text(VALID_CPF)).to_be_visible()
        await assert_sound(visit)

        await page.get_by_role("link", name="Clientes").first.click()
        await expect(page.get_by_text("***.982.247-**")).to_be_visible()
        await expect(page.get_by_text(VALID_CPF)).to_be_hidden()
        await assert_sound(visit)
        await page.get_by_role("link", name="Bia Compradora").click()
        await page.get_by_role("link", name="Editar").click()
        await page.get_by_label("Telefone com DDD").fill("11987654321")
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_text("(11) 98765-4321")).to_be_visible()
        await expect(page.get_by_role("heading", level=1)).to_be_focused()

        await page.get_by_role("main").get_by_role("link", name="Cobrar", exact=True).click()
        await expect(page.get_by_label("Nome do pagador")).to_have_value("Bia Compradora")
        await page.get_by_label("Valor").fill("1290")
        await page.get_by_label("Descrição").fill("Pedido 7")
        await page.get_by_role("button", name="Gerar cobrança").click()
        await page.get_by_role("link", name="Bia Compradora").click()
        await expect(page.get_by_role("table", name="Cobranças")).to_contain_text("Bia Compradora")
        await page.get_by_role("link", name="Ver todas").click()
        await expect(page.get_by_role("button", name="Cliente: Bia Compradora (remover)")).to_be_visible()
        await page.go_back()

        await page.get_by_role("button", name="Excluir").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir cliente").click()
        await expect(page.get_by_text("Nenhum cliente ainda")).to_be_visible()
