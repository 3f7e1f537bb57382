"""The panel's page, its files and their size."""

import gzip
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.panel.app import ENTRY, HERE, Chunk, chunks_of, read_manifest
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api_client import Api

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
ASSETS = HERE / "assets"
SOURCES = Path(__file__).parents[2] / "panel" / "src"
FRAME, LOGIN = "src/frame/Frame.tsx", ENTRY
MANIFEST = read_manifest(ASSETS)
ROUTES = [
    name for name, chunk in MANIFEST.items() if name.startswith("src/") and name.endswith(".tsx") and name != ENTRY
]
KIB = 1024


def script_kib(chunks: Iterable[Chunk]) -> float:
    files = {chunk.file for chunk in chunks}
    return sum(len(gzip.compress((ASSETS / file).read_bytes(), 9)) for file in files) / KIB


@pytest.mark.parametrize("path", ["/painel", "/painel/", "/painel/entrar", "/painel/cobrancas/019aa000?x=1"])
async def test_each_path_shows_the_page(api: Api, path: str) -> None:
    page = await api.get(path, accept=BROWSER)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-cache"
    assert 'lang="pt-BR"' in page.text
    assert "<noscript>" in page.text


async def test_an_empty_list_leads_to_its_part_of_the_documentation(api: Api) -> None:
    sources = [file.read_text() for file in SOURCES.rglob("*.tsx")]
    parts = {part for source in sources for part in re.findall(r"docs: '([^']+)'", source)}
    reference = (await api.get("/docs", accept=BROWSER)).text
    assert len(parts) >= 10
    assert {part for part in parts if f'id="{part}"' not in reference} == set()


async def test_the_policy_is_strict(api: Api) -> None:
    headers = (await api.get("/painel")).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert policy["trusted-types"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"


async def test_its_files_are_immutable_and_its_own(api: Api) -> None:
    page = (await api.get("/painel")).text
    found = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(found) >= 4
    for address in found:
        assert not urlsplit(address).netloc
        answer = await api.get(address)
        assert answer.status_code == 200, address
        assert "immutable" in answer.headers["cache-control"]
        assert re.search(r"-[\w-]{8}\.\w+$", address), "its name has a hash"
    assert "<script>" not in page
    assert "<style" not in page


async def test_a_file_of_another_release_is_missing(api: Api) -> None:
    for path in ("/painel/assets/main-00000000.js", "/painel/assets/", "/painel/assets/page.html"):
        assert (await api.get(path)).status_code == 404


async def test_the_page_is_only_read(api: Api) -> None:
    answer = await api.post("/painel", {})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


async def test_the_start_page_leads_a_browser_there(api: Api) -> None:
    answer = await api.get("/", accept=BROWSER)
    assert (answer.status_code, answer.headers["location"]) == (302, "/painel")
    assert "Accept" in answer.headers["vary"]


async def test_without_the_panel(settings: Settings, services: Services) -> None:
    own = settings.model_copy(update={"panel": False})
    async with Api.of(Gateway(own, replace(services, settings=own))) as api:
        assert (await api.get("/painel")).status_code == 404
        start = await api.get("/", accept=BROWSER)
        assert start.status_code == 200
        assert "/painel" not in start.text


def test_the_login_fits_its_budget() -> None:
    assert script_kib(chunks_of(MANIFEST, LOGIN)) <= 125


def test_entry_and_frame_fit_their_budget() -> None:
    assert script_kib(chunks_of(MANIFEST, ENTRY, FRAME)) <= 160


@pytest.mark.parametrize("route", ROUTES)
def test_a_route_fits_its_budget(route: str) -> None:
    frame = {chunk.file for chunk in chunks_of(MANIFEST, ENTRY, FRAME)}
    assert script_kib(chunk for chunk in chunks_of(MANIFEST, route) if chunk.file not in frame) <= 40


def test_all_styles_fit_their_budget() -> None:
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in ASSETS.glob("*.css")) / KIB <= 15


def test_there_is_no_font_and_one_image() -> None:
    assert {path.suffix for path in ASSETS.iterdir()} == {".css", ".js", ".json", ".svg", ".txt"}
    assert len(list(ASSETS.glob("*.svg"))) == 1


def test_the_licences_of_the_bundled_packages_are_included() -> None:
    licences = (ASSETS / "licences.txt").read_text()
    for package in ("react", "react-dom", "@base-ui/react", "@tanstack/react-query", "@tanstack/react-router"):
        assert f"## {package} - " in licences
