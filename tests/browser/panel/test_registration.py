"""The page that creates an account."""

from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.api_client import PASSWORD, VALID_CNPJ, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.browser.panel.pages import assert_sound, opening
from tests.chromium import served

NEW_PASSWORD = "outra senha comprida"
WRONG = "Este CNPJ não confere."


async def fill(page: Page, **changes: str) -> None:
    form = {"Seu nome": "Bia Lojista", "E-mail": "bia@example.com", "Senha": NEW_PASSWORD, "CNPJ": VALID_CNPJ}
    for label, text in {**form, **changes}.items():
        await page.get_by_label(label).fill(text)


async def test_registration_shows_the_gateways_messages_at_their_fields(panel: str, browser: Browser) -> None:
    async with opening(browser, "phone") as visit:
        await visit.page.goto(f"{panel}/cadastro")
        await fill(visit.page, Senha="senha123", CNPJ="11.222.333/0001-80")
        await visit.page.get_by_role("button", name="Criar conta").click()
        await expect(visit.page.get_by_text("esta senha é muito comum; escolha outra")).to_be_visible()
        assert await visit.page.get_by_label("CNPJ").get_attribute("aria-invalid") == "true"
        await expect(visit.page.get_by_label("Senha")).to_be_focused()
        assert await accessibility_violations(visit.page) == []
        await visit.page.get_by_label("Senha").fill(NEW_PASSWORD)
        await visit.page.get_by_label("CNPJ").fill(VALID_CNPJ)
        await visit.page.get_by_role("button", name="Criar conta").click()
        await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Como sua loja se chama?")
        assert visit.foreign == []


async def test_a_cnpj_is_masked_and_checked_while_it_is_typed(panel: str, browser: Browser) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await page.goto(f"{panel}/cadastro")
        cnpj, alert = page.get_by_label("CNPJ"), page.get_by_role("alert")
        await cnpj.press_sequentially("1122233300018")
        await expect(cnpj).to_have_value("11.222.333/0001-8")
        await expect(alert).to_have_count(0)
        await cnpj.press("0")
        await expect(cnpj).to_have_value("11.222.333/0001-80")
        await expect(alert).to_contain_text(WRONG)
        await expect(cnpj).to_have_attribute("aria-invalid", "true")
        await expect(cnpj).to_have_accessible_description(f"{WRONG} Verifique o que foi digitado.")
        await assert_sound(visit)
        await cnpj.press("Backspace")
        await expect(alert).to_have_count(0)
        await cnpj.press("1")
        await expect(cnpj).to_have_value("11.222.333/0001-81")
        await expect(alert).to_have_count(0)
        # Pasted, with letters, and then with a wrong digit.
        for pasted, shown, wrong in (
            ("12abc34501de35", "12.ABC.345/01DE-35", 0),
            ("12.abc.345/01de-36", "12.ABC.345/01DE-36", 1),
            (" 11.222.333/0001-81 ", "11.222.333/0001-81", 0),
        ):
            await cnpj.select_text()
            await page.keyboard.insert_text(pasted)
            await expect(cnpj).to_have_value(shown)
            await expect(alert).to_have_count(wrong)
        visit.assert_clean()


async def test_a_hint_says_how_strong_the_password_is(panel: str, browser: Browser) -> None:
    async with opening(browser, "phone") as visit:
        await visit.page.goto(f"{panel}/cadastro")
        password = visit.page.get_by_label("Senha")
        for text, hint in {"": "De 8 a 128", "curta": "Curta", "cachorro": "Fraca", NEW_PASSWORD: "Forte"}.items():
            await password.fill(text)
            await expect(visit.page.get_by_text(hint)).to_be_visible()
        await assert_sound(visit)


async def test_who_has_an_account_is_led_to_the_login_with_the_same_email(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await page.goto(f"{panel}/cadastro")
        await fill(page, **{"E-mail": merchant.email})
        await page.get_by_role("button", name="Criar conta").click()
        await expect(page.get_by_role("alert")).to_have_text("Já existe uma conta com este e-mail.")
        assert await accessibility_violations(page) == []
        await page.get_by_role("link", name="Entrar com este e-mail").click()
        await expect(page).to_have_url(f"{panel}/entrar")
        await expect(page.get_by_label("E-mail")).to_have_value(merchant.email)
        await expect(page.get_by_label("Senha")).to_be_focused()
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Olá")


async def test_the_terms_can_be_read_where_the_service_has_some(
    panel: str, browser: Browser, services: Services
) -> None:
    terms = "https://pix.example.com/termos"
    own = services.settings.model_copy(update={"terms_url": terms})
    async with opening(browser, "phone") as visit, served(Gateway(own, replace(services, settings=own))) as other:
        await visit.page.goto(f"{other}/painel/cadastro")
        await expect(visit.page.get_by_role("link", name="termos do serviço")).to_have_attribute("href", terms)
        await assert_sound(visit)
        await visit.page.goto(f"{panel}/cadastro")
        await expect(visit.page.get_by_label("CNPJ")).to_be_visible()
        await expect(visit.page.get_by_role("link", name="termos do serviço")).to_have_count(0)
        visit.assert_clean()
