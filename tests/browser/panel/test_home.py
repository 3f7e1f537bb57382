"""The home page: its figures, and what waits for a person."""

from datetime import timedelta

import pytest
from playwright.async_api import Browser, expect

from gateway.models.database import Database
from tests.api.actors import set_status
from tests.api_client import Merchant
from tests.browser.panel.pages import log_in, opening
from tests.fake_clock import MovedClock
from tests.rows import put_charges


async def test_the_paid_share_is_of_the_charges_of_the_period(
    panel: str, browser: Browser, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    """One of the two that were created is paid. What was created before the period doesn't count."""
    now = clock.now()
    paid = {"status": "paid", "paid_at": now}
    rows = [paid, {"status": "pending"}, *[paid | {"created_at": now - timedelta(days=40)}] * 3]
    await put_charges(database, merchant.id, rows, now=now)
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, "/?periodo=7")
        figure = visit.page.get_by_role("term").filter(has_text="Pagas, das criadas").locator("..")
        await expect(figure).to_contain_text("50%")
        visit.assert_clean()


@pytest.mark.parametrize(
    ("status", "text"), [("rejected", "O pedido de produção foi recusado."), ("suspended", "está suspensa")]
)
async def test_a_refused_or_suspended_store_has_a_task(
    panel: str, browser: Browser, merchant: Merchant, database: Database, status: str, text: str
) -> None:
    await set_status(database, merchant, status)
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant)
        await expect(visit.page.get_by_role("region", name="Precisa de você")).to_contain_text(text)
        visit.assert_clean()
