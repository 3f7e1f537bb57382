"""Tests of every state of the pages: accessibility, width, size, motion, and screenshots."""

from itertools import product
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, Request, ViewportSize, expect

from tests.browser.checkout.shop import Shop, accessibility_violations, fill, pay, read_qr
from tests.browser.checkout.states import STATES, Stage
from tests.chromium import IMAGES, Visit, visiting
from tests.fake_clock import MovedClock

PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 860}
NARROW: ViewportSize = {"width": 320, "height": 640}
SCREENS: dict[str, dict[str, Any]] = {
    "phone": {"viewport": PHONE, "device_scale_factor": 2},
    "desktop": {"viewport": DESKTOP},
}
DEVICES: dict[str, dict[str, Literal["light", "dark"]]] = {
    "phone": {"phone": "light", "dark": "dark"},
    "desktop": {"desktop": "light"},
}
"""Colour schemes by screen and by the name of the screenshot."""
BUDGET = 100_000


@pytest.mark.parametrize("state", STATES)
async def test_there_is_no_accessibility_violation(shop: Shop, browser: Browser, clock: MovedClock, state: str) -> None:
    # Loaded in dark mode, since the screenshots load in light mode.
    async with visiting(browser, viewport=PHONE, color_scheme="dark", reduced_motion="reduce") as visit:
        await STATES[state](Stage(shop, visit, clock))

        assert await accessibility_violations(visit.page) == [], "in dark mode"
        await visit.page.emulate_media(color_scheme="light")
        assert await accessibility_violations(visit.page) == []


async def test_long_words_fit_the_screen(shop: Shop, browser: Browser) -> None:
    words = {"title": "W" * 120, "description": "w" * 300, "amount": 9999999.99}
    async with visiting(browser, viewport=NARROW) as visit:
        await visit.page.goto(await shop.link(product_id=None, **words))
        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 320
        await fill(visit.page)
        await pay(visit.page)
        await visit.page.wait_for_selector(".qr")
        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 320
        await shop.notify_status(visit.page.url.rpartition("/")[2], "canceled")
        await visit.page.reload()
        await expect(visit.page.locator("h1")).to_have_text("Este Pix foi cancelado")
        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 320


OVERFLOWING = """[...document.querySelectorAll("#page *")].filter((node) => node.checkVisibility()
  && !node.closest(".unseen, .method span span") && node.getBoundingClientRect().right > innerWidth + 0.5)
  .map((node) => node.outerHTML)"""
"""Elements that overflow the screen."""
SPLIT_WORDS = """() => {
  const cut = [];
  for (const block of document.querySelectorAll("h1, h2, dt, .button, label")) {
    if (!block.checkVisibility()) continue;
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) for (const { 0: word, index } of walker.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) cut.push(word);
    }
  }
  return cut;
}"""
"""Words of our texts that are split."""


@pytest.mark.parametrize("state", STATES)
async def test_it_fits_the_screen_at_normal_and_double_text_size(
    shop: Shop, browser: Browser, clock: MovedClock, state: str
) -> None:
    async with visiting(browser, viewport=NARROW) as visit:
        await STATES[state](Stage(shop, visit, clock))

        for viewport in (NARROW, PHONE):
            await visit.page.set_viewport_size(viewport)
            await visit.page.evaluate("document.documentElement.style.fontSize = ''")
            assert await visit.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
            assert await visit.page.evaluate(OVERFLOWING) == []
            await visit.page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert await visit.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
            assert await visit.page.evaluate(SPLIT_WORDS) == []


