"""Before and around a session: login, registration, expiry, logout.

Once a session has ended, the live stream may open the lock dialog at any time. It hides the page behind it. So the next
click is dispatched, and finds what is hidden: a pointer would wait for the dialog to go.
"""

import re

from playwright.async_api import Browser, Route, expect

from gateway.resolvers.core.context import Services
from tests.api.actors import set_status
from tests.api_client import PASSWORD, VALID_CNPJ, Api, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.browser.panel.pages import assert_sound, log_in, opening, schemes, sizes
from tests.members import invite, join, remove, tokens_of
from tests.sql import rows

NEW_PASSWORD = "outra senha comprida"


@sizes
@schemes
async def test_a_merchant_logs_in(panel: str, browser: Browser, merchant: Merchant, size: str, scheme: str) -> None:
    async with opening(browser, size, scheme) as visit:
        await visit.page.goto(panel)
        await expect(visit.page).to_have_url(f"{panel}/entrar")
        await expect(visit.page).to_have_title("Entrar no painel · Painel")
        await assert_sound(visit)
        await log_in(visit, panel, merchant)
        await expect(visit.page.get_by_text("Ambiente de teste.")).to_be_visible()
        await expect(visit.page.get_by_role("navigation").get_by_role("link", name="Início")).to_be_visible()
        await assert_sound(visit)


async def test_an_unknown_page_leads_home(panel: str, browser: Browser) -> None:
    async with opening(browser) as visit:
        await visit.page.goto(f"{panel}/nada/disso")
        await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Esta página não existe.")
        await visit.page.get_by_role("link", name="Ir para o início").click()
        await expect(visit.page).to_have_url(f"{panel}/entrar")
        visit.assert_clean()


async def test_a_wrong_password_is_refused_in_the_gateways_words(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser) as visit:
        await visit.page.goto(panel)
        await visit.page.get_by_label("E-mail").fill(merchant.email)
        await visit.page.get_by_label("Senha").fill("não é esta")
        await visit.page.get_by_role("button", name="Entrar").click()
        await expect(visit.page.get_by_role("alert")).to_contain_text("incorret")
        await expect(visit.page.get_by_label("E-mail")).to_have_value(merchant.email)
        assert await accessibility_violations(visit.page) == []


async def test_no_script_finds_the_token(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant)
        stored = await visit.page.evaluate(
            "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])"
        )
        assert "eyJ" not in stored
        (cookie,) = await visit.page.context.cookies(f"{panel.removesuffix('/painel')}/graphql")
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert cookie["value"] not in stored


async def test_a_reload_resumes_the_session(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, "/cobrancas?status=paid")
        await visit.page.reload()
        await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Cobranças")
        await expect(visit.page).to_have_url(f"{panel}/cobrancas?status=paid")
        await visit.page.get_by_role("button", name="Sair").click()
        await expect(visit.page).to_have_url(f"{panel}/entrar")
        await visit.page.goto(panel)
        await expect(visit.page).to_have_url(f"{panel}/entrar")


async def test_a_reload_with_a_lost_connection_keeps_the_session(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes")
        await page.route("**/graphql", lambda route: route.abort())
        await page.reload()
        await expect(page.get_by_role("alert")).to_contain_text("não respondeu")
        await expect(page).to_have_url(f"{panel}/clientes")
        await page.unroute("**/graphql")
        await page.get_by_role("button", name="Tentar de novo").click()
        await expect(page.get_by_role("heading", name="Clientes", level=1)).to_be_visible()


async def test_a_removed_member_goes_on_in_the_own_store(
    panel: str, browser: Browser, merchant: Merchant, api: Api
) -> None:
    person = await api.register_merchant(company="Loja do Caio")
    member = await join(merchant, person)
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, person)
        await page.get_by_role("combobox", name="Loja", exact=True).select_option(merchant.id)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await remove(merchant, member)
        await page.reload()
        await expect(page.get_by_role("region", name="Conta")).to_contain_text("Loja do Caio")


