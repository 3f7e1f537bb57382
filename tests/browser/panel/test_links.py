"""Payment links: create, preview, edit, switch off, delete."""

import re

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.store import create
from tests.rows import put_charges


@sizes
async def test_a_link_from_creation_to_deletion(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/links")
        await expect(page.get_by_text("Nenhum link ainda")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("link", name="Novo link").click()
        await page.get_by_label("Valor").fill("4990")
        await page.get_by_label("Título").fill("Curso de Pix")
        await expect(page.get_by_role("figure")).to_contain_text("Curso de Pix")
        await expect(page.get_by_role("figure")).to_contain_text(re.compile("Gerar Pix de R\\$\\s49,90"))
        await page.get_by_text("Mais opções").click()
        await page.get_by_label("Limite de usos").fill("10")
        await assert_sound(visit)
        await page.get_by_role("button", name="Criar link").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Curso de Pix")
        await expect(page.get_by_text("0 de 10")).to_be_visible()
        await expect(page.get_by_role("link", name="Abrir como o pagador")).to_have_attribute(
            "href", re.compile("/pay/")
        )
        await assert_sound(visit)

        await page.get_by_role("link", name="Editar").click()
        await page.get_by_label("Título").fill("Curso de Pix e boleto")
        await assert_sound(visit)
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Curso de Pix e boleto")
        await page.get_by_role("button", name="Desativar").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Desativar link").click()
        await expect(page.get_by_text("Desativado", exact=True)).to_be_visible()

        await page.get_by_role("link", name="Links de pagamento").first.click()
        await page.get_by_role("link", name="Inativos").click()
        await page.get_by_role("link", name="Curso de Pix e boleto").click()
        await page.get_by_role("button", name="Excluir").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir link").click()
        await expect(page.get_by_text("Nenhum link ainda")).to_be_visible()
        await assert_sound(visit)


async def test_a_printed_link_is_a_poster(panel: str, browser: Browser, merchant: Merchant) -> None:
    made = await merchant.api.post("/payment-links", {"title": "Ingresso", "amount": 30}, token=merchant.key)
    link = made.json()["data"]
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, f"/links/{link['id']}")
        poster = visit.page.get_by_text("Aponte a câmera do celular")
        await expect(poster).to_be_hidden()
        await visit.page.emulate_media(media="print")
        await expect(poster).to_be_visible()
        await expect(visit.page.get_by_role("button", name="Copiar link")).to_be_hidden()
        await expect(visit.page.get_by_text(link["url"]).last).to_be_visible()
        await visit.page.wait_for_function("[...document.images].every((image) => image.naturalWidth > 0)")
        assert await visit.page.locator("img:visible").count() == 1


async def test_the_gateways_refusal_of_a_field_is_shown_at_it(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, "/links/novo")
        await visit.page.get_by_label("Valor").fill("100")
        await visit.page.get_by_role("button", name="Criar link").click()
        await expect(visit.page.get_by_label("Valor")).to_have_attribute("aria-invalid", "true")
        await assert_sound(visit)


@sizes
async def test_a_link_with_too_many_charges_is_deactivated_instead(
    panel: str, browser: Browser, merchant: Merchant, services: Services, size: str
) -> None:
    made = await merchant.api.post("/payment-links", {"title": "Rifa", "amount": 30}, token=merchant.key)
    link = made.json()["data"]["id"]
    rows = [{"payment_link_id": link, "environment": "test"}] * 501
    await put_charges(services.database, merchant.id, rows, now=services.clock.now())
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/links/{link}")
        await page.get_by_role("button", name="Excluir").click()
        dialog = page.get_by_role("alertdialog")
        await dialog.get_by_role("button", name="Excluir link").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("em vez disso, desative-o")
        await expect(dialog.get_by_role("button", name="Excluir link")).to_have_count(0)
        await assert_sound(visit)
        await dialog.get_by_role("button", name="Desativar").click()
        await expect(dialog).to_be_hidden()
        await expect(page.get_by_text("Desativado", exact=True)).to_be_visible()
        # Nothing is left to offer.
        await page.get_by_role("button", name="Excluir").click()
        await dialog.get_by_role("button", name="Excluir link").click()
        await expect(dialog.get_by_role("alert")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Desativar")).to_have_count(0)


async def test_a_link_without_its_product_costs_what_the_field_shows(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    product = await create(merchant, "/products", {"name": "Camiseta", "price": 100})
    link = await create(merchant, "/payment-links", {"title": "Rifa", "amount": 100, "product_id": product})
    async with opening(browser, "phone") as visit:
        page = visit.page
        await visit.page.add_init_script("delete Navigator.prototype.clipboard")
        await log_in(visit, panel, merchant, f"/links/{link}")
        # As on a plain http address of a local network.
        await page.get_by_role("button", name="Copiar link").click()
        await expect(page.get_by_role("button", name="Não foi possível copiar")).to_be_visible()
        await page.get_by_role("link", name="Editar").click()
        await page.get_by_label("Título").fill("Rifa de Natal")
        await page.get_by_role("button", name="Limpar: Produto").click()
        await expect(page.get_by_label("Valor")).to_have_value("100,00")
        await expect(page.get_by_role("figure")).to_contain_text(re.compile("Gerar Pix de R\\$\\s100,00"))
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_role("link", name="Editar")).to_be_visible()
        visit.assert_clean()
    changed = (await merchant.api.get(f"/payment-links/{link}", token=merchant.key)).json()["data"]
    assert (changed["amount"], changed["product_id"]) == (100, None)
