"""The list of charges, and the page of one."""

import json
import re
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api_client import Api, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.store import CUSTOMER, create


@pytest.fixture
def services(services: Services) -> Services:
    """A service that sends emails to payers of test charges."""
    return replace(services, settings=services.settings.model_copy(update={"receipts_for_test": True}))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@sizes
async def test_charges_are_filtered_by_what_they_are_of(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    customer = await create(merchant, "/customers", CUSTOMER)
    product = await create(merchant, "/products", {"name": "Camiseta", "price": 79.9})
    coupon = {"code": "NATAL10", "discount_type": "percentage", "discount_value": 10}
    await create(merchant, "/coupons", coupon)
    await create(merchant, "/payment-links", {"title": "Rifa", "amount": 10})
    plan = {"customer_id": customer, "amount": 49.9, "description": "Clube", "interval": "monthly"}
    subscription = await create(merchant, "/subscriptions", plan)
    await merchant.api.post(f"/subscriptions/{subscription}/charge", {}, token=merchant.token)
    await merchant.issue(product_id=product, coupon_code="NATAL10")
    await merchant.issue(amount=20)
    await merchant.api.put(f"/products/{product}", {"active": False}, token=merchant.token)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        total = page.get_by_role("status").filter(has_text="Total")
        await expect(total).to_have_text(re.compile("^Total: 3 · Soma: R\\$\\s141,81$"))
        for field, typed, option, shown in (
            ("Cliente", "carla", "Carla Cliente", "Total: 1 · Soma: R$ 49,90"),
            ("Produto", "cami", "Camiseta", "Total: 1 · Soma: R$ 71,91"),
            ("Cupom", "nat", "NATAL10", "Total: 1 · Soma: R$ 71,91"),
            ("Assinatura", "carla", "Carla Cliente", "Total: 1 · Soma: R$ 49,90"),
        ):
            await page.get_by_role("button", name="Filtros").click()
            await page.get_by_role("combobox", name=field).fill(typed)
            await page.get_by_role("option", name=option).click()
            await expect(page.get_by_role("combobox", name=field)).to_have_value(option)
            await expect(page.get_by_role("option")).to_have_count(0)
            await assert_sound(visit)
            await page.get_by_role("button", name="Aplicar").click()
            await expect(total).to_have_text(re.compile(re.escape(shown).replace("R\\$\\ ", "R\\$\\s")))
            chip = page.get_by_role("button", name=f"{field}: {option} (remover)")
            await expect(chip).to_be_visible()
            # The dialog has the name again, and the same filter after another one is applied.
            await page.get_by_role("button", name="Filtros (1)").click()
            await expect(page.get_by_role("combobox", name=field)).to_have_value(option)
            await page.get_by_role("button", name="Aplicar").click()
            await expect(total).to_have_text(re.compile("^Total: 1 "))
            await chip.click()
            await expect(total).to_have_text(re.compile("^Total: 3 "))
        await page.get_by_role("button", name="Filtros").click()
        await page.get_by_role("combobox", name="Link de pagamento").fill("rifa")
        await page.get_by_role("option", name="Rifa").click()
        await page.get_by_role("button", name="Aplicar").click()
        await expect(page.get_by_text("Nada encontrado com esta busca e estes filtros.")).to_be_visible()
        await expect(page.get_by_role("button", name="Link de pagamento: Rifa (remover)")).to_be_visible()
        await assert_sound(visit)


async def test_a_search_goes_on_after_a_pause(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/cobrancas")
        field = page.get_by_role("searchbox")
        await field.press_sequentially("maria ")
        await expect(page).to_have_url(f"{panel}/cobrancas?q=maria")
        await field.press_sequentially("silva")
        await expect(page).to_have_url(f"{panel}/cobrancas?q=maria+silva")
        await page.get_by_role("button", name="Limpar filtros").click()
        await expect(field).to_have_value("")


@sizes
async def test_a_pending_charge_is_duplicated_and_read_as_json(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    charge = await merchant.issue(metadata={"pedido": "7"})
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        await page.get_by_text("API", exact=True).click()
        answer = page.locator("pre", has_text='"pixCode"')
        await expect(answer).to_be_visible()
        shown = json.loads(await answer.inner_text())["data"]["charge"]
        assert (shown["txid"], shown["metadata"]) == (charge["txid"], {"pedido": "7"})
        await assert_sound(visit)
        await page.get_by_role("link", name="Duplicar").click()
        await expect(page.get_by_label("Nome do pagador")).to_have_value(charge["customer_name"])
        await page.get_by_role("button", name="Gerar cobrança").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text(charge["customer_name"])
        await expect(page).not_to_have_url(re.compile(charge["id"]))
        listed = (await merchant.api.get("/pix", token=merchant.key)).json()["data"]
        assert [each["amount"] for each in listed] == [charge["amount"]] * 2


async def test_only_what_the_charge_allows_has_a_button(
    panel: str, browser: Browser, merchant: Merchant, services: Services
) -> None:
    charge = await merchant.issue()
    await sql.run(services.database, "update charges set held_at = created_at where id = $1", charge["id"])
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/cobrancas/{charge['id']}")
        simulate = page.get_by_role("button", name="Simular pagamento")
        await expect(simulate).to_be_visible()
        for refused in ("Encerrar", "Enviar por e-mail", "Enviar comprovante"):
            await expect(page.get_by_role("button", name=refused)).to_have_count(0)

        # A late payment of an expired charge.
        lapsed = "update charges set held_at = null, status = 'expired', expires_at = created_at where id = $1"
        await sql.run(services.database, lapsed, charge["id"])
        await page.reload()
        await expect(page.get_by_text("Expirada", exact=True)).to_be_visible()
        await simulate.click()
        await page.get_by_role("button", name="Enviar comprovante").click()
        dialog = page.get_by_role("dialog", name="Enviar comprovante")
        await dialog.get_by_role("button", name="Enviar comprovante").click()
        await expect(dialog).to_contain_text("E-mail a caminho.")
        await expect(page.get_by_role("button", name="Enviar por e-mail")).to_have_count(0)
        visit.assert_clean()
