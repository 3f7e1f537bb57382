"""From a link to a receipt: with JavaScript, without it, and by keyboard."""

from playwright.async_api import expect

from tests.browser.checkout.shop import RETURN_TO, STORE, TYPED, Shop, fill, pay, read_qr
from tests.chromium import Visit


async def test_a_payment_on_a_phone(shop: Shop, phone: Visit) -> None:
    await shop.coupon()
    page = phone.page
    await phone.stop_the_clock()  # The message about the copy disappears after four seconds.
    await page.goto(await shop.link())
    await expect(page.locator("h1")).to_have_text("Curso de fotografia de rua")
    await expect(page.locator(".store")).to_contain_text("11.***.***/0001-**")
    await fill(page)

    await page.click("text=Tem um cupom?")

    await page.fill("#coupon_code", "bemvindo10")
    await page.keyboard.press("Enter")
    await expect(page.locator(".applied")).to_contain_text("BEMVINDO10 aplicado")
    await expect(page.locator(".total dd")).to_have_text("R$\u00a0116,91")
    assert await page.input_value("#customer_name") == TYPED["customer_name"]
    await pay(page)

    await expect(page.locator("h1")).to_contain_text("R$\u00a0116,91")
    await expect(page.locator("#status")).to_contain_text("Aguardando")
    await page.click("[data-copy]")
    await expect(page.locator("[data-copy]")).to_have_text("Código copiado")
    await page.clock.run_for(50)
    await expect(page.locator("#announcer")).to_contain_text("Código Pix copiado")
    await expect(page.locator("#copy-result")).to_contain_text("Agora abra o aplicativo do seu banco")
    code = await page.evaluate("navigator.clipboard.readText()")
    assert code == await page.input_value("#pix-code")
    assert code == read_qr(await page.screenshot(full_page=True))

    await page.click("text=Simular pagamento")
    await expect(page.locator("h1")).to_have_text("Pagamento confirmado")
    await expect(page.locator(".receipt")).to_contain_text(STORE)
    await expect(page.locator(".receipt")).to_contain_text("***.982.247-**")
    txid = page.url.rpartition("/")[2]
    assert await page.get_attribute("[data-return]", "href") == f"{RETURN_TO}&txid={txid}&status=paid"
    phone.assert_clean()


async def test_a_payment_without_javascript(shop: Shop, plain: Visit) -> None:
    await shop.coupon()
    page = plain.page
    await page.goto(await shop.link())
    await fill(page)
    await page.click("text=Tem um cupom?")
    await page.fill("#coupon_code", "BEMVINDO10")
    await page.click("text=Aplicar")
    await expect(page.locator(".total dd")).to_have_text("R$\u00a0116,91")
    for name, value in TYPED.items():
        assert await page.input_value(f"#{name}") == value

    await page.click("text=Remover cupom")
    await expect(page.locator(".total dd")).to_have_text("R$\u00a0129,90")
    await pay(page)

    assert await page.get_attribute('meta[http-equiv="refresh"]', "content") == "30"
    assert read_qr(await page.screenshot(full_page=True)) == await page.input_value("#pix-code")
    await expect(page.locator("[data-copy]")).to_be_hidden()
    await page.click("text=Já paguei, atualizar")
    await expect(page.locator("#status")).to_contain_text("Aguardando")

    await page.click("text=Simular pagamento")
    await expect(page.locator("h1")).to_have_text("Pagamento confirmado")
    await expect(page.locator(".receipt")).to_contain_text("R$\u00a0129,90")
    plain.assert_clean()


async def test_a_payment_by_keyboard(shop: Shop, phone: Visit) -> None:
    page = phone.page
    await phone.stop_the_clock()
    await page.goto(await shop.link(allow_coupons=False))
    for name, value in TYPED.items():
        while await page.evaluate("document.activeElement.id") != name:
            await page.keyboard.press("Tab")
        await page.keyboard.type(value)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/pay/c/*")

    # The heading has the focus, so a screen reader starts there.
    await expect(page.locator("h1")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.locator("#pix-code")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-copy]")).to_have_text("Código copiado")
    await expect(page.locator("[data-copy]")).to_be_focused()
    await page.clock.run_for(4_000)
    await expect(page.locator("[data-copy]")).to_have_text("Copiar código Pix")
    phone.assert_clean()


async def test_a_failed_copy_shows_a_message(shop: Shop, phone: Visit) -> None:
    await phone.page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false"
    )
    address, charge = await shop.charge()
    await phone.page.goto(address)
    await phone.page.click("[data-copy]")

    await expect(phone.page.locator("#copy-result")).to_contain_text("copie pelo menu do aparelho")
    await expect(phone.page.locator("[data-copy]")).to_have_text("Copiar código Pix")
    assert await phone.page.evaluate("getSelection().toString()") == charge["pix_code"]
    phone.assert_clean()