async def test_another_store_is_shown_from_the_list(panel: str, browser: Browser, merchant: Merchant, api: Api) -> None:
    owner = await api.register_merchant()
    await join(owner, merchant)
    charge = await merchant.issue()
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await page.get_by_role("combobox", name="Loja", exact=True).select_option(owner.id)
        await expect(page.get_by_text("Nenhuma cobrança ainda")).to_be_visible()
        await expect(page).to_have_url(f"{panel}/cobrancas")
        visit.assert_clean()


async def test_live_is_refused_with_the_reason(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant)
        await visit.page.get_by_label("Ambiente").select_option("live")
        await expect(visit.page.get_by_role("alert")).to_be_visible()
        await expect(visit.page.get_by_label("Ambiente")).to_have_value("test")


async def only_mutations(route: Route) -> None:
    """Holds what the page reads by itself, which would meet the end of the session first."""
    if "mutation " in (route.request.post_data or ""):
        await route.continue_()


async def test_a_half_filled_form_survives_the_end_of_the_session(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser, "phone") as visit:
        await log_in(visit, panel, merchant, "/cobrancas/nova")
        form = {
            "Valor": "1290",
            "Descrição": "Pedido 7",
            "Nome do pagador": "Bia",
            "E-mail do pagador": "bia@example.com",
        }
        for label, text in {**form, "CPF ou CNPJ do pagador": "529.982.247-25"}.items():
            await visit.page.get_by_label(label, exact=True).fill(text)
        await visit.page.route("**/graphql", only_mutations)
        ended = await merchant.api.graphql("mutation { endOtherSessions { accessToken } }", token=merchant.token)
        assert "errors" not in ended
        await visit.page.get_by_role("button", name="Gerar cobrança", include_hidden=True).dispatch_event("click")
        dialog = visit.page.get_by_role("dialog", name="Sua sessão expirou")
        await expect(dialog).to_be_visible()
        await visit.page.unroute("**/graphql")
        assert await accessibility_violations(visit.page) == []
        await dialog.get_by_label("E-mail").fill(merchant.email)
        await dialog.get_by_label("Senha").fill(PASSWORD)
        await dialog.get_by_role("button", name="Entrar").click()
        await expect(dialog).to_be_hidden()
        # The request that met the end of the session is sent again.
        await expect(visit.page.get_by_role("heading", level=1)).to_contain_text("R$ 12,90 · Bia")


