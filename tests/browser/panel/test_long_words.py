"""Names that are one long word: no page gets wider than the screen, or than the paper."""

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening

WORD = "Pneumoultramicroscopicossilicovulcanoconiotico" * 2
COUPON = {"code": "BLACKFRIDAY2026CLIENTEESPECIAL", "discount_type": "percentage", "discount_value": 10}
CUSTOMER = {"name": WORD, "email": "carla@example.com", "cpf": "529.982.247-25"}
PAPER_WIDTH = 680
"""A4 without its margins."""


async def assert_fits(page: Page) -> None:
    width, shown = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width <= shown, page.url


@pytest.mark.pages
async def test_long_words_break(panel: str, browser: Browser, merchant: Merchant) -> None:
    async def create(path: str, body: dict[str, Any]) -> str:
        response = await merchant.api.post(path, body, token=merchant.token)
        assert response.status_code == 201, response.text
        return str(response.json()["data"]["id"])

    customer = await create("/customers", CUSTOMER)
    plan = {"customer_id": customer, "amount": 49.9, "description": WORD, "interval": "monthly"}
    product = await create("/products", {"name": WORD, "price": 79.9, "description": WORD})
    charge = await merchant.issue(description=WORD, customer_name=WORD)
    pages = [
        f"/cupons/{await create('/coupons', COUPON)}",
        f"/produtos/{product}",
        f"/links/{await create('/payment-links', {'title': WORD, 'amount': 79.9})}",
        f"/clientes/{customer}",
        f"/assinaturas/{await create('/subscriptions', plan)}",
        f"/dev/chaves/{await create('/api-keys', {'name': WORD, 'environment': 'test'})}",
        f"/cobrancas/{charge['id']}",
        "/cobrancas",
        "/produtos",
        "/links",
        "/cupons",
        "/",
    ]
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant)
        for path in pages:
            await page.goto(f"{panel}{path}")
            await expect(page.locator("main#conteudo h1")).to_be_visible()
            await expect(page.get_by_role("status", name="Carregando…")).to_have_count(0)
            for width in (360, 800, 1280):
                await page.set_viewport_size({"width": width, "height": 900})
                await assert_fits(page)
            await page.set_viewport_size({"width": PAPER_WIDTH, "height": 900})
            await page.emulate_media(media="print")
            await assert_fits(page)
            await page.emulate_media(media="screen")
        visit.assert_clean()
