"""The start page, the OpenAPI document, its reference page, the guide of the test environment."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway import __version__
from gateway.http.static_files import Fixed
from gateway.rest_compat import reference
from gateway.rest_compat.accept import prefers
from gateway.rest_compat.door import DocumentationPage
from gateway.settings import Settings, within

GUIDE = "/docs/ambiente-de-teste"
COMMITTED = Path(__file__).with_name("openapi.json")

MAX_ADDRESSES = 4
"""Addresses at which a page is kept; a deployment has one or two."""
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


@cache
def _file() -> Response:
    """The committed document (`make schema` writes it, a test compares), as it is."""
    return Fixed(COMMITTED.read_bytes(), "application/json", {"cache-control": "no-cache"})


def own_address(scope: Scope, settings: Settings) -> str:
    """`GATEWAY_BASE_URL` where it names a host of the network; else the host of this request. What a proxy says of it
    counts only if `GATEWAY_TRUSTED_PROXIES` names the proxy.
    """
    if urlsplit(settings.base_url).hostname not in _THIS_MACHINE:
        return settings.base_url
    headers = Headers(scope=scope)
    scheme, host = scope["scheme"], headers.get("host", "")
    if scope.get("client") and within(scope["client"][0], settings.trusted_proxies):
        host = headers.get("x-forwarded-host", host)
        forwarded = headers.get("x-forwarded-proto", scheme)
        scheme = forwarded if forwarded in {"http", "https"} else scheme
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else settings.base_url


class AddressedPage:
    """A drawn page whose examples call the address at which it is read."""

    def __init__(self, path: Path) -> None:
        self._html = path.read_bytes()
        self._by_address: dict[str, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._at(own_address(scope, scope["gateway.context"].settings))(scope, receive, send)

    def _at(self, address: str) -> ASGIApp:
        if address not in self._by_address:
            if len(self._by_address) >= MAX_ADDRESSES:
                self._by_address.clear()
            self._by_address[address] = reference.page_at(address, self._html)
        return self._by_address[address]


@cache
def _reference() -> ASGIApp:
    return AddressedPage(reference.REFERENCE)


@cache
def _guide() -> ASGIApp:
    return AddressedPage(reference.GUIDE)


async def _start(scope: Scope, receive: Receive, send: Send) -> None:
    """What this is and where it leads on: a page in a browser, JSON for a program."""
    settings = scope["gateway.context"].settings
    if prefers(Headers(scope=scope).get("accept", ""), "text/html"):
        answer: Response = reference.start_page(graphiql=settings.graphiql)
    else:
        at = own_address(scope, settings)
        paths = {"openapi": "/openapi.json", "docs": "/docs", "graphql": "/graphql", "health": "/health"}
        links = {name: f"{at}{path}" for name, path in paths.items()}
        answer = JSONResponse({"data": {"name": "Pix Gateway", "version": __version__, **links}})
    answer.headers["Vary"] = "Accept, Accept-Encoding"
    await answer(scope, receive, send)


def _redirect() -> Response:
    return RedirectResponse(GUIDE, status_code=302)


DOCUMENTATION = [
    DocumentationPage("/", lambda: _start),
    DocumentationPage("/openapi.json", _file),
    DocumentationPage("/docs", _reference),
    DocumentationPage(GUIDE, _guide),
    DocumentationPage("/devmode", _redirect),
]
