"""From nothing to a payment that is seen, as a new merchant would walk it."""

import re
import time

import pytest
from playwright.async_api import Browser, Page, expect

from gateway.resolvers.core.context import Services
from tests.api_client import VALID_CNPJ, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, send_webhooks, sizes
from tests.browser.panel.store import furnish
from tests.sql import rows

BUDGET_SECONDS = 30
"""Of a busy machine. A person has two minutes."""
NEXT_STEPS = {"Vender por link": "/links/novo", "Integrar por API": "/dev", "Ir para produção": "/ajustes/producao"}


async def name_the_store(page: Page, size: str) -> str:
    """Answer the screen after the registration on a phone, and skip it on a desk. Returns the store's name then."""
    await expect(page.get_by_role("heading", level=1)).to_have_text("Como sua loja se chama?")
    await expect(page.get_by_label("Nome da loja")).to_have_value("Loja da Bia")
    if size == "desk":
        await page.get_by_role("button", name="Pular").click()
        return "Loja da Bia"
    await page.get_by_label("Nome da loja").fill("Padaria da Bia")
    await page.get_by_role("button", name="Continuar").click()
    return "Padaria da Bia"


@sizes
async def test_a_new_merchant_sees_a_payment_and_its_webhook(
    panel: str, services: Services, browser: Browser, size: str
) -> None:
    async with opening(browser, size) as visit:
        page, began = visit.page, time.monotonic()
        await page.goto(f"{panel}/cadastro")
        form = {"Seu nome": "Bia Lojista", "E-mail": "bia@example.com", "Senha": "outra senha comprida"}
        for label, text in {**form, "CNPJ": VALID_CNPJ, "Nome da loja": "Loja da Bia"}.items():
            await page.get_by_label(label).fill(text)
        await page.get_by_role("button", name="Criar conta").click()
        name = await name_the_store(page, size)
        await page.get_by_role("button", name="Criar cobrança de teste").click()
        await expect(page.get_by_alt_text("QR Code Pix desta cobrança")).to_be_visible()
        await page.get_by_role("button", name="Simular pagamento").click()
        await expect(page.get_by_text("Pagamento recebido", exact=True)).to_be_visible()
        await expect(page.get_by_role("region", name="E agora?")).to_have_count(0)
        await send_webhooks(services)
        for step, path in NEXT_STEPS.items():
            await expect(page.get_by_role("region", name="E agora?").get_by_role("link", name=step)).to_have_attribute(
                "href", f"/painel{path}"
            )
        await assert_sound(visit)
        await page.get_by_role("link", name="Evento charge.paid entregue").click()
        await expect(page.get_by_text('"charge.paid"')).to_be_visible()
        # The page opened the receiver itself, so it knows the secret.
        await expect(page.get_by_text("confere", exact=True)).to_have_count(2)
        assert time.monotonic() - began < BUDGET_SECONDS
        await assert_sound(visit)
    (account,) = await rows(services.database, "select company, onboarding_completed_at from users")
    assert account["company"] == name
    assert account["onboarding_completed_at"] is not None


@pytest.mark.parametrize("done", [True, False])
async def test_the_screen_after_the_registration_leads_on_once_it_is_done(
    panel: str, browser: Browser, merchant: Merchant, done: bool
) -> None:
    if done:
        await merchant.api.post("/auth/onboarding", {}, token=merchant.token)
    async with opening(browser, "phone") as visit:
        await log_in(visit, panel, merchant, "/comecar")
        title = re.compile("Olá, ") if done else "Como sua loja se chama?"
        await expect(visit.page.get_by_role("heading", level=1)).to_have_text(title)
        visit.assert_clean()


async def test_each_first_step_leads_to_where_it_is_done(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant)

        async def assert_links(found: dict[str, str]) -> None:
            links = page.get_by_role("region", name=re.compile("Veja um Pix|Primeiros passos")).get_by_role("link")
            await expect(links).to_have_text(list(found))
            hrefs = [await link.get_attribute("href") for link in await links.all()]
            assert hrefs == [f"/painel{path}" for path in found.values()]
            await assert_sound(visit)

        charge, payment = "Criar a primeira cobrança", "Receber o primeiro pagamento"
        webhook = {"Ser avisado por webhook": "/dev/webhooks/novo"}
        await assert_links({charge: "/cobrancas/nova", payment: "/cobrancas/nova", **webhook})
        issued = await merchant.issue()
        await page.reload()
        await assert_links({payment: f"/cobrancas/{issued['id']}", **webhook})
        await merchant.pay(issued["id"])
        await page.reload()
        await assert_links(webhook)
        await merchant.api.post("/webhook-endpoints/test-receiver", {}, token=merchant.token)
        await page.reload()
        # The store has a key.
        next_steps = page.get_by_role("region", name="E agora?").get_by_role("link")
        await expect(next_steps).to_have_text(["Vender por link", "Ir para produção"])
        await assert_sound(visit)


async def test_a_next_step_is_shown_until_it_is_done(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    ids = await furnish(merchant, services)
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, f"/cobrancas/{ids['/cobrancas']['id']}")
        # The store has a link and a key.
        left = visit.page.get_by_role("region", name="E agora?").get_by_role("link")
        await expect(left).to_have_text(["Ir para produção"])
        visit.assert_clean()
