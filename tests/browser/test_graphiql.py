"""GraphiQL in a real Chromium: it renders, runs an example, stores the session, and loads nothing from elsewhere."""

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
from tests.browser.store_schema import schema
from tests.chromium import Visit, served, visiting


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


PANES = ("docExplorer", "editor", "secondaryEditor")


async def run(page: Page) -> None:
    await page.click(".graphiql-execute-button")


async def open_tab(page: Page) -> None:
    """Open a new tab with an operation; GraphiQL parses it and names the tab after it."""
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


async def test_the_session_of_a_response_is_used_in_other_tabs_and_after_a_reload(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await run(visit.page)
    await expect(visit.page.locator("#status")).to_have_text("Sessão iniciada")

    await visit.page.reload()
    await open_tab(visit.page)
    await run(visit.page)

    await expect(visit.page.locator(".result-window")).to_contain_text("Bearer eyJ.sessao.de.teste")
    visit.assert_clean()


async def test_the_headers_editor_of_a_tab_overrides_the_credential_bar(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.fill("#credential", "service_test_da_barra")
    await open_tab(visit.page)
    await visit.page.click("text=Headers")
    await visit.page.click(".graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror")
    await visit.page.keyboard.insert_text('{"authorization": "Bearer service_test_da_aba"}')
    await run(visit.page)

    await expect(visit.page.locator(".result-window")).to_contain_text("Bearer service_test_da_aba")
    visit.assert_clean()


async def test_a_small_dark_screen_shows_the_bar_in_the_editor_s_colours(browser: Browser, address: str) -> None:
    async with visiting(browser, viewport={"width": 320, "height": 640}, color_scheme="dark") as visit:
        await visit.page.goto(address)
        await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))

        within = "[...document.querySelectorAll('.bar *')].every((each) => each.getBoundingClientRect().right <= 320)"
        assert await visit.page.evaluate(within)
        ground = "(which) => getComputedStyle(document.querySelector(which)).backgroundColor"
        bar = await visit.page.evaluate(ground, ".bar")
        assert bar == await visit.page.evaluate(ground, ".graphiql-container")


@pytest.mark.parametrize("dialog", ["Open settings dialog", "Open short keys dialog"])
async def test_the_dialogs_violate_no_content_security_policy(visit: Visit, address: str, dialog: str) -> None:
    await visit.page.goto(address)
    await visit.page.click(f'[aria-label="{dialog}"]')

    await expect(visit.page.locator(".graphiql-dialog")).to_be_visible()
    upstream = "Missing `Description` or `aria-describedby={undefined}` for {DialogContent}"
    assert [message for message in visit.complaints if upstream not in message] == []
    assert visit.foreign == []


@pytest.mark.parametrize("again", ["the button", "a reload"])
async def test_the_examples_are_restored(visit: Visit, address: str, again: str) -> None:
    await visit.page.goto(address)
    await open_tab(visit.page)
    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()) + 1)

    await (visit.page.click("#restore") if again == "the button" else visit.page.reload())

    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))
    visit.assert_clean()


async def test_only_the_session_is_stored(visit: Visit, address: str) -> None:
    """The session lasts until the browser's tab is closed."""
    await visit.page.goto(address)
    await visit.page.click('section[aria-label="Variables"] .CodeMirror')
    await visit.page.keyboard.press("Control+A")
    form = {"name": "M", "email": "m@loja.example", "password": "uma senha secreta", "cnpj": "11.222.333/0001-81"}
    await visit.page.keyboard.insert_text(json.dumps({"dados": form}))
    await run(visit.page)
    await expect(visit.page.locator("#status")).to_have_text("Sessão iniciada")
    await open_tab(visit.page)
    await asyncio.sleep(1)  # GraphiQL stores after half a second.

    local = json.loads(await visit.page.evaluate("JSON.stringify(localStorage)"))
    assert set(local) <= {"graphiql:theme", *(f"graphiql:{pane}Flex" for pane in PANES)}
    session = json.loads(await visit.page.evaluate("JSON.stringify(sessionStorage)"))
    assert list(session) == ["gateway:credential"]
    visit.assert_clean()


async def test_data_of_an_older_page_is_removed(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.evaluate("localStorage.setItem('graphiql:variables', 'uma senha secreta')")

    await visit.page.reload()

    await expect(visit.page.locator(".graphiql-tab")).to_have_count(len(graphiql.examples()))
    assert "secreta" not in await visit.page.evaluate("JSON.stringify(localStorage)")


def test_each_example_names_its_tab_and_its_variables_are_json() -> None:
    for example in graphiql.examples():
        assert example.title
        assert example.query.startswith(f"# {example.title}\n")
        assert not example.variables or isinstance(json.loads(example.variables), dict)


def test_the_policy_forbids_inline_code() -> None:
    policy = graphiql.page().headers["content-security-policy"]

    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
