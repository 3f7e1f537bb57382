"""The payer's form: masks and check digits, the same validation by the server, no input lost."""

from datetime import timedelta

import pytest
from playwright.async_api import expect

from gateway.models.database import Database
from gateway.resolvers.coupons.types import MAX_CODE_LENGTH
from gateway.values.cpf_cnpj import InvalidDocument, normalise_document
from tests import sql
from tests.browser.checkout.shop import TYPED, Shop, fill, pay
from tests.chromium import Visit
from tests.fake_clock import MovedClock

DOCUMENTS = [
    "529.982.247-25", "52998224725", "529.982.247-24", "529.982.247-35", "111.111.111-11", "000.000.000-00",
    "5299822472", "529982247250", "11.222.333/0001-81", "11222333000181", "11.222.333/0001-82", "11.222.333/0001-91",
    "00.000.000/0000-00", "12.ABC.345/01DE-35", "12abc34501de35", "12.ABC.345/01DE-36", "12.ABC.345/01DE-3A",
    "AAAAAAAAAAAAAA", "123.456.789-09", "935.411.347-80", "00000000191", "00.000.000/0001-91", "abc",
]  # fmt: skip


def is_document(text: str) -> bool:
    try:
        normalise_document(text)
    except InvalidDocument:
        return False
    return True


async def test_the_browser_validates_documents_as_the_server_does(shop: Shop, phone: Visit) -> None:
    await phone.page.goto(await shop.link())
    validity = {}
    for text in DOCUMENTS:
        await phone.page.evaluate("document.querySelector('#customer_cpf').value = ''")
        await phone.page.type("#customer_cpf", text)
        await phone.page.locator("#customer_cpf").blur()
        typed = await phone.page.input_value("#customer_cpf")
        validity[typed] = await phone.page.get_attribute("#customer_cpf", "aria-invalid") is None

    assert validity == {typed: is_document(typed) for typed in validity}
    assert sum(validity.values()) >= 7
    phone.assert_clean()


MASKED = [
    ("customer_cpf", "52998224725", "529.982.247-25"),
    ("customer_cpf", "11222333000181", "11.222.333/0001-81"),
    ("customer_cpf", "12abc34501de35", "12.ABC.345/01DE-35"),
    ("customer_phone", "11912345678", "(11) 91234-5678"),
    ("customer_phone", "1132345678", "(11) 3234-5678"),
    ("customer_phone", "+5511912345678", "(11) 91234-5678"),
    ("customer_phone", "+55 (11) 98765 - 4321", "(11) 98765-4321"),
    ("customer_phone", "+551132345678", "(11) 3234-5678"),
    ("customer_phone", "5511912345678", "(11) 91234-5678"),
    ("customer_phone", "+5555991234567", "(55) 99123-4567"),
    ("customer_phone", "55991234567", "(55) 99123-4567"),
]
FOREIGN_NUMBERS = [("+351912345678", "+351912345678"), ("+55", "+55"), ("91234567", "(91) 2345-67")]


@pytest.mark.parametrize("pasted", [False, True], ids=["typed", "pasted"])
async def test_input_is_masked(shop: Shop, phone: Visit, *, pasted: bool) -> None:
    await phone.page.goto(await shop.link())
    write = phone.page.keyboard.insert_text if pasted else phone.page.keyboard.type
    for field, keys, masked in MASKED:
        await phone.page.fill(f"#{field}", "")
        await phone.page.focus(f"#{field}")
        await write(keys)
        assert (keys, await phone.page.input_value(f"#{field}")) == (keys, masked)


async def test_a_foreign_number_is_not_masked_as_brazilian(shop: Shop, phone: Visit) -> None:
    page = phone.page
    await page.goto(await shop.link())
    for keys, unmasked in FOREIGN_NUMBERS:
        await page.fill("#customer_phone", "")
        await page.type("#customer_phone", keys)
        await page.locator("#customer_phone").blur()
        assert await page.input_value("#customer_phone") == unmasked
        await expect(page.locator("#customer_phone-error")).to_contain_text("Informe um telefone do Brasil com DDD")


