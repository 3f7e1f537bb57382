"""A new charge by its form: the payer, the product with its coupon, metadata, and a store that cannot charge yet."""

import re
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api.actors import set_status
from tests.api_client import VALID_CPF, Api, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.store import CUSTOMER, create
from tests.browser.panel.test_pages import choose_store
from tests.chromium import served
from tests.members import join
from tests.resolvers.withdrawals.fixtures import open_account

PAYER = {"Nome do pagador": "Bia", "E-mail do pagador": "bia@example.com", "CPF ou CNPJ do pagador": VALID_CPF}
COUPON = {"code": "NATAL10", "discount_type": "percentage", "discount_value": 10}


@pytest.fixture
def subaccounts(services: Services) -> Services:
    """Services in which each store needs a receiving account."""
    return replace(services, settings=services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta}))


async def fill(page: Page, form: dict[str, str]) -> None:
    for label, text in form.items():
        await page.get_by_label(label, exact=True).fill(text)


async def newest_charge(merchant: Merchant) -> dict[str, Any]:
    found: dict[str, Any] = (await merchant.api.get("/pix", token=merchant.key)).json()["data"][0]
    return found


@sizes
async def test_a_customer_is_picked_and_fills_in_the_payer(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    customer = await create(merchant, "/customers", CUSTOMER)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        await expect(page.get_by_label("Valor")).to_have_accessible_description(re.compile("O mínimo é R\\$\\s5,00"))
        await fill(page, {"Valor": "2500", "Descrição": "Pedido 7", "Nome do pagador": "Bia"})
        await page.get_by_role("combobox", name="Cliente").fill("carla")
        await page.get_by_role("option", name="Carla Cliente").click()
        await expect(page.get_by_label("Nome do pagador")).to_have_value("Carla Cliente")
        await expect(page.get_by_label("E-mail do pagador")).to_have_value("carla@example.com")
        await expect(page.get_by_label("CPF ou CNPJ do pagador")).to_have_value("529.982.247-25")
        await expect(page.get_by_label("Telefone com DDD")).to_have_value("(11) 98765-4321")
        await assert_sound(visit)
        await page.get_by_role("button", name="Limpar: Cliente").click()
        await expect(page.get_by_label("Nome do pagador")).to_have_value("")
        await page.get_by_role("combobox", name="Cliente").fill("carla")
        await page.get_by_role("option", name="Carla Cliente").click()
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 25,00 · Carla Cliente")
        assert (await newest_charge(merchant))["customer_id"] == customer


@sizes
async def test_a_product_with_a_coupon_for_a_new_customer(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    await create(merchant, "/products", {"name": "Camiseta", "price": 79.9})
    await create(merchant, "/products", {"name": "Adesivo", "price": 5.5})
    await create(merchant, "/coupons", COUPON)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        await page.get_by_text("Mais opções").click()
        await expect(page.get_by_label("Cupom")).to_have_count(0)
        await page.get_by_role("combobox", name="Produto").fill("ades")
        await page.get_by_role("option", name="Adesivo").click()
        coupon = page.get_by_label("Cupom", exact=True)
        await coupon.fill("natal")
        await expect(page.get_by_text("Cupom não encontrado.")).to_be_visible()
        await expect(coupon).to_have_attribute("aria-invalid", "true")
        await coupon.fill("natal10")
        await expect(coupon).to_have_accessible_description(
            "Com este cupom o total ficaria abaixo do mínimo de R$ 5,00."
        )
        await assert_sound(visit)
        await fill(page, PAYER)
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(coupon).to_be_focused()
        await page.get_by_role("combobox", name="Produto").fill("cami")
        await page.get_by_role("option", name="Camiseta").click()
        quote = re.compile("Desconto de R\\$\\s7,99. O pagador paga R\\$\\s71,91.")
        await expect(page.get_by_text(quote)).to_be_visible()
        await expect(coupon).not_to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Salvar o pagador como cliente").check()
        await assert_sound(visit)
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 71,91 · Bia")
        await expect(page.get_by_role("definition").filter(has=page.get_by_role("link", name="Bia"))).to_be_visible()
        await page.get_by_role("link", name="NATAL10").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("NATAL10")


@sizes
async def test_metadata_are_rows_of_keys_and_texts(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        await fill(page, {"Valor": "2500", "Descrição": "Pedido 7"} | PAYER)
        await page.get_by_text("Mais opções").click()
        await fill(page, {"Texto 1": "azul, claro"})
        await page.get_by_role("button", name="Acrescentar metadados").click()
        await fill(page, {"Chave 2": "pedido", "Texto 2": "7"})
        await page.get_by_role("button", name="Acrescentar metadados").click()
        await assert_sound(visit)
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("alert")).to_contain_text("Metadados: chaves de 1 a 40")
        await fill(page, {"Chave 1": "cor"})
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 25,00 · Bia")
        assert (await newest_charge(merchant))["metadata"] == {"cor": "azul, claro", "pedido": "7"}


@sizes
async def test_a_store_without_an_account_reads_why_it_cannot_charge(
    browser: Browser, subaccounts: Services, size: str
) -> None:
    gateway = Gateway(subaccounts.settings, subaccounts)
    async with Api.of(gateway) as api, served(gateway) as url, opening(browser, size) as visit:
        page, merchant = visit.page, await api.register_merchant()
        await log_in(visit, f"{url}/painel", merchant, "/cobrancas/nova")
        await expect(page.get_by_text("ainda não abriu a conta de recebimento")).to_be_visible()
        await expect(page.get_by_role("button", name="Gerar cobrança")).to_have_count(0)
        await assert_sound(visit)
        await page.get_by_role("link", name="Abrir a conta de recebimento").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Conta de recebimento")
        await open_account(merchant)
        await page.goto(f"{url}/painel/cobrancas/nova")
        await expect(page.get_by_role("button", name="Gerar cobrança")).to_be_visible()


async def test_a_charge_refused_for_the_account_leads_to_it(browser: Browser, subaccounts: Services) -> None:
    """The gateway decides. A half-filled form stays when the page learns that the account was refused."""
    gateway = Gateway(subaccounts.settings, subaccounts)
    async with Api.of(gateway) as api, served(gateway) as url, opening(browser) as visit:
        page, merchant = visit.page, await api.register_merchant()
        await open_account(merchant)
        await log_in(visit, f"{url}/painel", merchant, "/cobrancas/nova")
        await fill(page, {"Valor": "2500", "Descrição": "Pedido 7"} | PAYER)
        rejection = {"geral": "REJECTED", "motivo": "Selfie ilegível."}
        async with page.expect_response(lambda it: "ChargeRequirements" in (it.request.post_data or "")):
            await api.post("/receiving-account/simulate-review", rejection, token=merchant.token)
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("alert")).to_contain_text("ainda não foi aprovada")
        await expect(page.get_by_label("Nome do pagador")).to_have_value("Bia")
        await assert_sound(visit)
        await page.get_by_role("link", name="Ver a conta de recebimento").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Conta de recebimento")


async def test_a_store_that_is_not_approved_reads_it_in_live(
    panel: str, browser: Browser, api: Api, services: Services
) -> None:
    owner, person = await api.register_merchant(), await api.register_merchant()
    await join(owner, person, "admin")
    await set_status(services.database, person, "approved")
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, person)
        await expect(page.get_by_label("Ambiente")).to_have_value("live")
        await choose_store(page, "desk", owner)
        await page.evaluate(
            "history.pushState({}, '', '/painel/cobrancas/nova'); dispatchEvent(new PopStateEvent('popstate'))"
        )
        await expect(page.get_by_text("não está liberada para produção")).to_be_visible()
        await expect(page.get_by_role("button", name="Gerar cobrança")).to_have_count(0)
        await assert_sound(visit)
        await page.get_by_role("link", name="Ver a liberação para produção").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Liberação para produção")
