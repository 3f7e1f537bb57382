"""The pages beside the API: the reference at `/docs`, the guide of the test environment, the start page.

`make schema` draws the first two (`scripts/reference_page`). A page needs only the address of its reader.
"""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import escape
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount

from gateway.http.static_files import Assets, Fixed, page_headers

FOLDER = Path(__file__).parent
REFERENCE = FOLDER / "reference.html"
GUIDE = FOLDER / "guide.html"
ORIGIN = "http://127.0.0.1:8000"
"""The address in the examples of a drawn page; the reader's takes its place."""
ASSETS_PATH = "/docs/assets"
HEADERS = page_headers()
ASSETS = Assets(FOLDER / "assets", ASSETS_PATH)


def page_at(address: str, html: bytes) -> Fixed:
    """A drawn page whose examples call this address."""
    return Fixed(html.replace(ORIGIN.encode(), escape(address).encode()), "text/html", HEADERS)


@cache
def _start_text(*, graphiql: bool) -> str:
    templates = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("start.html").render(asset=ASSETS.url, graphiql=graphiql)


def start_page(*, graphiql: bool) -> Response:
    """The page at `/`: what this is, and where to go."""
    return HTMLResponse(_start_text(graphiql=graphiql), headers=HEADERS)


def assets() -> Mount:
    """The files of the pages, under `/docs/assets/{version}/…`."""
    return Mount(ASSETS_PATH, app=ASSETS)
