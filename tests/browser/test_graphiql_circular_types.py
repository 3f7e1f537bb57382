"""GraphiQL with the real schema in Chromium: its tabs, run from left to right, end with a paid charge."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.chromium import Visit, served


@pytest.fixture
async def address(settings: Settings, services: Services) -> AsyncIterator[str]:
    async with served(Gateway(settings, services)) as url:
        yield f"{url}/graphql"


async def open_tab(page: Page, operation: str) -> None:
    await page.click(f'.graphiql-tab-button:text-is("{operation}")')


async def run(page: Page, text: str) -> str:
    """Run the open tab; return the result once it contains `text`."""
    await page.click(".graphiql-execute-button")
    result = page.locator(".result-window")
    await expect(result).to_contain_text(text)
    return await result.inner_text()


async def test_the_tabs_create_a_paid_charge(visit: Visit, address: str) -> None:
    page = visit.page
    await page.goto(address)
    await run(page, '"productionStatus": "sandbox"')
    await expect(page.locator("#status")).to_have_text("Sessão iniciada")
    await open_tab(page, "CriarChave")
    await run(page, '"key": "service_test_')
    await open_tab(page, "EmitirCobranca")
    issued = await run(page, '"pixCode": "000201')
    await page.mouse.move(0, 0)
    await visit.picture("graphiql")

    (txid,) = re.findall(r'"txid": "(\w{32})"', issued)
    await open_tab(page, "SimularPagamento")
    await expect(page.locator('section[aria-label="Variables"]')).to_contain_text(txid)
    paid = await run(page, '"status": "paid"')

    assert f'"txid": "{txid}"' in paid
    await open_tab(page, "EmitirCobranca")
    issued = await run(page, '"status": "pending"')
    (another,) = re.findall(r'"txid": "(\w{32})"', issued)
    assert another != txid
    await open_tab(page, "SimularPagamento")
    await expect(page.locator('section[aria-label="Variables"]')).to_contain_text(another)
    visit.assert_clean()


async def test_a_tab_that_runs_while_it_opens_sends_its_own_operation_name(visit: Visit, address: str) -> None:
    page = visit.page
    await page.goto(address)
    await run(page, '"productionStatus": "sandbox"')
    await open_tab(page, "EmitirCobranca")
    await run(page, '"pixCode": "000201')
    await page.evaluate(
        """async () => {
            const tabs = [...document.querySelectorAll(".graphiql-tab-button")];
            tabs.find((tab) => tab.textContent === "SimularPagamento").click();
            const editor = document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror;
            while (!editor.getValue().includes("simulatePayment")) await new Promise(requestAnimationFrame);
            document.querySelector(".graphiql-execute-button").click();
        }"""
    )
    result = page.locator(".result-window")
    await expect(result).to_contain_text('"simulatePayment"')
