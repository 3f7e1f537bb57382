"""From the registration to the first live charge by pages alone: a merchant in one browser, staff in another."""

import re

from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.resolvers.two_factor.codes import current_step
from gateway.security import totp
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant
from tests.applicants import FILES, JPEG, PDF, apply, decide, staff_member
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.chromium import served

DOCUMENTS = ("Contrato social", "Documento de identidade", "Comprovante de endereço")


async def register(page: Page, panel: str) -> None:
    await page.goto(f"{panel}/cadastro")
    form = {"Seu nome": "Carla Nova", "E-mail": "carla@example.com", "Senha": PASSWORD, "CNPJ": VALID_CNPJ}
    for label, text in form.items():
        await page.get_by_label(label).fill(text)
    await page.get_by_role("button", name="Criar conta").click()
    await page.get_by_role("button", name="Pular").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Olá, Carla Nova")


async def open_settings(page: Page, name: str) -> None:
    await page.get_by_role("navigation", name="Ajustes").get_by_role("link", name=name).click()


async def test_a_merchant_comes_from_registration_to_live_by_pages_alone(
    panel: str, browser: Browser, api: Api, services: Services
) -> None:
    staff = await staff_member(api, services)
    async with opening(browser, "phone") as visit, opening(browser) as reviewing:
        page, desk = visit.page, reviewing.page
        await register(page, panel)
        await page.get_by_role("button", name="Mais").click()
        await page.get_by_role("dialog").get_by_label("Ambiente").select_option("live")
        await page.get_by_role("link", name="Pedir a liberação para produção").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Liberação para produção")
        await expect(page.get_by_text("Faltam 5 itens")).to_be_visible()
        await assert_sound(visit)

        # What is missing, where it belongs.
        await page.get_by_role("link", name="Preencher em Loja").click()
        await page.get_by_label("Nome da loja").fill("Loja da Carla")
        await page.get_by_role("button", name="Salvar").first.click()
        await expect(page.get_by_text("Salvo.")).to_be_visible()
        await open_settings(page, "Produção")
        await page.get_by_role("button", name="Aceitar os termos").click()
        for left, (name, (file_name, content)) in enumerate(zip(DOCUMENTS, FILES.values(), strict=True)):
            file = {"name": file_name, "mimeType": "application/octet-stream", "buffer": content}
            await page.get_by_label(re.compile(f"Escolher arquivo.*{name}")).set_input_files(files=[file])  # type: ignore[list-item]  # A dictionary of Playwright's.
            await page.get_by_role("button", name=re.compile(r"^Enviar \(\d+ kB\)")).click()
            await expect(page.get_by_text("Pronto")).to_have_count(4 + left)
        await assert_sound(visit)
        await page.get_by_role("button", name="Pedir a liberação").click()
        await expect(page.get_by_text("Seu pedido está em análise")).to_be_visible()
        await expect(page.get_by_text("Trocar")).to_have_count(0)
        await assert_sound(visit)

        # The staff looks and refuses; the merchant reads why, sends a better photo and asks again.
        await log_in(reviewing, panel, staff)
        await desk.get_by_role("link", name="Serviço").click()
        await expect(desk.get_by_role("link", name="Ver a fila")).to_be_visible()
        await assert_sound(reviewing)
        await desk.get_by_role("link", name="Ver a fila").click()
        await expect(desk.get_by_text("Total: 1")).to_be_visible()
        await assert_sound(reviewing)
        await desk.get_by_role("link", name="Loja da Carla").click()
        await expect(desk.get_by_text("Igual")).to_have_count(5)
        await assert_sound(reviewing)
        await desk.get_by_role("button", name="Ver Documento de identidade").click()
        await expect(desk.get_by_role("dialog").get_by_role("img")).to_be_visible()
        await assert_sound(reviewing)
        async with desk.expect_download() as download:
            await desk.get_by_role("dialog").get_by_role("link", name="Baixar").click()
        assert (await (await download.value).path()).read_bytes() == JPEG
        await desk.keyboard.press("Escape")
        await desk.get_by_role("button", name="Recusar").click()
        await desk.get_by_label("Modelo").select_option(label="Documento ilegível")
        await desk.get_by_role("dialog").get_by_role("button", name="Recusar").click()
        await expect(desk.get_by_text("Recusada").first).to_be_visible()

        await page.reload()
        await expect(page.get_by_role("alert")).to_contain_text("documentos está ilegível")
        await assert_sound(visit)
        photo = {"name": "rg nítido.jpg", "mimeType": "image/jpeg", "buffer": JPEG + b"\0" * 99}
        await page.get_by_label(re.compile("Trocar.*Documento de identidade")).set_input_files(files=[photo])  # type: ignore[list-item]  # A dictionary of Playwright's.
        await page.get_by_role("button", name=re.compile(r"^Enviar")).click()
        await expect(page.get_by_text("rg nítido.jpg")).to_be_visible()
        await page.get_by_role("button", name="Pedir a liberação").click()
        await expect(page.get_by_text("Seu pedido está em análise")).to_be_visible()

        await desk.reload()
        await desk.get_by_role("button", name="Liberar").click()
        await assert_sound(reviewing)
        await desk.get_by_role("alertdialog").get_by_role("button", name="Liberar").click()
        await expect(desk.get_by_role("button", name="Suspender")).to_be_visible()

        # Live: the same panel, without the test notice, and a charge of real money.
        await page.reload()
        await expect(page.get_by_role("button", name="Ir para produção")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("button", name="Ir para produção").click()
        await expect(page.get_by_text("Ambiente de teste.")).to_be_hidden()
        await page.get_by_role("link", name="Cobrar").click()
        form = {"Valor": "1000", "Descrição": "Primeira venda", "Nome do pagador": "Bia"}
        for label, text in {**form, "E-mail do pagador": "bia@example.com"}.items():
            await page.get_by_label(label, exact=True).fill(text)
        await page.get_by_label("CPF ou CNPJ do pagador").fill("529.982.247-25")
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 10,00 · Bia")
        await expect(page.get_by_role("img", name="QR Code Pix")).to_be_visible()
        await assert_sound(visit)


async def test_a_damaged_document_is_refused_in_the_gateways_words(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/ajustes/producao")
        file = {"name": "contrato.pdf", "mimeType": "application/pdf", "buffer": PDF[: len(PDF) // 2]}
        await page.get_by_label(re.compile("Escolher arquivo.*Contrato")).set_input_files(files=[file])  # type: ignore[list-item]  # A dictionary of Playwright's.
        await page.get_by_role("button", name=re.compile(r"^Enviar")).click()
        await expect(page.get_by_role("alert")).to_have_text("O PDF está incompleto ou danificado; gere-o de novo.")
        await expect(page.get_by_role("button", name=re.compile(r"^Enviar"))).to_be_visible()
        await expect(page.get_by_text("Faltam 4 itens")).to_be_visible()


@sizes
async def test_staff_suspends_and_reactivates(
    panel: str, browser: Browser, api: Api, services: Services, merchant: Merchant, size: str
) -> None:
    staff = await staff_member(api, services)
    await apply(merchant)
    assert (await decide(staff, merchant, "aprovar")).status_code == 200
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, staff, f"/servico/lojistas/{merchant.id}")
        await page.get_by_role("button", name="Suspender").click()
        await page.get_by_label("Motivo").fill("Reclamações de compradores.")
        await assert_sound(visit)
        await page.get_by_role("dialog").get_by_role("button", name="Suspender").click()
        await expect(page.get_by_text("Suspensa: Reclamações de compradores.")).to_be_visible()
        await page.get_by_role("button", name="Reativar").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Reativar").click()
        await expect(page.get_by_role("button", name="Suspender")).to_be_visible()
        await assert_sound(visit)


async def test_the_later_of_two_decisions_says_so(
    panel: str, browser: Browser, api: Api, services: Services, merchant: Merchant
) -> None:
    staff = await staff_member(api, services)
    other = await staff_member(api, services)
    await apply(merchant)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, staff, f"/servico/lojistas/{merchant.id}")
        await page.get_by_role("button", name="Liberar").click()
        assert (await decide(other, merchant, "recusar", motivo="CNPJ de outra empresa.")).status_code == 200
        await page.get_by_role("alertdialog").get_by_role("button", name="Liberar").click()
        await expect(page.get_by_text("Alguém decidiu antes de você.")).to_be_visible()
        await expect(page.get_by_text("Recusada: CNPJ de outra empresa.")).to_be_visible()
        await assert_sound(visit)


async def test_staff_can_not_review_its_own_store(panel: str, browser: Browser, api: Api, services: Services) -> None:
    staff = await staff_member(api, services)
    await apply(staff)
    async with opening(browser) as visit:
        await log_in(visit, panel, staff, f"/servico/lojistas/{staff.id}")
        await expect(visit.page.get_by_text("Ninguém analisa a própria loja")).to_be_visible()
        await expect(visit.page.get_by_role("button", name="Liberar")).to_be_hidden()
        await assert_sound(visit)


async def test_staff_without_the_required_second_factor_is_led_to_it(
    browser: Browser, api: Api, services: Services
) -> None:
    staff = await staff_member(api, services)
    strict = services.settings.model_copy(update={"staff_requires_2fa": True})
    async with served(Gateway(strict, replace(services, settings=strict))) as url, opening(browser) as visit:
        page = visit.page
        await log_in(visit, f"{url}/painel", staff)
        await page.get_by_role("link", name="Serviço").click()
        await expect(page.get_by_text("Sem ela, estas páginas ficam fechadas.")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("link", name="Ativar a verificação em duas etapas").click()
        await expect(page.get_by_text("O serviço exige a verificação em duas etapas")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("button", name="Ativar").click()
        await page.get_by_label("Senha da conta").fill(PASSWORD)
        await page.get_by_role("button", name="Continuar").click()
        secret = await page.get_by_role("dialog").locator("pre").inner_text()
        await page.get_by_label("Código de 6 dígitos").fill(totp(secret, current_step(services.clock.now())))
        await page.get_by_role("button", name="Confirmar e ativar").click()
        await page.get_by_role("button", name="Já guardei os códigos").click()
        await page.get_by_role("link", name="Serviço").click()
        await expect(page.get_by_role("region", name="Pedidos de liberação")).to_be_visible()


async def test_others_find_no_page_of_the_staff(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, "/servico/lojistas")
        await expect(visit.page.get_by_text("Seu papel nesta loja não permite isto")).to_be_visible()
        await expect(visit.page.get_by_role("link", name="Serviço")).to_have_count(0)
        await assert_sound(visit)
