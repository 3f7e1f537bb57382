"""The balance where the service receives for its stores and repays them."""

from playwright.async_api import Browser, expect

from gateway.resolvers.core.context import Services
from tests.api.actors import set_status
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.resolvers.repayments.test_repayments import period, put_live_charges


@sizes
async def test_a_merchant_follows_a_repayment(
    panel: str, browser: Browser, api: Api, services: Services, merchant: Merchant, size: str
) -> None:
    await set_status(services.database, merchant, "approved")
    await put_live_charges(services, merchant, 10_000, 5_000)
    staff = await staff_member(api, services)
    recorded = await api.post("/admin/repayments", period(services, merchant), token=staff.token)
    assert recorded.status_code == 201, recorded.text
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/saldo")
        await expect(page.get_by_text("Não é preciso pedir saque.")).to_be_visible()
        await expect(page.get_by_role("link", name="Sacar")).to_be_hidden()
        await assert_sound(visit)
        await page.get_by_role("navigation", name="Saldo").get_by_role("link", name="Repasses").click()
        await page.get_by_role("table").get_by_role("link").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("R$ 150,00 · Repasse")
        await expect(page.get_by_text("a transferência ainda será feita")).to_be_visible()
        await assert_sound(visit)
