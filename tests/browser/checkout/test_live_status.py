"""The page updates its charge's status: by the event stream, by polling, and on return from the bank's app."""

import re
from datetime import timedelta

import pytest
from playwright.async_api import Route, expect

from tests.browser.checkout.shop import TYPED, Shop, fill, pay
from tests.chromium import Visit
from tests.fake_clock import MovedClock

BLOCKED = "ERR_FAILED"
"""Chromium's message about a request that `block` aborted."""


async def block(route: Route) -> None:
    await route.abort()


async def test_a_payment_updates_the_page(shop: Shop, phone: Visit) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()  # Otherwise the page returns to the store after ten seconds.
    async with phone.page.expect_request("**/events"):
        await phone.page.goto(address)
    await expect(phone.page.locator("[role=timer]")).to_contain_text("min")

    await shop.merchant.pay(charge["id"])

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    await expect(phone.page.locator("h1")).to_be_focused()
    await expect(phone.page.locator("#announcer")).to_have_text(
        "Pagamento confirmado. Você volta para a loja em 10 segundos. Para ficar nesta página, toque nela ou aperte qualquer tecla."
    )
    phone.assert_clean()


async def test_the_page_returns_to_the_store_unless_the_payer_stays(shop: Shop, phone: Visit) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()
    await phone.page.goto(address)
    await shop.merchant.pay(charge["id"])

    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 10 s")
    await phone.page.clock.run_for(8_000)
    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 2 s")
    await phone.page.click("text=Ficar nesta página")
    await expect(phone.page.locator(".returning")).to_be_hidden()
    await expect(phone.page.locator("#announcer")).to_have_text("Você continua nesta página.")
    await expect(phone.page.locator("h1")).to_be_focused()
    await phone.page.clock.run_for(60_000)
    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    phone.assert_clean()


@pytest.mark.parametrize("act", ["key", "touch"])
async def test_any_key_or_touch_cancels_the_return(shop: Shop, phone: Visit, act: str) -> None:
    address, charge = await shop.charge()
    await phone.stop_the_clock()
    await phone.page.goto(address)
    await shop.merchant.pay(charge["id"])
    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 10 s")
    below = await phone.page.evaluate("document.querySelector('[data-print]').offsetTop")

    if act == "key":
        await phone.page.keyboard.press("ArrowDown")
    else:
        await phone.page.click(".receipt")

    await expect(phone.page.locator(".returning")).to_be_hidden()
    assert await phone.page.evaluate("document.querySelector('[data-print]').offsetTop") == below
    await phone.page.clock.run_for(60_000)
    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    phone.assert_clean()


async def test_without_input_the_page_returns_to_the_store(shop: Shop, phone: Visit) -> None:
    store = f"{shop.url}/health/live"
    charge = await shop.merchant.issue(success_url=store)
    await phone.stop_the_clock()
    await phone.page.goto(f"{shop.url}/pay/c/{charge['txid']}")
    await shop.merchant.pay(charge["id"])
    await expect(phone.page.locator(".returning")).to_contain_text("Voltando para a loja em 10 s")
    await phone.page.clock.run_for(10_000)

    await phone.page.wait_for_url(f"{store}?txid={charge['txid']}&status=paid")


@pytest.mark.parametrize("stream", [True, False], ids=["with the stream", "without"])
async def test_the_simulation_button_pays_the_charge(shop: Shop, phone: Visit, *, stream: bool) -> None:
    page = phone.page
    await phone.stop_the_clock()
    if not stream:
        await page.route("**/events", block)
    await page.goto(await shop.link())
    await fill(page)
    await pay(page)
    await page.click("text=Simular pagamento")

    await expect(page.locator(".returning")).to_contain_text("Voltando para a loja em 10 s")
    await expect(page.locator("#announcer")).to_contain_text("Você volta para a loja em 10 segundos.")
    await expect(page.locator("h1")).to_be_focused()
    assert await page.evaluate("sessionStorage.getItem('payer')") is None
    assert phone.complaints_but(BLOCKED) == []


