"""What changes while a page is open shows by itself."""

import time

from playwright.async_api import Browser, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening
from tests.browser.panel.store import create

LOSE_EVENTS = """
(() => {
  const real = fetch
  window.fetch = (url, options) => {
    if (!options?.headers?.Accept) return real(url, options)
    const lost = new AbortController()
    window.loseEvents = () => lost.abort()
    return real(url, { ...options, signal: AbortSignal.any([options.signal, lost.signal]) })
  }
})()
"""

WAIT_FOR_PAID = """() => new Promise((done) => {
  const look = () => [...document.querySelectorAll('span')].some((node) => node.textContent === 'Paga') ? done() : requestAnimationFrame(look)
  look()
})"""
"""Playwright looks every 500 or 1000 milliseconds; this looks at each frame."""


async def test_a_payment_shows_within_a_second_and_a_list_counts_new_rows(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    charge = await merchant.issue()
    async with opening(browser) as visit:
        async with visit.page.expect_response(lambda each: "text/event-stream" in each.headers.get("content-type", "")):
            await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await expect(visit.page.get_by_text("Aguardando", exact=True)).to_be_visible()
        await merchant.pay(charge["id"])
        paid = time.monotonic()
        await visit.page.evaluate(WAIT_FOR_PAID)
        assert time.monotonic() - paid < 1

        await visit.page.get_by_role("link", name="Cobranças").first.click()
        await expect(visit.page.get_by_text("Total: 1")).to_be_visible()
        for _ in range(3):
            await merchant.issue()
        await visit.page.get_by_role("button", name="Mostrar 3 itens novos").click()
        await expect(visit.page.get_by_text("Total: 4")).to_be_visible()
        visit.assert_clean()


async def test_a_payment_shows_in_figures_and_in_a_filtered_list(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    product = await create(merchant, "/products", {"name": "Bolo", "price": 10})
    paid, _ = await merchant.issue(product_id=product), await merchant.issue()
    async with opening(browser) as visit:
        page = visit.page
        async with page.expect_response(lambda each: "text/event-stream" in each.headers.get("content-type", "")):
            await log_in(visit, panel, merchant, "/cobrancas?status=pending")
        await expect(page.get_by_text("Total: 2")).to_be_visible()
        await merchant.pay(paid["id"])
        await page.get_by_role("button", name="Atualizar a lista").click()
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        await expect(page.get_by_role("button", name="Atualizar a lista")).to_have_count(0)

        await page.get_by_role("link", name="Produtos").first.click()
        await page.get_by_role("link", name="Bolo").click()
        figure = page.locator("dt", has_text="Cobranças pagas").locator("+ dd")
        await expect(figure).to_have_text("1")
        await merchant.pay((await merchant.issue(product_id=product))["id"])
        await expect(figure).to_have_text("2")


async def test_without_events_the_page_polls(panel: str, browser: Browser, merchant: Merchant) -> None:
    charge = await merchant.issue()
    async with opening(browser) as visit:
        refuse = "(() => { const real = fetch; window.fetch = (url, options) => options?.headers?.Accept ? Promise.reject(new Error()) : real(url, options) })()"
        await visit.page.add_init_script(refuse)
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await expect(visit.page.get_by_text("Aguardando", exact=True)).to_be_visible()
        await merchant.pay(charge["id"])
        await expect(visit.page.locator("span", has_text="Paga")).to_be_visible()


async def test_what_changed_while_the_events_were_lost_shows_when_they_are_back(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    made = await merchant.api.post("/products", {"name": "Bolo", "price": 10}, token=merchant.key)
    product = made.json()["data"]
    async with opening(browser) as visit:
        page = visit.page
        await page.add_init_script(LOSE_EVENTS)
        async with page.expect_response(lambda each: "text/event-stream" in each.headers.get("content-type", "")):
            await log_in(visit, panel, merchant, f"/produtos/{product['id']}")
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Bolo")
        await page.evaluate("loseEvents()")
        await merchant.api.put(f"/products/{product['id']}", {"name": "Torta"}, token=merchant.key)
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Torta")
