"""The settings: the store's data, the account, the second factor, sessions, and the receiving account."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.resolvers.two_factor.codes import current_step
from gateway.security import totp
from gateway.settings import ReceivingMode
from tests.api_client import PASSWORD, Api, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.two_factor import log_in as open_session
from tests.two_factor import sessions_of

NEW_PASSWORD = "outra senha comprida"


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, settings=services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta}))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@sizes
async def test_a_merchant_keeps_store_and_account(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/loja")
        await assert_sound(visit)
        await page.get_by_label("Telefone com DDD").fill("11987654321")
        await page.get_by_label("CNPJ").fill("11.222.333/0001-80")
        await page.get_by_role("button", name="Salvar").first.click()
        await expect(page.get_by_label("CNPJ")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("CNPJ").fill("11.222.333/0001-81")
        await page.get_by_role("button", name="Salvar").first.click()
        await expect(page.get_by_text("Salvo.")).to_be_visible()
        await page.get_by_label("CEP").fill("01310100")
        await page.get_by_label("Bairro").fill("Bela Vista")
        await page.get_by_role("button", name="Salvar").last.click()
        await expect(page.get_by_text("Salvo.")).to_have_count(2)
        await page.reload()
        await expect(page.get_by_label("Telefone com DDD")).to_have_value("(11) 98765-4321")
        await expect(page.get_by_label("CEP")).to_have_value("01310-100")

        await page.get_by_role("navigation", name="Ajustes").get_by_role("link", name="Conta").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sua conta")
        notices = page.get_by_role("region", name="Avisos por e-mail")
        await notices.get_by_label("Receber um e-mail a cada pagamento").uncheck()
        await notices.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_text("Salvo.")).to_be_visible()
        await page.get_by_label("Senha atual").fill("não é esta")
        await page.get_by_label("Senha nova").fill(NEW_PASSWORD)
        await page.get_by_role("button", name="Trocar a senha").click()
        await expect(page.get_by_label("Senha nova")).to_have_value(NEW_PASSWORD)
        await page.get_by_label("Senha atual").fill(PASSWORD)
        await page.get_by_role("button", name="Trocar a senha").click()
        await expect(page.get_by_text("Senha trocada.")).to_be_visible()
        await assert_sound(visit)
    profile = (await merchant.api.post("/auth/login", {"email": merchant.email, "password": NEW_PASSWORD})).json()
    assert profile["data"]["user"]["notify_payment_email"] is False


@sizes
async def test_a_second_factor_is_set_up_renewed_and_disabled(
    panel: str, browser: Browser, merchant: Merchant, services: Services, size: str
) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/seguranca")
        await assert_sound(visit)
        await page.get_by_role("button", name="Ativar").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Senha da conta").fill(PASSWORD)
        await dialog.get_by_role("button", name="Continuar").click()
        await expect(dialog.get_by_role("img", name="QR Code")).to_be_visible()
        await assert_sound(visit)
        secret = await dialog.locator("pre").inner_text()

        def code(ahead: int) -> str:
            return totp(secret, current_step(services.clock.now()) + ahead)

        await dialog.get_by_label("Código de 6 dígitos").fill("000000")
        await dialog.get_by_role("button", name="Confirmar e ativar").click()
        await expect(dialog.get_by_role("alert")).to_be_visible()
        await dialog.get_by_label("Código de 6 dígitos").fill(code(0))
        await dialog.get_by_role("button", name="Confirmar e ativar").click()
        await expect(page.get_by_role("heading", name="Códigos de recuperação")).to_be_visible()
        codes = await page.get_by_role("main").get_by_role("listitem").all_inner_texts()
        await assert_sound(visit)
        await page.get_by_role("link", name="Conta", exact=True).click()
        await dialog.get_by_role("button", name="Voltar e guardar").click()
        await page.get_by_role("button", name="Já guardei os códigos").click()
        await expect(page.get_by_text("Ativada")).to_be_visible()

        await page.get_by_role("button", name="Trocar os códigos de recuperação").click()
        await dialog.get_by_label("Senha da conta").fill(PASSWORD)
        await dialog.get_by_label("Código do aplicativo ou de recuperação").fill(codes[0])
        await assert_sound(visit)
        await dialog.get_by_role("button", name="Trocar os códigos de recuperação").click()
        renewed = page.get_by_role("main").get_by_role("listitem")
        await expect(renewed).to_have_count(len(codes))
        assert not set(codes) & set(await renewed.all_inner_texts())
        await page.get_by_role("button", name="Já guardei os códigos").click()

        await page.get_by_role("button", name="Desativar").click()
        await dialog.get_by_label("Senha da conta").fill(PASSWORD)
        await dialog.get_by_label("Código do aplicativo ou de recuperação").fill(code(1))
        await dialog.get_by_role("button", name="Desativar").click()
        await expect(page.get_by_text("Desativada")).to_be_visible()


async def test_other_sessions_are_ended_and_this_one_goes_on(panel: str, browser: Browser, merchant: Merchant) -> None:
    for _ in range(2):
        await open_session(merchant)
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/seguranca")
        await expect(page.get_by_text("Esta sessão")).to_be_visible()
        await page.get_by_role("button", name="Encerrar", exact=True).first.click()
        await page.get_by_role("button", name="Encerrar sessão").click()
        await expect(page.get_by_role("button", name="Encerrar", exact=True)).to_have_count(2)
        await page.get_by_role("button", name="Encerrar todas as outras").click()
        await page.get_by_role("button", name="Encerrar as outras").click()
        await expect(page.get_by_role("button", name="Encerrar", exact=True)).to_have_count(0)
        await assert_sound(visit)
        await page.get_by_role("link", name="Saldo").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Saldo")
    assert len(await sessions_of(merchant.api, await open_session(merchant))) == 2


@sizes
async def test_a_receiving_account_is_opened_and_reviewed_in_test(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/recebimento")
        await expect(page.get_by_label("Razão social")).to_have_value("Loja da Ana")
        await assert_sound(visit)
        form = {
            "Celular com DDD": "1133334444",
            "Faturamento mensal": "2500000",
            "CEP": "01310100",
            "Logradouro": "Rua das Flores",
            "Número": "123",
            "Bairro": "Centro",
        }
        for label, text in form.items():
            await page.get_by_label(label, exact=True).fill(text)
        await page.get_by_role("button", name="Abrir a conta").click()
        await expect(page.get_by_label("Celular com DDD")).to_have_attribute("aria-invalid", "true")
        await page.get_by_label("Celular com DDD").fill("11987654321")
        await page.get_by_role("button", name="Abrir a conta").click()
        await expect(page.get_by_role("heading", name="Aprovação")).to_be_visible()
        await page.get_by_role("button", name="Conferir agora").click()
        await assert_sound(visit)

        await page.get_by_label("Decisão").select_option("REJECTED")
        await page.get_by_label("Motivo, se foi recusada").fill("Documento vencido")
        await page.get_by_role("button", name="Simular").click()
        await expect(page.get_by_text("Documento vencido")).to_be_visible()
        await page.get_by_label("Decisão").select_option("APPROVED")
        await page.get_by_role("button", name="Simular").click()
        await expect(page.get_by_text("Sua loja já pode receber.")).to_be_visible()
        await assert_sound(visit)
