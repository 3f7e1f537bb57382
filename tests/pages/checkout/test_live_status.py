"""The page follows its charge: by the event stream, by asking where that is blocked, back from the bank's application."""

import re
from datetime import timedelta

import pytest
from playwright.async_api import Route, expect

from tests.browser import Visit
from tests.moved_clock import MovedClock
from tests.pages.checkout.shop import TYPED, Shop, fill, pay

BLOCKED = "ERR_FAILED"
"""What Chromium complains of where `block` has cut a request."""


async def block(route: Route) -> None:
    await route.abort()


async def test_a_payment_arrives_by_itself(shop: Shop, phone: Visit) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()  # Or it would go back to the store after ten seconds.
    async with phone.page.expect_request("**/events"):
        await phone.page.goto(address)
    await expect(phone.page.locator("[role=timer]")).to_contain_text("min")

    await shop.merchant.pay(charge["id"])

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    await expect(phone.page.locator("h1")).to_be_focused()
    await expect(phone.page.locator("#announcer")).to_have_text("Pagamento confirmado.")
    phone.assert_clean()


async def test_the_payer_goes_back_to_the_store_unless_they_stay(shop: Shop, phone: Visit) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()
    await phone.page.goto(address)
    await shop.merchant.pay(charge["id"])

    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 10 s")
    await phone.page.clock.run_for(8_000)
    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 2 s")
    await phone.page.click("text=Ficar nesta página")
    await expect(phone.page.locator(".returning")).to_be_hidden()
    await phone.page.clock.run_for(60_000)
    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    phone.assert_clean()


@pytest.mark.parametrize("wake", [None, "visibilitychange"])
async def test_where_the_stream_is_blocked_the_page_asks(shop: Shop, phone: Visit, wake: str | None) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()
    await phone.page.route("**/events", block)
    await phone.page.goto(address)
    await shop.merchant.pay(charge["id"])
    if wake:
        await phone.page.evaluate(f"document.dispatchEvent(new Event('{wake}'))")
    await phone.page.clock.run_for(1 if wake else 5_000)

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    assert phone.complaints_but(BLOCKED) == []


async def test_an_expired_pix_becomes_a_new_one_without_typing_again(
    shop: Shop, phone: Visit, clock: MovedClock
) -> None:
    page = phone.page
    await page.goto(await shop.link(charge_expires_in_minutes=30))
    await fill(page)
    await pay(page)
    first = page.url

    clock.advance(timedelta(minutes=31))
    await expect(page.locator("h1")).to_have_text("Este Pix expirou")
    await page.click("text=Gerar novo Pix")
    await expect(page.locator("#customer_name")).to_have_value(TYPED["customer_name"])
    await expect(page.locator("#customer_cpf")).to_have_value(TYPED["customer_cpf"])
    await pay(page)

    assert page.url != first
    await expect(page.locator("#status")).to_contain_text("Aguardando")
    phone.assert_clean()


async def test_late_money_reaches_the_expired_page(shop: Shop, phone: Visit, clock: MovedClock) -> None:
    address, charge = await shop.charge()
    clock.advance(timedelta(hours=25))
    await phone.page.goto(address)
    await expect(phone.page.locator("h1")).to_have_text("Este Pix expirou")
    await expect(phone.page.locator("text=Gerar novo")).to_have_count(0)

    await shop.merchant.pay(charge["id"])
    await phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    phone.assert_clean()


async def test_asking_is_answered(shop: Shop, phone: Visit) -> None:
    """Only the payer's question can tell: the stream is blocked, and the page's timers stand still."""
    page = phone.page
    address, charge = await shop.charge()
    await page.route("**/events", block)
    await phone.stop_the_clock()
    await page.goto(address)
    await page.click("text=Já paguei")
    await expect(page.locator("#check-told")).to_contain_text("o pagamento ainda não chegou")
    await page.clock.run_for(100)
    await expect(page.locator("#announcer")).to_contain_text("o pagamento ainda não chegou")

    await shop.merchant.pay(charge["id"])
    await page.click("text=Já paguei")

    await expect(page.locator("h1")).to_have_text("Pagamento confirmado")
    assert phone.complaints_but(BLOCKED) == []


@pytest.mark.parametrize("asks", [False, True])
async def test_a_lost_connection_is_said_and_survived(shop: Shop, phone: Visit, asks: bool) -> None:
    address, charge = await shop.charge()
    await phone.page.goto(address)
    # The stream has said its first word: coming later, it would take back that there is no connection.
    await expect(phone.page.locator("#status [data-state]")).to_have_attribute("data-usual", re.compile("Aguardando"))
    await phone.page.context.set_offline(True)
    if asks:
        await phone.page.click("text=Já paguei")
    await expect(phone.page.locator("#status")).to_contain_text("Sem conexão")
    await expect(phone.page.locator("#check-told")).to_be_hidden()

    await shop.merchant.pay(charge["id"])
    await phone.page.context.set_offline(False)

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    assert phone.foreign == []
