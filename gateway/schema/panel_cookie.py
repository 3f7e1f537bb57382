"""The panel's cookie over HTTP: read it from a request of the panel, and set it in the response.

No other transport reads or sets it. A page of another origin can't send `x-panel` without CORS, and browsers name the
origin in `Sec-Fetch-Site`, older ones in `Origin`.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from gateway.resolvers.core.context import PanelCookie
from gateway.resolvers.sessions.store import MAX_IDLE_REMEMBERED
from gateway.security import is_cookie_value
from gateway.settings import Settings

NAME = "painel_sessao"
PATH = "/graphql"
HEADER = "x-panel"


def read_panel_cookie(headers: Headers, settings: Settings) -> PanelCookie | None:
    """The cookie of a request of the panel; None for any other request."""
    if headers.get(HEADER) != "1" or not _is_same_origin(headers, settings):
        return None
    value = cookie_parser(headers.get("cookie", "")).get(_name(settings), "")
    return PanelCookie(received=value if is_cookie_value(value) else None)


def set_cookie(panel: PanelCookie, settings: Settings) -> str | None:
    """The `Set-Cookie` header of the response, if there is one. A cookie without an age ends with the browser."""
    if panel.value is None:
        return None
    age = int(MAX_IDLE_REMEMBERED.total_seconds()) if panel.value else 0
    parts = [
        f"{_name(settings)}={panel.value}",
        f"Path={PATH}",
        *([f"Max-Age={age}"] if panel.remember or not age else []),
        "HttpOnly",
        "SameSite=Strict",
        *(["Secure"] if _is_https(settings) else []),
    ]
    return "; ".join(parts)


def _is_same_origin(headers: Headers, settings: Settings) -> bool:
    if (site := headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    # A proxy may replace `Host`.
    return origin is None or urlsplit(origin).netloc in {headers.get("host"), urlsplit(settings.base_url).netloc}


def _name(settings: Settings) -> str:
    return f"__Secure-{NAME}" if _is_https(settings) else NAME


def _is_https(settings: Settings) -> bool:
    return settings.base_url.startswith("https://")
