"""The API reference at `/docs`, drawn on the server from the OpenAPI 3.1 document: one page, no third party, strict
policy.

    routes = [
        Route("/docs", lambda request: reference.page(document)),
        reference.assets(),
    ]

It reads without JavaScript; the script adds the filter, the copy buttons, the languages and "Testar aqui". Of the
published viewers only Swagger UI runs under a policy without 'unsafe-inline' (Scalar, Redoc, RapiDoc and Elements
inject styles, and Scalar and Redoc call home), and none speaks Portuguese.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount

from gateway.assets import Assets, Fixed, page_headers
from gateway.rest_compat.reference.document import anchor, outline
from gateway.rest_compat.reference.schemas import Document
from gateway.rest_compat.reference.text import code, markdown

HERE = Path(__file__).parent
ASSETS_PATH = "/docs/assets"
HEADERS = page_headers()

_assets = Assets(HERE / "assets", ASSETS_PATH)
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters.update(anchor=anchor, code=code, markdown=markdown)


def page(document: dict[str, Any], *, source: str = "/openapi.json") -> Response:
    """The reference of an OpenAPI document; `source` is where a reader downloads it. Drawn once per document."""
    return _page(orjson.dumps(document), source)


@lru_cache(maxsize=4)
def _page(serialised: bytes, source: str) -> Response:
    document = Document(orjson.loads(serialised))
    info = {"summary": "", "description": "", **document.raw["info"]}
    template = _templates.get_template("page.html")
    return _html(template.render(asset=_assets.url, info=info, source=source, outline=outline(document)))


@cache
def guide() -> Response:
    """The guide of the test environment (`guide.md`), in the look of the reference."""
    template = _templates.get_template("guide.html")
    return _html(template.render(asset=_assets.url, sections=_sections(HERE / "guide.md")))


@cache
def _start_text(*, graphiql: bool) -> str:
    return _templates.get_template("start.html").render(asset=_assets.url, graphiql=graphiql)


def start_page(*, graphiql: bool) -> Response:
    """The page at `/`: what this is, and where to go."""
    return HTMLResponse(_start_text(graphiql=graphiql), headers=HEADERS)


def _html(text: str) -> Response:
    return Fixed(text.encode(), "text/html", HEADERS)


def _sections(path: Path) -> list[dict[str, str]]:
    """The parts of a Markdown file, one for each heading of the second level."""
    parts = [part.partition("\n") for part in f"\n{path.read_text('utf-8')}".split("\n## ")[1:]]
    return [{"anchor": anchor(title), "title": title, "text": text} for title, _, text in parts]


def assets() -> Mount:
    """The files of the page, under `/docs/assets/{version}/…`."""
    return Mount(ASSETS_PATH, app=_assets)