async def test_a_receipt_has_one_column_at_double_text_size(shop: Shop, browser: Browser, clock: MovedClock) -> None:
    async with visiting(browser, viewport=NARROW) as visit:
        await STATES["paid"](Stage(shop, visit, clock))
        await visit.page.evaluate("document.documentElement.style.fontSize = '200%'")

        widths = await visit.page.evaluate(
            "[...document.querySelectorAll('.facts dd')].map((value) => value.clientWidth)"
        )
        assert min(widths) >= 200, widths


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("state", STATES)
async def test_screenshots(shop: Shop, browser: Browser, clock: MovedClock, state: str, screen: str) -> None:
    async with visiting(browser, reduced_motion="reduce", **SCREENS[screen]) as visit:
        await STATES[state](Stage(shop, visit, clock))
        await visit.page.mouse.move(0, 0)
        for device, scheme in DEVICES[screen].items():
            await visit.page.emulate_media(color_scheme=scheme)
            shot = await visit.picture(f"checkout-{state}-{device}", full_page=True)

            if state == "waiting":
                assert read_qr(shot) == await visit.page.input_value("#pix-code")


def test_the_readme_shows_every_state() -> None:
    readme = (IMAGES.parent.parent / "README.md").read_text(encoding="utf-8")

    devices = [device for named in DEVICES.values() for device in named]
    images = [f"docs/images/checkout-{state}-{device}.png" for state, device in product(STATES, devices)]
    assert [image for image in images if f"]({image})" not in readme] == []


async def test_all_requests_up_to_the_qr_code_are_small(shop: Shop, phone: Visit) -> None:
    finished: list[Request] = []
    phone.page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108  # Playwright needs a Python function.
    await phone.page.goto(await shop.link())
    await fill(phone.page)
    async with phone.page.expect_event("requestfinished", lambda request: "/pay/c/" in request.url):
        await pay(phone.page)
    weights = [(request.url, await weight(request)) for request in finished if request.url.startswith(shop.url)]

    assert any(address.endswith("checkout.css") for address, _ in weights)
    assert any("/pay/c/" in address for address, _ in weights)
    assert sum(size for _, size in weights) < BUDGET / 2, weights
    phone.assert_clean()


async def weight(request: Request) -> int:
    """Return the transferred bytes of headers and body."""
    sizes = await request.sizes()
    return sizes["responseHeadersSize"] + sizes["responseBodySize"]


async def test_only_the_receipt_is_printed(shop: Shop, phone: Visit, clock: MovedClock) -> None:
    await STATES["paid"](Stage(shop, phone, clock))
    await phone.page.emulate_media(media="print", color_scheme="dark")

    await expect(phone.page.locator(".receipt")).to_be_visible()
    await expect(phone.page.locator("[data-print]")).to_be_hidden()
    await expect(phone.page.locator("[data-return]")).to_be_hidden()
    assert await phone.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


async def test_a_pending_charge_is_printed_with_its_whole_code(shop: Shop, phone: Visit, clock: MovedClock) -> None:
    await STATES["waiting"](Stage(shop, phone, clock))
    code = await phone.page.input_value("#pix-code")
    await phone.page.emulate_media(media="print")

    await expect(phone.page.get_by_text(code, exact=True)).to_be_visible()
    await expect(phone.page.locator("[role=timer]")).to_be_hidden()
    await expect(phone.page.locator("[data-check]")).to_be_hidden()
    assert read_qr(await phone.page.screenshot(full_page=True)) == code


async def test_there_is_no_animation_with_reduced_motion(shop: Shop, browser: Browser, clock: MovedClock) -> None:
    async with visiting(browser, viewport=PHONE, reduced_motion="reduce") as visit:
        await STATES["waiting"](Stage(shop, visit, clock))

        assert await visit.page.evaluate("document.getAnimations().length") == 0


async def test_the_qr_code_has_an_alternative_text(shop: Shop, phone: Visit, clock: MovedClock) -> None:
    await STATES["waiting"](Stage(shop, phone, clock))

    await expect(phone.page.get_by_role("img")).to_have_attribute(
        "alt",
        "QR Code do Pix de R$\u00a0129,90 para Loja da Ana. É o mesmo pagamento do código copia e cola desta página.",
    )
