"""A part of a page that fails says so in its card, and never takes the page with it."""

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.api_client import Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening

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


async def fail(page: Page, field: str) -> None:
    """From now on the gateway's answers have an error in place of this root field."""

    async def answer(route: Route) -> None:
        if field not in (route.request.post_data or ""):
            await route.fallback()
            return
        response = await route.fetch()
        body = await response.json()
        body["data"][field] = None
        error = {"message": MESSAGE, "path": [field], "extensions": {"codigo": None, "status": 502}}
        await route.fulfill(response=response, json=body | {"errors": [error]})

    def is_document(address: str) -> bool:
        return address.endswith("/graphql")

    await page.route(is_document, answer)
