"""Functions that produce each state of the pages, for tests of all states."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from playwright.async_api import expect

from tests.browser.checkout.shop import Shop, fill, pay
from tests.chromium import Visit
from tests.fake_clock import MovedClock


@dataclass(frozen=True)
class Stage:
    """The parameters of a state function."""

    shop: Shop
    visit: Visit
    clock: MovedClock


async def link(stage: Stage) -> None:
    await stage.shop.coupon()
    await stage.visit.page.goto(await stage.shop.link())


async def coupon(stage: Stage) -> None:
    await link(stage)
    await stage.visit.page.click("text=Tem um cupom?")
    await stage.visit.page.fill("#coupon_code", "BEMVINDO10")
    await stage.visit.page.click("text=Aplicar")
    await stage.visit.page.wait_for_selector(".applied")


async def mistakes(stage: Stage) -> None:
    await link(stage)
    await stage.visit.page.fill("#customer_name", "José Pagador")
    await stage.visit.page.fill("#customer_cpf", "529.982.247-24")
    await stage.visit.page.click("[data-pay]")


async def waiting(stage: Stage) -> None:
    await stage.visit.page.goto(
        await stage.shop.link(cancel_url="http://127.0.0.1:9/carrinho", charge_expires_in_minutes=30)
    )
    await fill(stage.visit.page)
    await pay(stage.visit.page)
    await expect(stage.visit.page.locator(".qr")).to_have_js_property("complete", True)


async def expired(stage: Stage) -> None:
    await waiting(stage)
    stage.clock.advance(timedelta(hours=25))
    await stage.visit.page.reload()


async def reserved(stage: Stage) -> None:
    """Another payer's charge has reserved the only use of the link."""
    address = await stage.shop.link(max_uses=1)
    await stage.visit.page.goto(address)
    await fill(stage.visit.page)
    await pay(stage.visit.page)
    await stage.visit.page.goto(address)
    await expect(stage.visit.page.locator("h1")).to_have_text("Este link está reservado")


async def paid(stage: Stage) -> None:
    await waiting(stage)
    # The page's button would race with the event stream, and both render the page.
    await stage.shop.simulate(txid_of(stage))
    await stage.visit.page.reload()
    await expect(stage.visit.page.locator(".receipt")).to_be_visible()


async def canceled(stage: Stage) -> None:
    await waiting(stage)
    await stage.shop.notify_status(txid_of(stage), "canceled")
    await stage.visit.page.reload()


async def refunded(stage: Stage) -> None:
    await paid(stage)
    await stage.shop.notify_status(txid_of(stage), "refunded")
    await stage.visit.page.reload()


def txid_of(stage: Stage) -> str:
    """Return the txid of the open charge."""
    return stage.visit.page.url.rpartition("/")[2]


async def not_found(stage: Stage) -> None:
    await stage.visit.page.goto(f"{stage.shop.url}/pay/naoexiste2")


STATES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    function.__name__.replace("_", "-"): function
    for function in (link, coupon, mistakes, reserved, waiting, expired, paid, canceled, refunded, not_found)
}
