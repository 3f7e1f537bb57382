"""Render pages and error pages: the Jinja2 environment, the headers and the static files."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from gateway.checkout import messages_pt
from gateway.checkout.messages_pt import TEXT, ErrorMessage
from gateway.errors import (
    GatewayError,
    InvalidInput,
    LinkUnavailable,
    RateLimited,
    SubaccountMissing,
    SubaccountNotApproved,
)
from gateway.http.static_files import Assets, page_headers
from gateway.values.formatting import format_timestamp, reais, waiting
from gateway.values.money import MINIMUM_CHARGE

HERE = Path(__file__).parent
# The QR code is a data: image in the page, which saves a request. There are no inline scripts or styles.
HEADERS = page_headers(img_src="'self' data:", form_action="'self'") | {"Cache-Control": "private, no-cache"}

assets = Assets(HERE / "assets", "/pay/assets")
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _isolate(text: str) -> Markup:
    """Isolate the text direction of user input within our sentences."""
    return Markup("<bdi>{}</bdi>").format(text)


_templates.filters.update(reais=reais, timestamp=format_timestamp, own=_isolate)
_templates.globals.update(asset=assets.url, t=TEXT)
_ERROR_MESSAGES = {
    400: messages_pt.NOT_FOUND,
    404: messages_pt.NOT_FOUND,
    405: messages_pt.METHOD_NOT_ALLOWED,
    410: messages_pt.LINK_CLOSED,
    413: messages_pt.TOO_LARGE,
    415: messages_pt.UNREADABLE,
    429: messages_pt.TOO_MANY,
    502: messages_pt.ENGINE_DOWN,
}


def render_page(template: str, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> Response:
    html = _templates.get_template(template).render(values)
    return HTMLResponse(html, status, headers=HEADERS | (headers or {}))


def render_error(error: GatewayError, back_link: str | None) -> Response:
    """The page of an error, with the status and headers of its REST response."""
    unavailable = isinstance(error, LinkUnavailable | SubaccountMissing | SubaccountNotApproved)
    message = messages_pt.LINK_UNAVAILABLE if unavailable else _ERROR_MESSAGES.get(error.status, messages_pt.REFUSED)
    wait = waiting(error.reset_seconds) if isinstance(error, RateLimited) else ""
    return _render_error(message, error.status, error.headers, back_link, message=error.message, waiting=wait)


def render_unreadable_form(error: InvalidInput, back_link: str | None) -> Response:
    return _render_error(messages_pt.UNREADABLE, error.status, error.headers, back_link)


def render_below_minimum(status: int, back_link: str | None) -> Response:
    """The page of a link whose price is below the minimum of a charge."""
    return _render_error(messages_pt.LINK_TOO_CHEAP, status, {}, back_link, minimum=reais(MINIMUM_CHARGE))


def render_internal_error(request_id: str, back_link: str | None) -> Response:
    """The page of an unexpected failure. `request_id` finds it in the logs."""
    return _render_error(messages_pt.BROKEN, 500, {}, back_link, code=request_id)


def _render_error(
    text: ErrorMessage, status: int, headers: dict[str, str], back_link: str | None, **values: str
) -> Response:
    message = {
        "is_temporary": text.is_temporary,
        "has_page": text.has_page,
        "title": text.title,
        "body": text.body.format(**values),
        "advice": text.advice.format(**values),
    }
    return render_page("error.html", status, headers, message=message, back_link=back_link)
