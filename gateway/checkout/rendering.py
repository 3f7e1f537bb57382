"""Render pages and error pages: the Jinja2 environment, the headers and the static files."""

from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from gateway.checkout import messages_pt
from gateway.checkout.messages_pt import TEXT, ErrorMessage
from gateway.errors import (
    GatewayError,
    LinkUnavailable,
    RateLimited,
    SubaccountMissing,
    SubaccountNotApproved,
)
from gateway.http.static_files import Assets, page_headers, page_templates
from gateway.values.formatting import format_timestamp, reais, waiting

HERE = Path(__file__).parent
# The QR code is a data: image in the page, which saves a request. There are no inline scripts or styles.
HEADERS = page_headers(img_src="'self' data:", form_action="'self'") | {"Cache-Control": "private, no-cache"}

assets = Assets(HERE / "assets", "/pay/assets")
_templates = page_templates(HERE / "templates")


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
    return render_message(message, error.status, back_link, error.headers, message=error.message, waiting=wait)


def render_message(
    text: ErrorMessage, status: int, back_link: str | None, headers: dict[str, str] | None = None, **values: str
) -> Response:
    """The page of an error message. `values` fill its placeholders."""
    message = {
        "is_temporary": text.is_temporary,
        "has_page": text.has_page,
        "title": text.title,
        "body": text.body.format(**values),
        "advice": text.advice.format(**values),
    }
    return render_page("error.html", status, headers, message=message, back_link=back_link)
