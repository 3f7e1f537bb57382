"""Templates to answers: the pages' Jinja2 environment, their headers and their files."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from gateway.checkout.wording import TEXT
from gateway.http.static_files import Assets, page_headers
from gateway.values.formatting import moment, reais

HERE = Path(__file__).parent
# The QR code comes inside the page as a data: image, so that it costs no second request. Nothing is ever inline.
HEADERS = page_headers(img_src="'self' data:", form_action="'self'") | {"Cache-Control": "private, no-cache"}

assets = Assets(HERE / "assets", "/pay/assets")
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _own(text: str) -> Markup:
    """What somebody wrote, within a sentence of ours or beside an amount: which way its
    letters run is its own affair.
    """
    return Markup("<bdi>{}</bdi>").format(text)


_templates.filters.update(reais=reais, moment=moment, own=_own)
_templates.globals.update(asset=assets.url, t=TEXT)


def page(template: str, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> Response:
    """One page, drawn."""
    html = _templates.get_template(template).render(values)
    return HTMLResponse(html, status, headers=HEADERS | (headers or {}))