async def test_a_country_code_is_accepted_without_javascript(shop: Shop, plain: Visit, database: Database) -> None:
    page = plain.page
    await page.goto(await shop.link())
    await fill(page)
    await page.fill("#customer_phone", "")
    await page.type("#customer_phone", "+55 (11) 98765 - 4321")
    await pay(page)

    assert await sql.value(database, "select customer_phone from charges") == "11987654321"


async def test_the_mask_keeps_the_caret_position(shop: Shop, phone: Visit) -> None:
    await phone.page.goto(await shop.link())
    await phone.page.type("#customer_cpf", "5299822472")
    for _ in range(8):
        await phone.page.keyboard.press("ArrowLeft")
    await phone.page.keyboard.press("Backspace")
    await phone.page.keyboard.type("9")

    assert await phone.page.input_value("#customer_cpf") == "529.982.247-2"
    await phone.page.keyboard.type("X")
    assert await phone.page.evaluate("document.querySelector('#customer_cpf').selectionStart") < 9


async def test_a_document_may_have_letters(shop: Shop, phone: Visit) -> None:
    await phone.page.goto(await shop.link())
    field = phone.page.locator("#customer_cpf")
    await expect(field).to_have_attribute("inputmode", "numeric")

    await phone.page.click("text=CNPJ com letras")

    await expect(field).to_have_attribute("inputmode", "text")
    await expect(field).to_be_focused()


async def test_errors_are_shown_next_to_their_fields(shop: Shop, phone: Visit) -> None:
    page = phone.page
    await page.goto(await shop.link())
    await page.fill("#customer_email", "jose@")
    await page.click("[data-pay]")

    await expect(page.locator("#customer_name")).to_be_focused()
    await expect(page.locator("#customer_name-error")).to_have_text("Informe seu nome completo.")
    await expect(page.locator("#customer_email-error")).to_contain_text("Confira o e-mail")
    await expect(page.locator("#customer_phone-error")).to_be_hidden()
    await expect(page.locator("#alert")).to_have_text("Confira os campos marcados.")

    await page.fill("#customer_email", "jose@example.com")
    await expect(page.locator("#customer_email-error")).to_be_hidden()
    phone.assert_clean()


async def test_the_server_shows_the_same_errors_without_javascript(shop: Shop, plain: Visit) -> None:
    page = plain.page
    await page.goto(await shop.link())
    await fill(page)
    await page.fill("#customer_cpf", "529.982.247-24")
    async with page.expect_response("**/pay/*") as answer:
        await page.click("[data-pay]")

    assert (await answer.value).status == 400
    await expect(page.locator("#customer_cpf-error")).to_have_text("CPF inválido.")
    await expect(page.locator("#customer_cpf")).to_have_attribute("aria-invalid", "true")
    assert await page.input_value("#customer_cpf") == "529.982.247-24"
    assert await page.input_value("#customer_name") == TYPED["customer_name"]


@pytest.mark.parametrize(
    ("coupon", "reason"), [({}, "expirou"), ({"is_active": False}, "não está ativo"), (None, "não")]
)
async def test_a_refused_coupon_keeps_the_input(
    shop: Shop, phone: Visit, clock: MovedClock, coupon: dict[str, object] | None, reason: str
) -> None:
    page = phone.page
    if coupon is not None:
        await shop.coupon(expires_at=(clock.now() + timedelta(hours=1)).isoformat(), **coupon)
        clock.advance(timedelta(minutes=90))
    await page.goto(await shop.link())
    await fill(page)
    await page.click("text=Tem um cupom?")
    await page.fill("#coupon_code", "BEMVINDO10")
    await page.click("text=Aplicar")

    await expect(page.locator("#coupon_code-error")).to_contain_text(reason)
    await expect(page.locator("#coupon_code")).to_be_focused()
    assert await page.input_value("#customer_name") == TYPED["customer_name"]
    await expect(page.locator(".total dd")).to_have_text("R$\u00a0129,90")


