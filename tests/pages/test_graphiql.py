"""GraphiQL in a real Chromium: it renders, runs an example, keeps the credential, and asks nothing of anybody else."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from strawberry.asgi import GraphQL

from gateway.schema import graphiql
from tests.browser import Visit, served, visiting
from tests.pages.store_schema import schema


async def open_graphiql(request: Request) -> Response:
    return graphiql.page()


@pytest.fixture(scope="module")
async def address() -> AsyncIterator[str]:
    view = GraphQL(schema, graphql_ide=None)
    routes = [
        Route("/graphql", open_graphiql, methods=["GET"]),
        graphiql.assets(),
        Route("/graphql", view, methods=["POST"]),
    ]
    async with served(Starlette(routes=routes)) as url:
        yield f"{url}/graphql"


async def run(page: Page) -> None:
    await page.click(".graphiql-execute-button")


async def open_tab(page: Page) -> None:
    """A new tab with an operation of our own; its name reaches the tab once GraphiQL has parsed it."""
    await expect(page.locator('[aria-label="New tab"]')).to_be_visible()
    before = await page.locator(".graphiql-tab").count()
    await page.click('[aria-label="New tab"]')
    await expect(page.locator(".graphiql-tab")).to_have_count(before + 1)
    await page.click(".graphiql-query-editor")
    await page.keyboard.insert_text("query Minha { authorization }")
    await expect(page.locator(".graphiql-tab").last).to_contain_text("Minha")


async def test_it_opens_with_one_tab_for_each_example(visit: Visit, address: str) -> None:
    await visit.page.goto(address)

    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))
    await expect(visit.page.locator(".graphiql-query-editor")).to_contain_text(graphiql.examples()[0].title)
    await expect(visit.page.locator('section[aria-label="Variables"]')).to_contain_text("maria@loja.example")
    visit.assert_clean()


async def test_an_example_runs_and_shows_its_result(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await run(visit.page)

    await expect(visit.page.locator(".result-window")).to_contain_text('"productionStatus": "sandbox"')
    visit.assert_clean()


async def test_the_session_of_the_answer_serves_the_other_tabs_and_survives_a_reload(
    visit: Visit, address: str
) -> None:
    await visit.page.goto(address)
    await run(visit.page)
    await expect(visit.page.locator("#status")).to_have_text("Sessão iniciada")

    await visit.page.reload()
    await open_tab(visit.page)
    await run(visit.page)

    await expect(visit.page.locator(".result-window")).to_contain_text("Bearer eyJ.sessao.de.teste")
    visit.assert_clean()


async def test_the_headers_editor_of_a_tab_wins_over_the_bar(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.fill("#credential", "service_test_da_barra")
    await open_tab(visit.page)
    await visit.page.click("text=Headers")
    await visit.page.click(".graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror")
    await visit.page.keyboard.insert_text('{"authorization": "Bearer service_test_da_aba"}')
    await run(visit.page)

    await expect(visit.page.locator(".result-window")).to_contain_text("Bearer service_test_da_aba")
    visit.assert_clean()


KEPT = """(text) => {
  const kept = (name) => localStorage[`graphiql:${name}`] ?? "";
  const { tabs } = JSON.parse(kept("tabState") || '{"tabs": []}');
  const open = ({ query, variables }) => (query ?? "") === kept("query") && (variables ?? "") === kept("variables");
  return kept("query").includes(text) && tabs.some(open);
}"""


async def stored(page: Page, text: str) -> None:
    """GraphiQL writes its tabs half a second late, and what the open one holds once more, each at a time of its own; if
    these differ at a reload it opens one more tab. Playwright's own wait evaluates strings, which the policy forbids.
    """
    async with asyncio.timeout(45):
        while not await page.evaluate(KEPT, text):  # noqa: ASYNC110 -- the event is in the browser
            await asyncio.sleep(0.05)


async def test_a_small_dark_screen_holds_the_bar_in_the_editor_s_colours(browser: Browser, address: str) -> None:
    async with visiting(browser, viewport={"width": 320, "height": 640}, color_scheme="dark") as visit:
        await visit.page.goto(address)
        await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))

        within = "[...document.querySelectorAll('.bar *')].every((each) => each.getBoundingClientRect().right <= 320)"
        assert await visit.page.evaluate(within)
        ground = "(which) => getComputedStyle(document.querySelector(which)).backgroundColor"
        bar = await visit.page.evaluate(ground, ".bar")
        assert bar == await visit.page.evaluate(ground, ".graphiql-container")


@pytest.mark.parametrize("dialog", ["Open settings dialog", "Open short keys dialog"])
async def test_the_dialogs_break_no_policy(visit: Visit, address: str, dialog: str) -> None:
    await visit.page.goto(address)
    await visit.page.click(f'[aria-label="{dialog}"]')

    await expect(visit.page.locator(".graphiql-dialog")).to_be_visible()
    upstream = "Missing `Description` or `aria-describedby={undefined}` for {DialogContent}"
    assert [said for said in visit.complaints if upstream not in said] == []
    assert visit.foreign == []


async def test_restoring_brings_the_examples_back(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await open_tab(visit.page)
    await stored(visit.page, "Minha")
    await visit.page.reload()
    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()) + 1)

    await visit.page.click("#restore")

    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))
    visit.assert_clean()


def test_each_example_names_its_tab_and_its_variables_are_json() -> None:
    for example in graphiql.examples():
        assert example.title
        assert example.query.startswith(f"# {example.title}\n")
        assert not example.variables or isinstance(json.loads(example.variables), dict)


def test_the_page_allows_nothing_inline() -> None:
    policy = graphiql.page().headers["content-security-policy"]

    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
