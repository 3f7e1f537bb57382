"""The pages over HTTP: statuses, headers, forms without a browser, and the event stream."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.rate_limits import Unlimited
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from gateway.values.formatting import format_timestamp
from tests.api_client import PAYER, Api, Merchant
from tests.chromium import served
from tests.fake_clock import MovedClock

HTML = "text/html; charset=utf-8"


async def link(merchant: Merchant, **changes: Any) -> dict[str, Any]:
    body = {"amount": 50, "title": "Aula avulsa", **changes}
    answer = await merchant.api.post("/payment-links", body, token=merchant.key)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()["data"]
    return created


async def post(api: Api, path: str, **form: str) -> httpx.Response:
    return await api.client.post(path, data=form)


async def test_paying_goes_to_the_page_of_the_charge(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]

    answer = await post(api, f"/pay/{slug}", **PAYER)

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/pay/c/")
    page = await api.get(answer.headers["location"])
    assert (page.status_code, page.headers["content-type"]) == (200, HTML)
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert "set-cookie" not in page.headers
    assert PAYER["customer_email"] not in page.text
    assert "52998224725" not in page.text


async def test_paying_twice_shows_the_same_charge(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]

    pages = {(await post(api, f"/pay/{slug}", **PAYER)).headers["location"] for _ in range(2)}

    assert len(pages) == 1


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/pay/naoexiste2", 404, "Não encontramos esta página"),
        ("/pay/c/" + "0" * 32, 404, "Não encontramos esta página"),
        ("/pay/c/x/outra", 404, "Não encontramos esta página"),
        ("/pay/a%00b", 404, "Não encontramos esta página"),
        ("/pay/" + "a" * 300, 404, "Não encontramos esta página"),
        ("/pay/c/a%00b", 404, "Não encontramos esta página"),
        ("/pay", 404, "Não encontramos esta página"),
        ("/pay/", 404, "Não encontramos esta página"),
        ("/PAY/naoexiste2/", 404, "Não encontramos esta página"),
    ],
)
async def test_not_found_is_a_friendly_page(api: Api, merchant: Merchant, path: str, status: int, title: str) -> None:
    answer = await api.get(path)

    assert (answer.status_code, answer.headers["content-type"]) == (status, HTML)
    assert title in answer.text


@pytest.mark.parametrize("slug", ["naoexiste2", "a%00b", "a" * 300])
async def test_a_form_sent_to_an_unknown_link_gets_the_same_page(api: Api, slug: str) -> None:
    answer = await post(api, f"/pay/{slug}", **PAYER)

    assert answer.status_code == 404
    assert "Não encontramos esta página" in answer.text


FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("body", "status", "title"),
    [
        (b"customer_name=Jos%E9", 400, "Não conseguimos ler o formulário"),
        (b"customer_name=Jos\xe9", 400, "Não conseguimos ler o formulário"),
        (b"&".join(b"a=1" for _ in range(51)), 400, "Não conseguimos ler o formulário"),
        (b"customer_name=" + b"x" * 20_000, 413, "O formulário é grande demais"),
        (b"customer_name=" + b"x" * 1024 * 1024, 413, "O formulário é grande demais"),
    ],
    ids=["another encoding", "no encoding", "many fields", "beyond the form", "beyond any body"],
)
async def test_an_unreadable_form_has_an_error_page(
    api: Api, merchant: Merchant, body: bytes, status: int, title: str
) -> None:
    slug = (await link(merchant))["slug"]

    answer = await api.client.post(f"/pay/{slug}", content=body, headers=FORM)

    assert (answer.status_code, answer.headers["content-type"]) == (status, HTML)
    assert title in answer.text
    assert "Não encontramos esta página" not in answer.text
    assert return_link(answer.text) == (f"/pay/{slug}", "Voltar ao pagamento")
    assert "content-security-policy" in answer.headers
    assert answer.headers["x-request-id"]
    assert await charges_of(merchant) == []


@pytest.mark.parametrize("path", ["/PAY/{slug}", "/Pay/{slug}/", "/PAY/C/{txid}", "/pay/c/{txid}/STATUS"])
async def test_case_and_a_trailing_slash_do_not_matter(api: Api, merchant: Merchant, path: str) -> None:
    slug, txid = (await link(merchant))["slug"], (await merchant.issue())["txid"]

    answer = await api.get(path.format(slug=slug, txid=txid))

    assert answer.status_code == 200
    assert "location" not in answer.headers


async def test_a_closed_link(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    ending = (clock.now() + timedelta(hours=1)).isoformat()
    slug = (await link(merchant, expires_at=ending))["slug"]
    assert "Esta oferta vale até" in (await api.get(f"/pay/{slug}")).text
    clock.advance(timedelta(hours=2))

    for answer in (await api.get(f"/pay/{slug}"), await post(api, f"/pay/{slug}", **PAYER)):
        assert answer.status_code == 410
        assert "Este link foi encerrado" in answer.text


async def test_a_reserved_link_shows_its_expiry_and_returns_its_payer(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    slug = (await link(merchant, max_uses=1, charge_expires_in_minutes=90))["slug"]
    own = (await post(api, f"/pay/{slug}", **PAYER)).headers["location"]
    until = format_timestamp(clock.now() + timedelta(minutes=90))
    clock.advance(timedelta(minutes=30))

    seen = await api.get(f"/pay/{slug}")
    assert seen.status_code == 410
    assert "Este link está reservado" in seen.text
    assert f"em {until}" in seen.text
    assert "Voltar ao meu Pix" in seen.text
    back = await post(api, f"/pay/{slug}", acao="voltar-ao-pix", **PAYER)
    assert (back.status_code, back.headers["location"]) == (303, own)

    # The document or the email alone does not identify the payer.
    for stranger in ({"customer_email": "outra@example.com"}, {"customer_cpf": "111.444.777-35"}):
        refused = await post(api, f"/pay/{slug}", acao="voltar-ao-pix", **{**PAYER, **stranger})
        assert refused.status_code == 410
        assert "Não há Pix à espera de pagamento" in refused.text
        assert own.rpartition("/")[2] not in refused.text
    wrong = await post(api, f"/pay/{slug}", acao="voltar-ao-pix", **{**PAYER, "customer_cpf": "1"})
    assert wrong.status_code == 410
    assert "Confira os campos marcados." in wrong.text

    clock.advance(timedelta(minutes=61))
    assert (await api.get(f"/pay/{slug}")).status_code == 200


async def test_an_expired_link_returns_its_payers_charge(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    ending = (clock.now() + timedelta(hours=1)).isoformat()
    slug = (await link(merchant, expires_at=ending))["slug"]
    own = (await post(api, f"/pay/{slug}", **PAYER)).headers["location"]
    clock.advance(timedelta(hours=2))

    seen = await api.get(f"/pay/{slug}")
    assert (seen.status_code, "Este link foi encerrado" in seen.text) == (410, True)
    assert (await post(api, f"/pay/{slug}", acao="voltar-ao-pix", **PAYER)).headers["location"] == own


async def test_a_payer_returns_to_the_charge_that_took_the_links_last_discount(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    """The page does not know the payer, so it hides a coupon whose last use is theirs."""
    order = {"code": "UMSO", "discount_type": "fixed", "discount_value": 7.5, "max_uses": 1}
    coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    slug = (await link(merchant, coupon_id=coupon["id"]))["slug"]
    own = (await post(api, f"/pay/{slug}", shown_total="4250", **PAYER)).headers["location"]
    clock.advance(timedelta(hours=1))

    assert "Gerar Pix de R$\u00a050,00" in (await api.get(f"/pay/{slug}")).text
    assert (await post(api, f"/pay/{slug}", shown_total="5000", **PAYER)).headers["location"] == own


async def test_a_title_goes_before_the_products_name(api: Api, merchant: Merchant) -> None:
    product = {"name": "Curso de violão", "price": 100, "description": "Doze aulas"}
    made = (await merchant.api.post("/products", product, token=merchant.key)).json()["data"]
    slug = (await link(merchant, title="Turma de sábado", product_id=made["id"]))["slug"]

    page = (await api.get(f"/pay/{slug}")).text
    assert '<h1 id="what" tabindex="-1">Turma de sábado</h1>' in page
    assert "<title>Turma de sábado · Loja da Ana</title>" in page
    assert 'property="og:title" content="Turma de sábado"' in page
    assert "Doze aulas" in page
    assert "Gerar Pix de R$\u00a0100,00" in page
    charge = (await post(api, f"/pay/{slug}", **PAYER)).headers["location"]
    await api.post(f"/checkout/{charge.rpartition('/')[2]}/simular-pagamento")
    assert "Turma de sábado" in (await api.get(charge)).text
    untitled = (await link(merchant, title=None, product_id=made["id"]))["slug"]
    assert '<h1 id="what" tabindex="-1">Curso de violão</h1>' in (await api.get(f"/pay/{untitled}")).text


async def test_the_last_use_of_a_link_survives_a_second_sending(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant, max_uses=1))["slug"]

    pages = {(await post(api, f"/pay/{slug}", **PAYER)).headers["location"] for _ in range(2)}

    assert len(pages) == 1
    assert (await api.get(f"/pay/{slug}")).status_code == 410


async def test_a_live_link_of_a_store_that_is_not_approved(api: Api, merchant: Merchant, services: Services) -> None:
    slug = (await link(merchant))["slug"]
    async with services.database.transaction() as transaction:
        await transaction.connection.execute("update payment_links set environment = 'live' where slug = $1", slug)

    for answer in (await api.get(f"/pay/{slug}"), await post(api, f"/pay/{slug}", **PAYER)):
        assert answer.status_code == 409
        assert "Pagamento indisponível no momento" in answer.text


async def test_the_links_own_coupon_is_in_the_price_without_typing(api: Api, merchant: Merchant) -> None:
    order = {"code": "ABRE", "discount_type": "fixed", "discount_value": 7.5}
    coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    slug = (await link(merchant, coupon_id=coupon["id"]))["slug"]

    page = (await api.get(f"/pay/{slug}")).text
    assert "Gerar Pix de R$\u00a042,50" in page

    charge = await api.get((await post(api, f"/pay/{slug}", **PAYER)).headers["location"])
    assert "R$\u00a042,50" in charge.text


async def test_a_used_up_coupon_of_the_link_is_announced_before_the_payment(api: Api, merchant: Merchant) -> None:
    order = {"code": "ABRE", "discount_type": "fixed", "discount_value": 7.5, "max_uses_per_customer": 1}
    coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    slug = (await link(merchant, coupon_id=coupon["id"]))["slug"]
    first = await post(api, f"/pay/{slug}", **PAYER)
    assert "sem-desconto" not in first.headers["location"]
    await api.post(f"{first.headers['location']}/simular-pagamento".replace("/pay/c", "/checkout"))

    # Unknown until the payer is identified.
    assert "Gerar Pix de R$\u00a042,50" in (await api.get(f"/pay/{slug}")).text
    page = await api.get((await post(api, f"/pay/{slug}", **PAYER)).headers["location"])

    assert "O desconto deste link se esgotou. Confira o valor antes de pagar." in page.text
    assert "R$\u00a050,00" in page.text


async def test_a_coupon_already_used_by_the_payer_is_an_error_of_its_field(api: Api, merchant: Merchant) -> None:
    order = {"code": "UMAVEZ", "discount_type": "fixed", "discount_value": 7.5, "max_uses_per_customer": 1}
    await merchant.api.post("/coupons", order, token=merchant.key)
    for status in (303, 400):
        slug = (await link(merchant))["slug"]
        answer = await post(api, f"/pay/{slug}", coupon_code="umavez", **PAYER)
        assert answer.status_code == status

    assert "Este cupom está em uso por uma cobrança pendente até" in answer.text
    assert "Gerar Pix de R$\u00a050,00" in answer.text
    assert ">Confira os campos marcados.<" not in answer.text


async def test_a_coupon_at_a_link_without_coupons_is_an_error_above_the_form(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant, allow_coupons=False))["slug"]

    answer = await post(api, f"/pay/{slug}", coupon_code="umavez", **PAYER)

    assert answer.status_code == 400
    assert "Este link não aceita cupons." in answer.text


async def test_a_link_with_a_product_below_the_minimum_has_no_form(api: Api, merchant: Merchant) -> None:
    product = (await merchant.api.post("/products", {"name": "Chiclete", "price": 5}, token=merchant.key)).json()[
        "data"
    ]
    slug = (await link(merchant, product_id=product["id"]))["slug"]
    await merchant.api.put(f"/products/{product['id']}", {"price": 4.99}, token=merchant.key)

    answer = await post(api, f"/pay/{slug}", **PAYER)

    assert answer.status_code == 400
    seen = await api.get(f"/pay/{slug}")
    assert seen.status_code == 409
    for page in (answer.text, seen.text):
        assert "O valor desta compra é menor que R$\u00a05,00" in page
        assert "<form" not in page
        assert "Gerar Pix" not in page


PRICE_CHANGED = "O preço mudou enquanto você preenchia."


def shown_total_of(page: str) -> str:
    """The total in the form of the page, in centavos."""
    (total,) = re.findall(r'<input type="hidden" name="shown_total" value="(\d+)">', page)
    return str(total)


def return_link(page: str) -> tuple[str, str] | None:
    """The link of an error page: its target and text."""
    found = re.search(r'<a class="button quiet" href="([^"]*)">([^<]*)</a>', page)
    return (found[1], found[2]) if found else None


async def charges_of(merchant: Merchant) -> list[dict[str, Any]]:
    charges: list[dict[str, Any]] = (await merchant.api.get("/pix", token=merchant.key)).json()["data"]
    return charges


async def test_a_price_that_changed_is_shown_before_anything_is_issued(api: Api, merchant: Merchant) -> None:
    product = (await merchant.api.post("/products", {"name": "Curso", "price": 50}, token=merchant.key)).json()["data"]
    slug = (await link(merchant, product_id=product["id"]))["slug"]
    initial = shown_total_of((await api.get(f"/pay/{slug}")).text)
    assert initial == "5000"
    await merchant.api.put(f"/products/{product['id']}", {"price": 60}, token=merchant.key)

    again = await post(api, f"/pay/{slug}", shown_total=initial, customer_phone="11 91234-5678", **PAYER)

    assert (again.status_code, again.headers["content-type"]) == (409, HTML)
    assert PRICE_CHANGED in again.text
    assert "Gerar Pix de R$\u00a060,00" in again.text
    assert all(f'value="{value}"' in again.text for value in (*PAYER.values(), "11 91234-5678"))
    assert await charges_of(merchant) == []
    paid = await post(api, f"/pay/{slug}", shown_total=shown_total_of(again.text), **PAYER)
    assert paid.status_code == 303
    assert [charge["amount"] for charge in await charges_of(merchant)] == [60.0]


async def test_a_changed_discount_is_shown_first(api: Api, merchant: Merchant) -> None:
    order = {"code": "ABRE", "discount_type": "fixed", "discount_value": 7.5}
    coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    own = (await link(merchant, coupon_id=coupon["id"]))["slug"]
    typed = (await link(merchant))["slug"]
    initial = {own: {}, typed: {"coupon_code": "ABRE"}}
    for slug, form in initial.items():
        form["shown_total"] = shown_total_of((await api.get(f"/pay/{slug}?cupom={form.get('coupon_code', '')}")).text)
        assert form["shown_total"] == "4250"
    await merchant.api.put(f"/coupons/{coupon['id']}", {"discount_value": 5}, token=merchant.key)

    for slug, form in initial.items():
        again = await post(api, f"/pay/{slug}", **form, **PAYER)
        assert (again.status_code, shown_total_of(again.text)) == (409, "4500")
        assert PRICE_CHANGED in again.text
    assert await charges_of(merchant) == []


async def test_a_links_own_coupon_reserved_by_another_payer(api: Api, merchant: Merchant) -> None:
    order = {"code": "ABRE", "discount_type": "fixed", "discount_value": 7.5, "max_uses": 1}
    coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    slug = (await link(merchant, coupon_id=coupon["id"]))["slug"]
    initial = shown_total_of((await api.get(f"/pay/{slug}")).text)
    other = PAYER | {"customer_cpf": "111.444.777-35"}
    first = await post(api, f"/pay/{slug}", shown_total=initial, **other)

    again = await post(api, f"/pay/{slug}", shown_total=initial, **PAYER)

    assert (again.status_code, shown_total_of(again.text)) == (409, "5000")
    assert len(await charges_of(merchant)) == 1
    # A page without the coupon creates a charge without it. The first payer keeps theirs.
    paid = await post(api, f"/pay/{slug}", shown_total="5000", **PAYER)
    assert (paid.status_code, "sem-desconto" in paid.headers["location"]) == (303, False)
    assert (await post(api, f"/pay/{slug}", shown_total=initial, **other)).headers["location"] == first.headers[
        "location"
    ]
    assert sorted(charge["amount"] for charge in await charges_of(merchant)) == [42.5, 50.0]


async def test_the_same_form_is_the_same_charge_though_the_price_has_changed(api: Api, merchant: Merchant) -> None:
    product = (await merchant.api.post("/products", {"name": "Curso", "price": 50}, token=merchant.key)).json()["data"]
    slug = (await link(merchant, product_id=product["id"]))["slug"]
    first = await post(api, f"/pay/{slug}", shown_total="5000", **PAYER)
    await merchant.api.put(f"/products/{product['id']}", {"price": 60}, token=merchant.key)

    second = await post(api, f"/pay/{slug}", shown_total="5000", **PAYER)

    assert (second.status_code, second.headers["location"]) == (303, first.headers["location"])
    other = await post(api, f"/pay/{slug}", shown_total="5000", **PAYER | {"customer_cpf": "111.444.777-35"})
    assert other.status_code == 409


async def test_a_typed_coupon_does_not_count_as_a_changed_price(api: Api, merchant: Merchant) -> None:
    for code, value in (("MENOS", 5), ("MAIS", 10)):
        order = {"code": code, "discount_type": "fixed", "discount_value": value}
        coupon = (await merchant.api.post("/coupons", order, token=merchant.key)).json()["data"]
    plain, better = (await link(merchant))["slug"], (await link(merchant, coupon_id=coupon["id"]))["slug"]

    assert (await post(api, f"/pay/{plain}", shown_total="5000", coupon_code="mais", **PAYER)).status_code == 303
    # A smaller discount than the link's own makes the price higher than shown.
    again = await post(api, f"/pay/{better}", shown_total="4000", coupon_code="menos", **PAYER)
    assert (again.status_code, shown_total_of(again.text)) == (409, "4500")


@pytest.mark.parametrize("result", ["", "x", "-1", "50.00", "1e3", "٥٠٠٠", "9" * 400, "\x00", "5000 "])
async def test_an_unreadable_total_is_ignored(api: Api, merchant: Merchant, result: str) -> None:
    slug = (await link(merchant))["slug"]

    assert (await post(api, f"/pay/{slug}", shown_total=result, **PAYER)).status_code == 303


async def test_a_changed_price_is_shown_with_other_errors(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]

    wrong = await post(api, f"/pay/{slug}", shown_total="4000", **PAYER | {"customer_cpf": "1"})
    result = await post(api, f"/pay/{slug}", shown_total="5000", **PAYER | {"customer_cpf": "1"})

    assert (wrong.status_code, result.status_code) == (400, 400)
    assert (PRICE_CHANGED in wrong.text, PRICE_CHANGED in result.text) == (True, False)


async def test_the_api_ignores_the_shown_total(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]
    order = {**PAYER, "shown": 1, "shown_total": 1}

    paid = await api.post(f"/checkout/link/{slug}/pay", order)

    assert (paid.status_code, paid.json()["data"]["amount"]) == (201, 50.0)


@pytest.mark.parametrize(
    ("status", "title", "result"),
    [
        ("expired", "Este Pix expirou", "Gerar novo Pix"),
        ("canceled", "Este Pix foi cancelado", "Gerar novo Pix"),
        ("refunded", "Pagamento devolvido", "&amp;status=refunded"),
    ],
)
async def test_a_charge_that_has_ended(
    api: Api, merchant: Merchant, services: Services, status: str, title: str, result: str
) -> None:
    urls = {"success_url": "https://loja.example/ok?p=1", "cancel_url": "https://loja.example/carrinho"}
    slug = (await link(merchant, **urls))["slug"]
    address = (await post(api, f"/pay/{slug}", **PAYER)).headers["location"]
    if status == "refunded":
        await post(api, f"{address}/simular-pagamento")
    async with services.database.transaction() as transaction:
        await transaction.connection.execute(
            "update charges set status = $1, refunded_at = case when $1 = 'refunded' then now() end, refunded_amount = case when $1 = 'refunded' then amount else 0 end",
            status,
        )

    page = (await api.get(address)).text
    assert title in page
    assert "Aula avulsa" in page
    assert "R$\u00a050,00" in page
    assert result in page
    assert 'id="pix-code"' not in page
    assert ("Comprovante" in page) == (status == "refunded")
    assert ("https://loja.example/carrinho" in page) == (status != "refunded")
    assert ('http-equiv="refresh"' in page) == (status == "expired")
    assert (await api.get(f"{address}/status")).json() == {"status": status, "seconds_left": 0}


async def test_the_text_direction_of_a_name_does_not_affect_messages(
    api: Api, merchant: Merchant, services: Services
) -> None:
    charge, other = await merchant.issue(), await merchant.issue()
    turned = "Loja \u202e<b>"
    async with services.database.transaction() as transaction:
        await transaction.connection.execute("update users set company = $1", turned)
        await transaction.connection.execute("update charges set customer_name = $1, description = $1", turned)
    own = "<bdi>Loja \u202e&lt;b&gt;</bdi>"

    assert f"Valor a pagar para {own}</small>" in (await api.get(f"/pay/c/{charge['txid']}")).text
    await merchant.pay(charge["id"])
    receipt = (await api.get(f"/pay/c/{charge['txid']}")).text
    assert f"<p>{own} recebeu R$" in receipt
    assert f"<dt>Recebedor</dt><dd>{own}<br>" in receipt
    assert f"<dt>Pagador</dt><dd>{own}<br>" in receipt
    async with services.database.transaction() as transaction:
        await transaction.connection.execute("update charges set status = 'canceled' where id = $1", other["id"])
    assert f'<p class="amount-line">{own} · R$' in (await api.get(f"/pay/c/{other['txid']}")).text


async def test_a_shared_address_may_carry_a_coupon(api: Api, merchant: Merchant) -> None:
    order = {"code": "ABRE", "discount_type": "percentage", "discount_value": 50}
    await merchant.api.post("/coupons", order, token=merchant.key)
    slug = (await link(merchant))["slug"]

    assert "Gerar Pix de R$\u00a025,00" in (await api.get(f"/pay/{slug}?cupom=abre")).text
    unknown = await api.get(f"/pay/{slug}?cupom=outro")
    assert (unknown.status_code, "Gerar Pix de R$\u00a050,00" in unknown.text) == (200, True)


async def test_the_rate_limit_page_keeps_the_form_values(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]
    for number in range(10):
        form = {**PAYER, "customer_email": f"jose{number}@example.com"}
        assert (await post(api, f"/pay/{slug}", **form)).status_code == 303

    answer = await post(api, f"/pay/{slug}", **PAYER)

    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert 'value="José Pagador"' in answer.text
    assert "Muitas tentativas" in answer.text


async def test_form_values_are_escaped(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]

    answer = await post(api, f"/pay/{slug}", customer_name='"><script>alert(1)</script>')

    assert answer.status_code == 400
    assert "<script>alert" not in answer.text
    assert "Campo obrigatório." in answer.text


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/pay/abc", "GET, HEAD, POST"),
        ("POST", "/pay/c/abc", "GET, HEAD"),
        ("PUT", "/pay/c/abc/status", "GET, HEAD"),
        ("GET", "/pay/c/abc/simular-pagamento", "POST"),
    ],
)
async def test_another_method(api: Api, method: str, path: str, allowed: str) -> None:
    answer = await api.client.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


async def test_the_status_is_small_and_limited_like_a_read(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    path = f"/pay/c/{charge['txid']}/status"

    answer = await api.get(path)

    assert answer.json()["status"] == "pending"
    assert 86_000 < answer.json()["seconds_left"] <= 86_400
    for _ in range(299):
        await api.get(path)
    refused = await api.get(path)
    assert (refused.status_code, refused.text) == (429, "")
    assert int(refused.headers["retry-after"]) > 0
    page = await api.get(f"/pay/c/{charge['txid']}")
    assert page.status_code == 429
    assert "Aguarde" in page.text


async def test_an_error_page_links_to_the_page_and_not_to_a_form_target(api: Api, merchant: Merchant) -> None:
    slug, txid = (await link(merchant))["slug"], (await merchant.issue())["txid"]
    simulation = f"/pay/c/{txid}/simular-pagamento"
    for _ in range(30):
        await post(api, "/pay/c/0/simular-pagamento")

    refused, opened = await post(api, simulation), await api.get(simulation)
    strange = await api.client.post(f"/pay/{slug}", json=PAYER)
    shouted = await api.client.put(f"/PAY/{slug}?cupom=x")

    assert (refused.status_code, return_link(refused.text)) == (429, (f"/pay/c/{txid}", "Tentar de novo"))
    assert (opened.status_code, return_link(opened.text)) == (405, (f"/pay/c/{txid}", "Voltar ao pagamento"))
    assert (strange.status_code, return_link(strange.text)) == (415, (f"/pay/{slug}", "Voltar ao pagamento"))
    assert (shouted.status_code, return_link(shouted.text)) == (405, (f"/pay/{slug}", "Voltar ao pagamento"))
    assert "Não conseguimos ler o formulário" in strange.text


async def test_the_retry_link_keeps_the_coupon_of_the_url(api: Api, merchant: Merchant) -> None:
    slug = (await link(merchant))["slug"]
    for _ in range(120):
        await api.get(f"/pay/{slug}")

    refused = await api.get(f"/pay/{slug}?cupom=ABRE&origem=%22x")

    assert (refused.status_code, return_link(refused.text)) == (
        429,
        (f"/pay/{slug}?cupom=ABRE&amp;origem=%22x", "Tentar de novo"),
    )


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("/pay/%5c%5cmal.example", "/pay/%5C%5Cmal.example"),
        ("/pay/https:mal.example", "/pay/https%3Amal.example"),
        ("/pay/a%22%3e%3cb", "/pay/a%22%3E%3Cb"),
        ("/pay/c/a%3fb%23c", "/pay/c/a%3Fb%23c"),
        ("/pay//mal.example", "/pay/mal.example"),
        ("/pay/c//simular-pagamento", None),
        ("/pay/", None),
    ],
)
async def test_no_error_page_links_to_another_site(api: Api, path: str, leads: str | None) -> None:
    answer = await api.client.request("DELETE", path)

    assert answer.status_code == 405
    assert return_link(answer.text) == ((leads, "Voltar ao pagamento") if leads else None)


class BrokenLimiter(Unlimited):
    """Fails unexpectedly."""

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        raise RuntimeError(name, limit, window_seconds)


async def test_an_unexpected_failure_is_a_page_with_its_code(settings: Settings, services: Services) -> None:
    async with Api.of(Gateway(settings, replace(services, limiter=BrokenLimiter()))) as api:
        answer = await api.get("/pay/abc", x_request_id="0123456789abcdef")

    assert answer.status_code == 500
    assert "0123456789abcdef" in answer.text
    assert return_link(answer.text) == ("/pay/abc", "Tentar de novo")


async def events(
    client: httpx.AsyncClient, path: str, received: asyncio.Event | None = None
) -> tuple[httpx.Headers, list[str]]:
    """Read the stream until the server ends it. `received` is set by the first event."""
    result = []
    async with client.stream("GET", path) as answer:
        async for line in answer.aiter_lines():
            if line.startswith(("event", "data")):
                result.append(line)
            if received and line.startswith("data"):
                received.set()
        return answer.headers, result


async def test_the_stream_ends_with_the_payment(settings: Settings, services: Services, merchant: Merchant) -> None:
    charge = await merchant.issue()
    async with served(Gateway(settings, services)) as url, httpx.AsyncClient(base_url=url) as client:
        received = asyncio.Event()
        watching = asyncio.create_task(events(client, f"/pay/c/{charge['txid']}/events", received))
        await asyncio.wait_for(received.wait(), 60)
        await merchant.pay(charge["id"])
        headers, result = await asyncio.wait_for(watching, 60)

    assert headers["content-type"].startswith("text/event-stream")
    assert headers["x-accel-buffering"] == "no"
    assert result == ["event: status", "data: pending", "event: status", "data: paid"]


async def test_a_charge_that_is_not_pending_has_a_short_stream(
    settings: Settings, services: Services, merchant: Merchant
) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    async with served(Gateway(settings, services)) as url, httpx.AsyncClient(base_url=url) as client:
        _, result = await events(client, f"/pay/c/{charge['txid']}/events")

    assert result == ["event: status", "data: paid"]
