"""The API reference: its model of OpenAPI 3.1, and its behaviour in a real Chromium."""

import ast
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gateway.rest_compat.documentation import COMMITTED, GUIDE_PAGE, REFERENCE, assets, page_at
from scripts.reference_page.document import Operation, outline
from scripts.reference_page.pages import guide_page, reference_page
from scripts.reference_page.requests import SampleRequest, curl, literal, samples
from scripts.reference_page.schemas import Document, sample, shape
from scripts.reference_page.text import code, markdown
from tests.browser.checkout.shop import accessibility_violations
from tests.chromium import Visit, served, visiting

OPENAPI: dict[str, Any] = json.loads((Path(__file__).parent / "openapi.json").read_text())
CHARGE = {"$ref": "#/components/schemas/Charge"}


@pytest.fixture(scope="module")
def document() -> Document:
    return Document(OPENAPI)


@pytest.fixture(scope="module")
def operations(document: Document) -> dict[str, Operation]:
    drawn = outline(document)
    return {each.anchor: each for group in drawn.groups for each in group.operations} | {
        each.anchor: each for each in drawn.events
    }


async def docs(request: Request) -> Response:
    return page_at(f"http://{request.headers['host']}", reference_page(OPENAPI).encode())


async def product(request: Request) -> Response:
    return page_at(f"http://{request.headers['host']}", REFERENCE.read_bytes())


async def guide(request: Request) -> Response:
    return page_at(f"http://{request.headers['host']}", GUIDE_PAGE.read_bytes())


async def openapi(request: Request) -> Response:
    return JSONResponse(OPENAPI)


async def issue(request: Request) -> Response:
    body = await request.json()
    return JSONResponse({"data": {"received": body, "authorization": request.headers["authorization"]}}, 201)


@pytest.fixture(scope="module")
async def address() -> AsyncIterator[str]:
    routes = [
        Route("/docs", docs),
        Route("/docs/product", product),
        Route("/docs/guide", guide),
        Route("/openapi.json", openapi),
        Route("/pix", issue, methods=["POST"]),
        assets(),
    ]
    async with served(Starlette(routes=routes)) as url:
        yield f"{url}/docs"


async def test_the_page_shows_each_operation(visit: Visit, address: str, operations: dict[str, Operation]) -> None:
    await visit.page.goto(address)

    await expect(visit.page.locator("h1")).to_have_text("Pix Gateway")
    for anchor in operations:
        await expect(visit.page.locator(f"article#{anchor}")).to_have_count(1)
    await visit.picture("reference")
    visit.assert_clean()


async def test_every_internal_link_has_a_target(visit: Visit, address: str) -> None:
    await visit.page.goto(address)

    broken = await visit.page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => decodeURIComponent(a.hash.slice(1)))"
        ".filter((id) => !document.getElementById(id))"
    )
    ids = await visit.page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")

    assert broken == []
    assert len(ids) == len(set(ids))


async def test_an_operation_is_linked_directly_and_marked_in_the_index(visit: Visit, address: str) -> None:
    await visit.page.goto(f"{address}#post-pix")

    await expect(visit.page.locator("article#post-pix h3")).to_be_in_viewport()
    await expect(visit.page.locator('.index a[href="#post-pix"]')).to_have_attribute("aria-current", "true")
    await visit.picture("reference-operation")
    visit.assert_clean()


async def test_an_error_s_fields_are_rendered_once(visit: Visit, address: str) -> None:
    await visit.page.goto(f"{address}/product")
    refused = visit.page.locator("details.answer", has=visit.page.locator(".s4")).first
    await refused.locator("summary").click()
    await expect(refused.locator("dl")).to_have_count(0)
    model = visit.page.locator(str(await refused.locator("a.type").get_attribute("href")))
    await refused.locator("a.type").click()

    await expect(model.locator("h3")).to_be_in_viewport()
    await expect(model.locator("dl.fields")).not_to_have_count(0)
    visit.assert_clean()