async def test_the_request_that_waits_for_the_login_stays_in_its_environment(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    """A login of an approved store opens production, but the form was filled in the test environment."""
    await set_status(services.database, merchant, "approved")
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes/novo")
        await expect(page.get_by_label("Ambiente")).to_have_value("live")
        await page.get_by_label("Ambiente").select_option("test")
        await expect(page.get_by_text("Ambiente de teste.")).to_be_visible()
        form = {"Nome": "Bia", "E-mail": "bia@example.com", "CPF ou CNPJ": "529.982.247-25"}
        for label, text in form.items():
            await page.get_by_label(label, exact=True).fill(text)
        await page.route("**/graphql", only_mutations)
        await merchant.api.graphql("mutation { endOtherSessions { accessToken } }", token=merchant.token)
        await page.get_by_role("button", name="Cadastrar cliente", include_hidden=True).dispatch_event("click")
        dialog = page.get_by_role("dialog", name="Sua sessão expirou")
        await expect(dialog).to_be_visible()
        await page.unroute("**/graphql")
        await dialog.get_by_label("E-mail").fill(merchant.email)
        await dialog.get_by_label("Senha").fill(PASSWORD)
        await dialog.get_by_role("button", name="Entrar").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Bia")
        await expect(page.get_by_label("Ambiente")).to_have_value("test")
    found = await rows(services.database, "select environment from customers")
    assert [row["environment"] for row in found] == ["test"]


async def test_a_refused_account_stays_logged_out(panel: str, browser: Browser, merchant: Merchant, api: Api) -> None:
    other = await api.register_merchant()
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes/novo")
        await merchant.api.graphql("mutation { endOtherSessions { accessToken } }", token=merchant.token)
        await page.get_by_role("link", name="Início", include_hidden=True).first.dispatch_event("click")
        dialog = page.get_by_role("dialog", name="Sua sessão expirou")
        await dialog.get_by_label("E-mail").fill(other.email)
        await dialog.get_by_label("Senha").fill(PASSWORD)
        await dialog.get_by_role("button", name="Entrar").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("Entre com a mesma conta")
        await dialog.get_by_role("button", name="Sair").click()
        await expect(page).to_have_url(re.compile("/entrar"))
        await page.goto(panel)
        await expect(page).to_have_url(re.compile("/entrar"))


async def test_a_page_that_reads_again_while_another_account_is_refused_stays_locked(
    panel: str, browser: Browser, merchant: Merchant, api: Api
) -> None:
    other = await api.register_merchant()
    async with opening(browser) as visit:
        page = visit.page

        async def read_again_first(route: Route) -> None:
            if "CurrentSession" in (route.request.post_data or ""):
                async with page.expect_response(lambda it: "ResumeSession" in (it.request.post_data or "")):
                    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
            await route.continue_()

        await log_in(visit, panel, merchant, "/clientes/novo")
        await merchant.api.graphql("mutation { endOtherSessions { accessToken } }", token=merchant.token)
        await page.get_by_role("link", name="Início", include_hidden=True).first.dispatch_event("click")
        dialog = page.get_by_role("dialog", name="Sua sessão expirou")
        await dialog.get_by_label("E-mail").fill(other.email)
        await dialog.get_by_label("Senha").fill(PASSWORD)
        await page.route("**/graphql", read_again_first)
        await dialog.get_by_role("button", name="Entrar").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("Entre com a mesma conta")


async def test_a_new_tab_shows_the_same_environment_and_store(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    await set_status(services.database, merchant, "approved")
    charge = await merchant.issue(description="Pedido de teste")
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant)
        await visit.page.get_by_label("Ambiente").select_option("test")
        await expect(visit.page.get_by_text("Ambiente de teste.")).to_be_visible()
        tab = await visit.page.context.new_page()
        await tab.goto(f"{panel}/cobrancas/{charge['id']}")
        await expect(tab.get_by_text("Pedido de teste", exact=True)).to_be_visible()
        await expect(tab.get_by_label("Ambiente")).to_have_value("test")
        await tab.get_by_role("button", name="Sair").click()
        await expect(visit.page).to_have_url(re.compile("/entrar"))
        assert await visit.page.evaluate("localStorage.length + sessionStorage.length") == 0


async def test_logging_out_ends_the_session_and_leads_to_the_login(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant)
        await visit.page.get_by_role("button", name="Sair").click()
        await expect(visit.page).to_have_url(f"{panel}/entrar")
        visit.assert_clean()
    listed = await merchant.api.graphql("{ sessions { id } }", token=merchant.token)
    assert len(listed["data"]["sessions"]) == 1


async def test_an_invited_person_registers_and_enters_the_store(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    await invite(merchant, "caio@example.com", "viewer")
    (token,) = await tokens_of(services, "caio@example.com")
    async with opening(browser) as visit:
        page = visit.page
        await page.goto(f"{panel}/convite#{token}")
        await page.get_by_role("link", name="Criar conta").click()
        assert token not in page.url
        form = {"Seu nome": "Caio", "E-mail": "caio@example.com", "Senha": NEW_PASSWORD, "CNPJ": VALID_CNPJ}
        for label, text in form.items():
            await page.get_by_label(label).fill(text)
        await page.get_by_role("button", name="Criar conta").click()
        await expect(page.get_by_label("Código do convite")).to_have_value(token)
        await assert_sound(visit)
        await page.get_by_role("button", name="Aceitar convite").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Olá, Caio")
        await expect(page.get_by_role("combobox", name="Loja")).to_have_value(merchant.id)
