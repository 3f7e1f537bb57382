"""Pages and files beside the API: the start page, the OpenAPI document, the reference drawn from it, the guide of the
test environment.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

import orjson
from markupsafe import escape
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway import __version__
from gateway.assets import Fixed
from gateway.rest_compat import reference
from gateway.rest_compat.accept import prefers
from gateway.rest_compat.door import DocumentationPage
from gateway.rest_compat.reference.requests import ORIGIN
from gateway.settings import Settings, within

GUIDE = "/docs/ambiente-de-teste"
COMMITTED = Path(__file__).with_name("openapi.json")


MAX_ADDRESSES = 4
"""Addresses at which a page is kept; a deployment has one or two."""
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
_DRAWING = Lock()


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
    """A page of ours in whose examples the address is the one at which it is read, instead of `placeholder`."""

    def __init__(self, draw: Callable[[], Response], placeholder: str) -> None:
        self._page = draw()
        self._placeholder = placeholder.encode()
        self._by_address: dict[str, Fixed] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._at(own_address(scope, scope["gateway.context"].settings))(scope, receive, send)

    def _at(self, address: str) -> Fixed:
        if address not in self._by_address:
            if len(self._by_address) >= MAX_ADDRESSES:
                self._by_address.clear()
            body = bytes(self._page.body).replace(self._placeholder, escape(address).encode())
            self._by_address[address] = Fixed(body, "text/html", reference.HEADERS)
        return self._by_address[address]


@cache
def _addressed_reference() -> ASGIApp:
    return AddressedPage(_reference, ORIGIN)


@cache
def _addressed_guide() -> ASGIApp:
    return AddressedPage(reference.guide, "http://127.0.0.1:8000")


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


def _reference() -> Response:
    with _DRAWING:  # It takes seconds: who asks meanwhile waits for this drawing instead of beginning another.
        return _drawn()


@cache
def _drawn() -> Response:
    return reference.page(orjson.loads(COMMITTED.read_bytes()))


def _redirect() -> Response:
    return RedirectResponse(GUIDE, status_code=302)


DOCUMENTATION = [
    DocumentationPage("/", lambda: _start),
    DocumentationPage("/openapi.json", _file),
    DocumentationPage("/docs", _addressed_reference),
    DocumentationPage(GUIDE, _addressed_guide),
    DocumentationPage("/devmode", _redirect),
]