async def test_the_filter_ignores_accents(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.keyboard.press("/")
    await visit.page.keyboard.type("emitir cobranca")

    await expect(visit.page.locator(".index li:visible")).to_have_count(1)
    await visit.page.fill("#filter", "nada disso")
    await expect(visit.page.locator(".nothing")).to_be_visible()
    visit.assert_clean()


async def test_the_language_is_selected_for_the_whole_page(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.locator('button[data-language="Python"]').first.click()
    await visit.page.reload()

    await expect(visit.page.locator('#post-pix pre[data-language="Python"]')).to_be_visible()
    await expect(visit.page.locator('#post-pix pre[data-language="curl"]')).to_be_hidden()
    await expect(visit.page.locator('#post-pix pre[data-language="Python"]')).to_contain_text(
        address.rpartition("/")[0]
    )
    visit.assert_clean()


async def test_an_operation_is_sent_with_the_credential(visit: Visit, address: str) -> None:
    await visit.page.goto(address)
    await visit.page.fill("#credential", "service_test_abc")
    await visit.page.click("#post-pix .try summary")
    await visit.page.click("#post-pix .try button")

    answered = visit.page.locator("#post-pix .answered")
    await expect(answered).to_contain_text("201")
    await expect(answered).to_contain_text('"authorization": "Bearer service_test_abc"')
    await expect(answered).to_contain_text('"description": "Pedido 1042"')
    visit.assert_clean()


@pytest.mark.parametrize("options", [{"java_script_enabled": False}, {"viewport": {"width": 390, "height": 844}}])
async def test_it_is_readable_without_javascript_and_on_a_phone(
    browser: Browser, address: str, options: dict[str, Any]
) -> None:
    async with visiting(browser, **options) as visit:
        await visit.page.goto(f"{address}#post-pix")

        await expect(visit.page.locator("article#post-pix h3")).to_be_in_viewport()
        await expect(visit.page.locator('#post-pix pre[data-language="curl"]')).to_be_visible()
        visit.assert_clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_there_is_no_accessibility_violation(browser: Browser, address: str, scheme: str) -> None:
    async with visiting(browser, color_scheme=scheme) as visit:
        for path in (address, f"{address}/guide"):
            await visit.page.goto(path)
            assert await accessibility_violations(visit.page) == []


@pytest.mark.parametrize("path", ["product", "guide"])
async def test_it_fits_320_pixels(browser: Browser, address: str, path: str) -> None:
    async with visiting(browser, viewport={"width": 320, "height": 640}) as visit:
        await visit.page.goto(f"{address}/{path}")

        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 320
        visit.assert_clean()


def test_the_committed_pages_are_up_to_date() -> None:
    assert REFERENCE.read_text() == reference_page(json.loads(COMMITTED.read_bytes())), "run `make schema`"
    assert GUIDE_PAGE.read_text() == guide_page(), "run `make schema`"


def test_the_policy_forbids_inline_code() -> None:
    assert "unsafe" not in page_at("http://gateway.test", b"").headers["content-security-policy"]


def test_a_minimal_document_is_rendered() -> None:
    assert "Mínimo" in reference_page({"openapi": "3.1.0", "info": {"title": "Mínimo", "version": "1"}})


def test_a_recursive_model_ends(document: Document) -> None:
    fields = {field.name: field.shape for field in shape(document, CHARGE).fields}

    assert fields["refunds"].label == "lista de Charge"
    assert fields["refunds"].fields == ()
    assert sample(document, CHARGE)["refunds"] == []


def test_all_of_is_merged_and_null_makes_a_type_nullable(document: Document) -> None:
    fields = {field.name: field for field in shape(document, {"$ref": "#/components/schemas/IssueChargeManual"}).fields}

    assert fields["customer_name"].required
    assert not fields["customer_phone"].required
    assert fields["customer_phone"].shape.nullable
    assert fields["customer_phone"].shape.label == "string"
    assert fields["amount"].shape.notes == ("mínimo 5", "máximo 9999999.99")


def test_an_operation_is_public_only_if_declared(operations: dict[str, Operation]) -> None:
    assert not operations["post-auth-register"].secured
    assert operations["post-pix"].secured
    assert "Authorization" not in operations["post-auth-register"].samples["curl"]


def test_the_samples_are_valid_requests(operations: dict[str, Operation]) -> None:
    samples_by_language = operations["post-pix"].samples

    assert list(samples_by_language) == ["curl", "Python", "JavaScript"]
    assert '-H "Authorization: Bearer $CHAVE"' in samples_by_language["curl"]
    compile(samples_by_language["Python"], "sample", "exec")
    assert "JSON.stringify({" in samples_by_language["JavaScript"]
    assert "/pix/8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10" in operations["get-pix-id"].samples["curl"]


def test_json_is_converted_to_python() -> None:
    value = {"a": True, "b": None, "c": ["d\n\"'", 1.5, {}], "e": {"f": False}}

    assert ast.literal_eval(literal(value)) == value


def test_curl_escapes_apostrophes_and_sends_forms() -> None:
    quoted = SampleRequest("POST", "/pix", {}, {"description": "Copo d'água"})
    form = SampleRequest("POST", "/production/documents", {}, form=(("type", "proof_of_address"), ("file", "@arquivo")))

    assert r"d'\''água" in curl(quoted)
    assert samples(form) == {
        "curl": 'curl "http://127.0.0.1:8000/production/documents" \\\n  -F "type=proof_of_address" \\\n  -F "file=@arquivo"'
    }


def test_html_in_descriptions_is_escaped() -> None:
    assert "<script>" not in markdown("<script>alert(1)</script> [x](javascript:alert(1))")
    assert "href" not in markdown("[x](javascript:alert(1))")
    assert code('{"<b>": "<i>"}') == (
        '{<span class="t-key">&#34;&lt;b&gt;&#34;</span>: <span class="t-string">&#34;&lt;i&gt;&#34;</span>}'
    )