async def test_a_removed_coupon_is_announced_and_keeps_the_focus(shop: Shop, phone: Visit) -> None:
    await shop.coupon()
    page = phone.page
    await page.goto(f"{await shop.link()}?cupom=BEMVINDO10")
    await page.click("text=Remover cupom")

    await expect(page.locator(".coupon summary")).to_be_focused()
    await expect(page.locator("#announcer")).to_have_text("Cupom removido. Total: R$\u00a0129,90.")
    phone.assert_clean()


WRONG: dict[str, dict[str, str]] = {
    "#customer_name": {"customer_name": "", "customer_email": "jose@"},
    "#customer_email": {"customer_email": "jose@"},
    "#coupon_code": {"coupon_code": "OUTRO", "customer_name": ""},
}


@pytest.mark.parametrize("field", WRONG)
async def test_a_field_error_is_in_the_viewport_without_javascript(shop: Shop, plain: Visit, field: str) -> None:
    page = plain.page
    await page.goto(await shop.link())
    await page.evaluate("document.querySelector('form').noValidate = true")
    await fill(page)
    await page.click("text=Tem um cupom?")
    for name, value in WRONG[field].items():
        await page.fill(f"#{name}", value)
    await page.click("[data-pay]")

    await expect(page).to_have_title("Erro: Curso de fotografia de rua · Loja da Ana")
    await expect(page.locator(field)).to_be_focused()
    await expect(page.locator(f"{field}-error")).to_be_in_viewport()


async def test_a_form_error_is_in_the_viewport_without_javascript(shop: Shop, plain: Visit) -> None:
    page = plain.page
    await page.goto(await shop.link())
    await fill(page)
    await sql.run(shop.database, "update products set price = 9990")
    await page.click("[data-pay]")

    await expect(page).to_have_title("Erro: Curso de fotografia de rua · Loja da Ana")
    await expect(page.locator("#alert")).to_be_focused()
    await expect(page.locator("#alert")).to_be_in_viewport()


async def test_an_invalid_coupon_in_the_url_is_no_error(shop: Shop, plain: Visit) -> None:
    await plain.page.goto(f"{await shop.link()}?cupom=OUTRO")

    await expect(plain.page.locator("#coupon_code-error")).to_contain_text("não")
    await expect(plain.page.locator("#coupon_code")).not_to_be_focused()
    await expect(plain.page).to_have_title("Curso de fotografia de rua · Loja da Ana")


async def test_the_longest_coupon_fits(shop: Shop, phone: Visit) -> None:
    code = "BEMVINDO" * (MAX_CODE_LENGTH // 8)
    await shop.coupon(code=code)
    page = phone.page
    await page.goto(await shop.link())
    await page.click("text=Tem um cupom?")
    await page.type("#coupon_code", code.lower())
    await page.keyboard.press("Enter")

    await expect(page.locator(".applied")).to_contain_text(f"{code} aplicado")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_lost_connection_keeps_the_input(shop: Shop, phone: Visit) -> None:
    page = phone.page
    await page.goto(await shop.link())
    await fill(page)
    await page.context.set_offline(True)
    await page.click("[data-pay]")
    await expect(page.locator("#alert")).to_contain_text("Sem conexão")
    assert await page.input_value("#customer_name") == TYPED["customer_name"]

    await page.context.set_offline(False)
    await page.click("[data-pay]")
    await page.wait_for_url("**/pay/c/*")


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
async def test_a_changed_price_is_shown_before_the_code(
    shop: Shop, phone: Visit, plain: Visit, *, script: bool
) -> None:
    page = (phone if script else plain).page
    address = await shop.link()
    await page.goto(address)
    await fill(page)
    await sql.run(shop.database, "update products set price = 9990")
    await page.click("[data-pay]")

    await expect(page.locator("#alert")).to_contain_text("O preço mudou")
    await expect(page.locator(".total dd")).to_have_text("R$\u00a099,90")
    assert {name: await page.input_value(f"#{name}") for name in TYPED} == TYPED
    assert page.url == address
    await pay(page)
    await expect(page.locator("h1")).to_contain_text("R$\u00a099,90")
