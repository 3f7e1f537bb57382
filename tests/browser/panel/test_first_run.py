"""From nothing to a payment that is seen, as a new merchant would walk it."""

import time

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api_client import VALID_CNPJ
from tests.browser.panel.pages import assert_sound, opening, send_webhooks, sizes

BUDGET_SECONDS = 30
"""Of a busy machine. A person has two minutes."""


@sizes
async def test_a_new_merchant_sees_a_payment_and_its_webhook(
    panel: str, services: Services, browser: Browser, size: str
) -> None:
    async with opening(browser, size) as visit:
        page, began = visit.page, time.monotonic()
        await page.goto(f"{panel}/cadastro")
        form = {"Seu nome": "Bia Lojista", "E-mail": "bia@example.com", "Senha": "outra senha comprida"}
        for label, text in {**form, "CNPJ": VALID_CNPJ}.items():
            await page.get_by_label(label).fill(text)
        await page.get_by_role("button", name="Criar conta").click()
        await page.get_by_role("button", name="Criar cobrança de teste").click()
        await expect(page.get_by_alt_text("QR Code Pix desta cobrança")).to_be_visible()
        await page.get_by_role("button", name="Simular pagamento").click()
        await expect(page.get_by_text("Pagamento recebido", exact=True)).to_be_visible()
        await send_webhooks(services)
        await page.get_by_role("link", name="Evento charge.paid entregue").click()
        await expect(page.get_by_text('"charge.paid"')).to_be_visible()
        # The page opened the receiver itself, so it knows the secret.
        await expect(page.get_by_text("confere", exact=True)).to_have_count(2)
        assert time.monotonic() - began < BUDGET_SECONDS
        await assert_sound(visit)
