"""The balance: what is available, a withdrawal with its second look, and what the service repays."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api_client import Api, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.test_slow_answers import arrive, hold
from tests.resolvers.withdrawals.fixtures import create_withdrawal, earn, finish, open_account


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, settings=services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta}))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@pytest.fixture
async def shop(api: Api) -> Merchant:
    """A merchant with an approved account and 100 reais on it."""
    merchant = await api.register_merchant()
    await open_account(merchant)
    await earn(merchant, 100)
    return merchant


@sizes
async def test_a_merchant_withdraws(panel: str, browser: Browser, shop: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, shop, "/saldo")
        await expect(page.get_by_text("R$ 100,00").first).to_be_visible()
        await expect(page.get_by_text("Nenhum saque ainda")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("link", name="Sacar").click()

        # More than there is: the gateway says what is available, and one click fills it in.
        await page.get_by_label("Valor").fill("15000")
        await page.get_by_label("Chave Pix").fill("ana@loja.example")
        await expect(page.get_by_label("Tipo da chave")).to_have_value("email")
        await assert_sound(visit)
        await page.get_by_role("button", name="Conferir").click()
        look = page.get_by_role("dialog", name="Confira o saque")
        await expect(look.locator("dl")).to_contain_text("Chega à chaveR$ 150,00")
        await look.get_by_role("button", name="Sacar agora").click()
        await look.get_by_role("button", name="Usar R$ 100,00").click()
        await expect(look).to_be_hidden()
        await expect(page.get_by_label("Valor")).to_have_value("100,00")

        # A key of another type: the message is at its field.
        await page.get_by_label("Tipo da chave").select_option("cnpj")
        await page.get_by_role("button", name="Conferir").click()
        await look.get_by_role("button", name="Sacar agora").click()
        await expect(page.get_by_text("informe um CNPJ válido")).to_be_visible()
        await expect(look).to_be_hidden()

        await page.get_by_label("Tipo da chave").select_option("email")
        await page.get_by_label("Guardar esta chave").check()
        await page.get_by_role("button", name="Conferir").click()
        await assert_sound(visit)
        await look.get_by_role("button", name="Sacar agora").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 100,00 · Saque")
        await expect(page.get_by_text("ana@loja.example")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("link", name="Saques").click()
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("navigation", name="Saldo").get_by_role("link", name="Extrato").click()
        await expect(page.get_by_role("row")).to_have_count(3)
        await expect(page.get_by_text("-R$ 100,00")).to_be_visible()
        await expect(page.get_by_text("Saque para")).to_be_visible()
        await assert_sound(visit)


async def test_a_saved_key_is_used_and_deleted(panel: str, browser: Browser, shop: Merchant) -> None:
    key = {"name": "Conta da Ana", "pix_key": "ana@loja.example", "pix_key_type": "email"}
    assert (await shop.api.post("/pix-keys", key, token=shop.token)).status_code == 201
    async with opening(browser, "phone") as visit:
        page = visit.page
        answered = await hold(page, "pixKeys")
        await log_in(visit, panel, shop, "/saldo/sacar")
        # A key that is typed now would be replaced by the saved one.
        await expect(page.get_by_label("Valor")).to_be_visible()
        await expect(page.get_by_label("Chave Pix")).to_have_count(0)
        await arrive(page, answered)
        await expect(page.get_by_label("Para", exact=True)).to_contain_text("Conta da Ana · ana@loja.example")
        await assert_sound(visit)
        await page.get_by_label("Valor").fill("1000")
        await page.get_by_role("button", name="Conferir").click()
        await expect(page.get_by_role("dialog").get_by_text("ana@loja.example")).to_be_visible()
        await page.get_by_role("button", name="Fechar").click()
        await page.get_by_role("button", name="Excluir esta chave").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir esta chave").click()
        await expect(page.get_by_label("Chave Pix")).to_be_visible()
        await expect(page.get_by_label("Para", exact=True)).to_be_hidden()
        visit.assert_clean()


async def test_a_second_withdrawal_leads_to_the_one_under_way(panel: str, browser: Browser, shop: Merchant) -> None:
    first = await create_withdrawal(shop, 40)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, shop, "/saldo/sacar")
        await page.get_by_role("button", name="Sacar tudo").click()
        await expect(page.get_by_label("Valor")).to_have_value("60,00")
        await page.get_by_label("Valor").fill("5000")
        await page.get_by_role("button", name="Sacar tudo").click()
        await expect(page.get_by_label("Valor")).to_have_value("60,00")
        await page.get_by_label("Chave Pix").fill("ana@loja.example")
        await page.get_by_role("button", name="Conferir").click()
        await page.get_by_role("button", name="Sacar agora").click()
        await page.get_by_role("link", name="Ver o saque em andamento").click()
        await expect(page).to_have_url(f"{panel}/saldo/saques/{first['id']}")
        # The page is read again until the bank has finished.
        await finish(shop, first)
        await expect(page.get_by_text("Concluído").first).to_be_visible()
        await expect(page.get_by_role("button", name="Copiar o EndToEndId")).to_be_visible()
        await page.get_by_role("link", name="Desenvolvedores").first.click()
        await page.get_by_role("link", name="Eventos").click()
        await page.get_by_role("link", name=first["id"]).click()
        await expect(page).to_have_url(f"{panel}/saldo/saques/{first['id']}")
        visit.assert_clean()


async def test_without_an_account_the_refusal_leads_to_it(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo/sacar")
        await page.get_by_label("Valor").fill("1000")
        await page.get_by_label("Chave Pix").fill("52998224725")
        await expect(page.get_by_label("Tipo da chave")).to_have_value("cpf")
        await page.get_by_role("button", name="Conferir").click()
        await expect(page.get_by_role("dialog")).to_contain_text("Descontada pelo provedor, se houver")
        await page.get_by_role("button", name="Sacar agora").click()
        await page.get_by_role("link", name="Ver a conta de recebimento").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Conta de recebimento")
