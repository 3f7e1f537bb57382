"""The start page, the OpenAPI document, its reference at `/docs`, and the guide of the test environment.

`make schema` renders the reference and the guide (`scripts/reference_page`).
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from markupsafe import escape
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from gateway import __version__
from gateway.http.static_files import Assets, StaticResponse, page_headers, page_templates
from gateway.rest_compat.app import DocumentationPage
from gateway.rest_compat.envelope import prefers
from gateway.settings import Settings, within

GUIDE = "/docs/ambiente-de-teste"
COMMITTED = Path(__file__).with_name("openapi.json")

MAX_PAGES = 8
"""Cached pages: two, each with the addresses of this deployment."""
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


FOLDER = Path(__file__).with_name("reference")
REFERENCE = FOLDER / "reference.html"
GUIDE_PAGE = FOLDER / "guide.html"
ORIGIN = "http://127.0.0.1:8000"
"""The address in the examples of a rendered page, which is replaced."""
ASSETS_PATH = "/docs/assets"
HEADERS = page_headers()
ASSETS = Assets(FOLDER / "assets", ASSETS_PATH)


def page_at(address: str, html: bytes) -> StaticResponse:
    """A rendered page whose examples call this address."""
    return StaticResponse(html.replace(ORIGIN.encode(), escape(address).encode()), "text/html", HEADERS)


@cache
def _start_page(*, graphiql: bool) -> str:
    return page_templates(FOLDER).get_template("start.html").render(asset=ASSETS.url, graphiql=graphiql)


def assets() -> Mount:
    """The files of the pages, under `/docs/assets/{version}/…`."""
    return Mount(ASSETS_PATH, app=ASSETS)


@cache
def _file() -> Response:
    """The committed document."""
    return StaticResponse(COMMITTED.read_bytes(), "application/json", {"cache-control": "no-cache"})


def request_origin(scope: Scope, settings: Settings) -> str:
    """`GATEWAY_BASE_URL`, unless it is loopback; then the host of the request, which a trusted proxy may set."""
    if urlsplit(settings.base_url).hostname not in _LOOPBACK:
        return settings.base_url
    headers = Headers(scope=scope)
    scheme, host = scope["scheme"], headers.get("host", "")
    if scope.get("client") and within(scope["client"][0], settings.trusted_proxies):
        host = headers.get("x-forwarded-host", host)
        forwarded = headers.get("x-forwarded-proto", scheme)
        scheme = forwarded if forwarded in {"http", "https"} else scheme
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else settings.base_url


class AddressedPage(Struct, frozen=True):
    """A rendered page whose examples call the address of the request."""

    path: Path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = _read_page(self.path, request_origin(scope, scope["gateway.context"].settings))
        await response(scope, receive, send)


@lru_cache(MAX_PAGES)
def _read_page(path: Path, address: str) -> StaticResponse:
    return page_at(address, path.read_bytes())


async def _start(scope: Scope, receive: Receive, send: Send) -> None:
    """The start page: HTML for browsers, JSON for programs."""
    settings = scope["gateway.context"].settings
    if prefers(Headers(scope=scope).get("accept", ""), "text/html"):
        if settings.panel:
            response: Response = RedirectResponse("/painel", 302, headers={"Cache-Control": "no-cache"})
        else:
            response = HTMLResponse(_start_page(graphiql=settings.graphiql), headers=HEADERS)
    else:
        at = request_origin(scope, settings)
        paths = {"openapi": "/openapi.json", "docs": "/docs", "graphql": "/graphql", "health": "/health"}
        links = {name: f"{at}{path}" for name, path in paths.items()}
        response = JSONResponse({"data": {"name": "Pix Gateway", "version": __version__, **links}})
    response.headers["Vary"] = "Accept, Accept-Encoding"
    await response(scope, receive, send)


DOCUMENTATION = [
    DocumentationPage("/", lambda: _start),
    DocumentationPage("/openapi.json", _file),
    DocumentationPage("/docs", lambda: AddressedPage(REFERENCE)),
    DocumentationPage(GUIDE, lambda: AddressedPage(GUIDE_PAGE)),
    DocumentationPage("/devmode", lambda: RedirectResponse(GUIDE, 302)),
]