async def test_a_simulation_without_a_connection_shows_an_error(shop: Shop, phone: Visit) -> None:
    address, _ = await shop.charge()
    await phone.page.goto(address)
    await phone.page.context.set_offline(True)
    await phone.page.click("text=Simular pagamento")

    await expect(phone.page.locator(".test [role=alert]")).to_have_text("Sem conexão agora: tente de novo.")
    await phone.page.context.set_offline(False)
    await phone.page.click("text=Simular pagamento")
    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")


async def test_a_refused_simulation_returns_to_the_charge(shop: Shop, phone: Visit) -> None:
    page = phone.page
    address, charge = await shop.charge()
    await page.goto(address)
    for _ in range(30):
        await shop.merchant.api.post(f"/checkout/{'0' * 32}/simular-pagamento")
    await page.click("text=Simular pagamento")

    await expect(page.locator("h1")).to_have_text("Muitas tentativas")
    await expect(page.locator("h1")).to_be_focused()
    assert page.url == address
    await page.click("text=Tentar de novo")
    await expect(page.locator("#pix-code")).to_have_value(charge["pix_code"])


@pytest.mark.parametrize("status", ["paid", "refunded"])
async def test_the_payer_s_data_is_removed_from_the_tab_after_the_payment(
    shop: Shop, phone: Visit, status: str
) -> None:
    page = phone.page
    link = await shop.link()
    await page.goto(link)
    await fill(page)
    await pay(page)
    address = page.url
    await page.goto("about:blank")
    await shop.simulate(address.rpartition("/")[2])
    await shop.notify_status(address.rpartition("/")[2], status)

    await page.goto(address)
    await expect(page.locator(".receipt")).to_be_visible()
    await page.goto(link)

    assert [await page.input_value(f"#{name}") for name in TYPED] == [""] * len(TYPED)
    phone.assert_clean()


@pytest.mark.parametrize("wake", [None, "visibilitychange"])
async def test_the_page_polls_if_the_stream_is_blocked(shop: Shop, phone: Visit, wake: str | None) -> None:
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


async def test_an_expired_pix_is_renewed_without_typing_again(shop: Shop, phone: Visit, clock: MovedClock) -> None:
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


async def test_a_late_payment_updates_the_expired_page(shop: Shop, phone: Visit, clock: MovedClock) -> None:
    address, charge = await shop.charge()
    clock.advance(timedelta(hours=25))
    await phone.page.goto(address)
    await expect(phone.page.locator("h1")).to_have_text("Este Pix expirou")
    await expect(phone.page.locator("text=Gerar novo")).to_have_count(0)

    await shop.merchant.pay(charge["id"])
    await phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    phone.assert_clean()


async def test_the_check_button_shows_the_status(shop: Shop, phone: Visit) -> None:
    """The stream is blocked and timers are stopped, so only the button can update the page."""
    page = phone.page
    address, charge = await shop.charge()
    await page.route("**/events", block)
    await phone.stop_the_clock()
    await page.goto(address)
    await page.click("text=Já paguei")
    await expect(page.locator("#check-result")).to_contain_text("o pagamento ainda não chegou")
    await page.clock.run_for(100)
    await expect(page.locator("#announcer")).to_contain_text("o pagamento ainda não chegou")

    await shop.merchant.pay(charge["id"])
    await page.click("text=Já paguei")

    await expect(page.locator("h1")).to_have_text("Pagamento confirmado")
    assert phone.complaints_but(BLOCKED) == []


@pytest.mark.parametrize("checks", [False, True])
async def test_a_lost_connection_is_shown_and_recovered(shop: Shop, phone: Visit, checks: bool) -> None:
    address, charge = await shop.charge()
    await phone.page.goto(address)
    # Wait for the stream's first event, which would clear the message.
    await expect(phone.page.locator("#status [data-state]")).to_have_attribute("data-usual", re.compile("Aguardando"))
    await phone.page.context.set_offline(True)
    if checks:
        await phone.page.click("text=Já paguei")
    await expect(phone.page.locator("#status")).to_contain_text("Sem conexão")
    await expect(phone.page.locator("#check-result")).to_be_hidden()

    await shop.merchant.pay(charge["id"])
    await phone.page.context.set_offline(False)

    await expect(phone.page.locator("h1")).to_have_text("Pagamento confirmado")
    assert phone.foreign == []
