"""A part of a page that fails says so in its card, and never takes the page with it."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from gateway.models.database import Database
from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening
from tests.browser.panel.store import CUSTOMER, create
from tests.fake_clock import MovedClock
from tests.rows import put_charges

MESSAGE = "O banco não respondeu. Tente de novo."


@pytest.mark.parametrize(
    ("path", "field", "card", "others"),
    [
        ("", "charges", "Últimas cobranças", ["Recebido"]),
        ("", "chargeFigures", "Recebido", ["Últimas cobranças"]),
        ("/cobrancas/$id", "auditRecords", "Linha do tempo", ["Detalhes", "Receber"]),
        ("/cobrancas/$id", "events", "Linha do tempo", ["Detalhes", "Receber"]),
        ("/saldo", "withdrawalSummary", "Disponível", ["Últimos repasses"]),
        ("/saldo", "receivedRepayments", "Últimos repasses", ["Disponível"]),
    ],
)
async def test_a_part_fails_alone(
    panel: str, browser: Browser, merchant: Merchant, path: str, field: str, card: str, others: list[str]
) -> None:
    charge = await merchant.issue()
    async with opening(browser, "phone") as visit:
        page = visit.page
        await fail(page, field)
        await log_in(visit, panel, merchant, path.replace("$id", charge["id"]))
        failed = page.get_by_role("region", name=card, exact=True)
        await expect(failed.get_by_role("alert")).to_contain_text(MESSAGE)
        for other in others:
            await expect(page.get_by_role("region", name=other, exact=True)).to_be_visible()
        await assert_sound(visit)
        await page.unroute_all(behavior="wait")
        await failed.get_by_role("button", name="Tentar de novo").click()
        await expect(failed.get_by_role("alert")).to_have_count(0)


async def test_a_form_refused_for_a_time_counts_down(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/clientes/novo")
        await page.get_by_label("Nome").fill("Bia Souza")
        await fail(page, "createCustomer", {"codigo": "LIMITE_EXCEDIDO", "status": 429}, wait=3)
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_role("alert")).to_contain_text(MESSAGE)
        await expect(page.get_by_role("button", name=re.compile("Tentar de novo em . s"))).to_be_disabled()
        await assert_sound(visit)
        await page.unroute_all(behavior="wait")
        await page.get_by_role("button", name="Cadastrar cliente").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Bia Souza")
        await fail(page, "deleteCustomer", {"codigo": "LIMITE_EXCEDIDO", "status": 429}, wait=2)
        await page.get_by_role("button", name="Excluir").click()
        dialog = page.get_by_role("alertdialog")
        await dialog.get_by_role("button", name="Excluir").click()
        await expect(dialog.get_by_role("button", name=re.compile("Tentar de novo em . s"))).to_be_disabled()
        await page.unroute_all(behavior="wait")
        await dialog.get_by_role("button", name="Excluir").click()
        await expect(page.get_by_text("Nenhum cliente ainda")).to_be_visible()


async def test_a_list_keeps_its_rows_and_stays_as_it_is(
    panel: str, browser: Browser, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    await put_charges(database, merchant.id, [{} for _ in range(30)], now=clock.now())
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        rows = page.get_by_role("row")
        await expect(rows).to_have_count(26)
        await fail(page, "charges")
        await page.get_by_role("button", name="Mostrar mais").click()
        await expect(page.get_by_role("alert")).to_contain_text(MESSAGE)
        await expect(rows).to_have_count(26)
        await assert_sound(visit)
        await page.unroute_all(behavior="wait")
        await page.get_by_role("button", name="Tentar de novo").click()
        await expect(rows).to_have_count(31)
        await expect(page.get_by_role("alert")).to_have_count(0)

        sent: list[str] = []
        page.on("request", lambda each: sent.append(each.post_data or ""))
        await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        await page.wait_for_timeout(100)
        assert [each for each in sent if '"after":"' in each] == []


async def test_a_failed_search_of_customers_says_so(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/assinaturas/nova")
        await fail(page, "customers")
        await page.get_by_role("combobox", name="Cliente").fill("carla")
        await expect(page.get_by_role("status").filter(has_text=MESSAGE)).to_be_visible()
        await page.unroute_all(behavior="wait")
        sent: list[str] = []
        page.on("request", lambda each: sent.append(each.post_data or ""))
        await page.get_by_role("combobox", name="Cliente").press_sequentially(" maria")
        await expect(page.get_by_text("Nada encontrado.")).to_be_visible()
        assert len([each for each in sent if "customers" in each]) == 1


async def test_an_unexpected_error_has_a_code_for_the_support(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        await fail(visit.page, "customers", {"status": 500, "id": "0198f3c2"})
        await log_in(visit, panel, merchant, "/clientes")
        await expect(visit.page.get_by_role("alert")).to_contain_text("Código: 0198f3c2")


async def fail(page: Page, field: str, extensions: dict[str, Any] | None = None, *, wait: int = 0) -> None:
    """From now on the gateway's answers have an error in place of this root field. `wait`: their `Retry-After`."""
    shown = extensions or {"codigo": None, "status": 502}

    async def answer(route: Route) -> None:
        if field not in (route.request.post_data or ""):
            await route.fallback()
            return
        error = {"message": MESSAGE, "path": [field], "extensions": shown}
        if wait:
            body = {"data": {field: None}, "errors": [error]}
            await route.fulfill(json=body, headers={"Retry-After": str(wait)})
            return
        response = await route.fetch()
        body = await response.json()
        body["data"][field] = None
        await route.fulfill(response=response, json=body | {"errors": [error]})

    def is_document(address: str) -> bool:
        return address.endswith("/graphql")

    await page.route(is_document, answer)


async def test_a_form_whose_search_field_fails_keeps_what_it_held(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    customer = await create(merchant, "/customers", CUSTOMER)
    plan = {"customer_id": customer, "amount": 49.9, "interval": "monthly"}
    subscription = await create(merchant, "/subscriptions", plan)
    async with opening(browser, "phone") as visit:
        page = visit.page
        await page.route(re.compile("(DemoLogin|PickInput)-.*js"), lambda route: route.abort())
        await log_in(visit, panel, merchant, f"/assinaturas/{subscription}?editar=1")
        await expect(page.get_by_role("alert")).to_contain_text("O campo «Cliente cadastrado» não carregou.")
        await page.get_by_label("Descrição").fill("Clube")
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_role("link", name="Editar")).to_be_visible()
    changed = (await merchant.api.get(f"/subscriptions/{subscription}", token=merchant.key)).json()["data"]
    assert (changed["description"], changed["customer_id"]) == ("Clube", customer)
