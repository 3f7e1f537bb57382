"""GraphiQL at `GET /graphql`, from our own files: it works offline, under a strict Content-Security-Policy.

Each file `examples/NN-name.graphql` is a tab, named by its first line, a comment. `NN-name.json` holds its variables.
"""

import json
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount

from gateway.http.static_files import Assets, page_headers, page_templates

HERE = Path(__file__).parent
ASSETS_PATH = "/graphql/assets"
# GraphiQL sets styles through the CSSOM only, which 'self' allows; its lint marks are data: images.
HEADERS = page_headers(img_src="'self' data:")

_assets = Assets(HERE / "assets", ASSETS_PATH)
_templates = page_templates(HERE)


class Example(Struct, frozen=True):
    """One tab: a named operation and the JSON text of its variables ("" for none)."""

    title: str
    query: str
    variables: str


@cache
def examples() -> tuple[Example, ...]:
    """The example operations, in the order of their file names."""
    return tuple(_read(path) for path in sorted((HERE / "examples").glob("*.graphql")))


def _read(path: Path) -> Example:
    query = path.read_text(encoding="utf-8")
    variables = path.with_suffix(".json")
    return Example(
        title=query.partition("\n")[0].removeprefix("#").strip(),
        query=query,
        variables=variables.read_text(encoding="utf-8").strip() if variables.exists() else "",
    )


def page() -> Response:
    """The page."""
    return HTMLResponse(_render(), headers=HEADERS)


@cache
def _render() -> str:
    tabs = json.dumps([asdict(example) for example in examples()], ensure_ascii=False)
    return _templates.get_template("page.html").render(asset=_assets.url, examples=tabs)


def assets() -> Mount:
    """The files of the page, under `/graphql/assets/{version}/…`."""
    return Mount(ASSETS_PATH, app=_assets)
