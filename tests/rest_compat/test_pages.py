"""The start page, and the base URL in pages."""

from ipaddress import ip_network

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api_client import Api

GUIDE = "/docs/ambiente-de-teste"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


async def test_without_the_panel_a_browser_gets_a_page_that_leads_on(settings: Settings, services: Services) -> None:
    own = settings.model_copy(update={"panel": False})
    async with Api.of(Gateway(own, replace(services, settings=own))) as api:
        for path in ("/", "//"):
            page = await api.get(path, accept=BROWSER)
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert "Accept" in page.headers["vary"]
        for link in ("/docs", GUIDE, "/graphql", "/health", "/openapi.json"):
            assert f'href="{link}"' in page.text
        style = page.text.split('rel="stylesheet" href="')[1].split('"')[0]
        assert (await api.get(style)).headers["content-type"] == "text/css; charset=utf-8"


async def test_a_program_gets_a_description(api: Api) -> None:
    for accept in ("*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0, */*"):
        answer = await api.get("/", accept=accept)
        assert answer.status_code == 200
        assert answer.json()["data"] == {
            "name": "Pix Gateway",
            "version": "2.0.0",
            "openapi": "http://gateway.test/openapi.json",
            "docs": "http://gateway.test/docs",
            "graphql": "http://gateway.test/graphql",
            "health": "http://gateway.test/health",
        }


@pytest.mark.parametrize(
    ("base_url", "headers", "trusted", "expected"),
    [
        ("https://pix.example.com", {"host": "10.0.0.5:8000"}, "", "https://pix.example.com"),
        ("http://127.0.0.1:8000", {"host": "192.168.0.7:8407"}, "", "http://192.168.0.7:8407"),
        ("http://127.0.0.1:8000", {"host": "[::1]:9000"}, "", "http://[::1]:9000"),
        ("http://127.0.0.1:8000", {"host": "x.example", "x-forwarded-proto": "https"}, "", "http://x.example"),
        ("http://127.0.0.1:8000", {"host": "x.example", "x-forwarded-host": "evil.example"}, "", "http://x.example"),
        (
            "http://127.0.0.1:8000",
            {"host": "x.example", "x-forwarded-proto": "https", "x-forwarded-host": "pix.example"},
            "127.0.0.0/8",
            "https://pix.example",
        ),
        ("http://127.0.0.1:8000", {"host": '"><script>'}, "", "http://127.0.0.1:8000"),
    ],
)
async def test_pages_have_the_base_url_of_the_request(
    settings: Settings, services: Services, base_url: str, headers: dict[str, str], trusted: str, expected: str
) -> None:
    networks = (ip_network(trusted),) if trusted else ()
    own = settings.model_copy(update={"base_url": base_url, "trusted_proxies": networks})
    async with Api.of(Gateway(own, replace(services, settings=own))) as api:
        guide = (await api.client.get(GUIDE, headers=headers)).text
        assert f"export URL={expected} PORTA=8200" in guide
        assert f"{expected}/pix" in (await api.client.get("/docs", headers=headers)).text
        described = await api.client.get("/", headers=headers)
        assert described.json()["data"]["docs"] == f"{expected}/docs"
