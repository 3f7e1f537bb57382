"""Subscriptions: create, calendar, failure, pause, cancel, charge, delete."""

import re

from playwright.async_api import Browser, expect

from tests.api_client import VALID_CPF, Merchant
from tests.browser.panel.pages import assert_sound, log_in, opening, sizes
from tests.browser.panel.store import create

BIA = {"name": "Bia Assinante", "email": "bia@example.com", "cpf": VALID_CPF}
DAVI = {"name": "Davi Novo", "email": "davi@example.com", "cpf": "11144477735"}


@sizes
async def test_a_subscription_from_creation_to_deletion(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    await create(merchant, "/customers", BIA)
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/assinaturas")
        await expect(page.get_by_text("Nenhuma assinatura ainda")).to_be_visible()
        await page.get_by_role("link", name="Nova assinatura").click()
        await page.get_by_label("Valor de cada cobrança").fill("4990")
        await page.get_by_label("Cliente cadastrado").fill("bia")
        await page.get_by_role("option", name="Bia Assinante").click()
        await expect(page.get_by_label("E-mail do pagador")).to_have_value("bia@example.com")
        await page.get_by_label("Próxima cobrança").fill("2099-01-31")
        await assert_sound(visit)
        await page.get_by_role("button", name="Criar assinatura").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Bia Assinante")
        calendar = page.get_by_role("region", name="Próximas cobranças")
        await expect(calendar.get_by_role("listitem")).to_have_count(6)
        await expect(calendar).to_contain_text("28/02/2099")
        await assert_sound(visit)

        await page.get_by_role("link", name="Editar").click()
        await page.get_by_label("Descrição").fill("Plano ouro")
        await page.get_by_label("Cobra a cada").select_option("2")
        await expect(page.get_by_label("Intervalo").locator("option:checked")).to_have_text("Meses")
        await assert_sound(visit)
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_text("Plano ouro")).to_be_visible()
        await expect(page.get_by_text("A cada 2 meses")).to_be_visible()
        await expect(calendar).to_contain_text("31/03/2099")
        await expect(calendar).not_to_contain_text("28/02/2099")

        await page.get_by_role("button", name="Pausar").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Pausar assinatura").click()
        await expect(page.get_by_text("Pausada", exact=True)).to_be_visible()
        await expect(page.get_by_text("Nenhuma cobrança prevista.")).to_be_visible()
        await page.get_by_role("button", name="Retomar").click()
        await expect(page.get_by_text("Ativa", exact=True)).to_be_visible()

        await page.get_by_role("button", name="Cobrar agora").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Cobrar agora").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("R\\$\\s49,90 · Bia Assinante"))
        await page.get_by_role("link", name="Plano ouro").click()
        await expect(page.get_by_role("table", name="Cobranças")).to_contain_text("Aguardando")

        await page.get_by_role("button", name="Cancelar assinatura").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Cancelar assinatura").click()
        await expect(page.get_by_text("Cancelada", exact=True)).to_be_visible()
        await page.get_by_role("link", name="Assinaturas").first.click()
        await expect(page.get_by_role("link", name="Bia Assinante")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("link", name="Bia Assinante").click()
        await page.get_by_role("button", name="Excluir").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Excluir assinatura").click()
        await expect(page.get_by_text("Nenhuma assinatura ainda")).to_be_visible()


async def test_another_customer_of_a_subscription_is_its_payer(
    panel: str, browser: Browser, merchant: Merchant
) -> None:
    ids = [await create(merchant, "/customers", customer) for customer in (BIA, DAVI)]
    plan = {"customer_id": ids[0], "amount": 49.9, "interval": "monthly"}
    subscription = await create(merchant, "/subscriptions", plan)
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, f"/assinaturas/{subscription}?editar=1")
        await page.get_by_role("combobox", name="Cliente cadastrado").fill("davi")
        await page.get_by_role("option", name="Davi Novo").click()
        await page.get_by_role("button", name="Salvar").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Davi Novo")
    changed = (await merchant.api.get(f"/subscriptions/{subscription}", token=merchant.key)).json()["data"]
    payer = {field: changed[f"customer_{field}"] for field in ("id", "name", "email", "cpf")}
    assert payer == {"id": ids[1]} | DAVI
