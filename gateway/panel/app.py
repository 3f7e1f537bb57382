"""The ASGI application of the panel. Each path below `/painel` that is no file shows the one page, whose router knows
the rest.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from gateway.errors import MethodNotAllowed
from gateway.http.static_files import Assets, StaticResponse, page_headers, page_templates

HERE = Path(__file__).parent
PATH = "/painel"
ENTRY, ICON = "src/main.tsx", "src/ui/icon.svg"
# QR codes are data: images. No script reaches a sink of the DOM, so no Trusted Types policy is needed.
HEADERS = page_headers(
    img_src="'self' data:", require_trusted_types_for="'script'", trusted_types="'none'", manifest_src="'none'"
)


class Chunk(Struct, rename="camel"):
    """One file of Vite's manifest, with the files that it needs."""

    file: str
    imports: list[str] = []
    css: list[str] = []


def read_manifest(folder: Path) -> dict[str, Chunk]:
    """The chunks of a bundle, by the name of their source."""
    return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=dict[str, Chunk])


def chunks_of(manifest: dict[str, Chunk], *names: str) -> list[Chunk]:
    """The named chunks with all that they import, each once, the named ones first."""
    found: dict[str, Chunk] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = manifest[name]
            waiting += manifest[name].imports
    return list(found.values())


class PanelApp:
    """Serves the page and the files of the bundle."""

    def __init__(self) -> None:
        self._assets = Assets(HERE / "assets", f"{PATH}/assets", hashed_names=True)
        self._page = StaticResponse(self._render().encode(), "text/html; charset=utf-8", HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(PATH)
        if path.startswith("/assets/"):
            await self._assets(dict(scope) | {"root_path": f"{PATH}/assets"}, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed(("GET",))
        await self._page(scope, receive, send)

    def _render(self) -> str:
        manifest = read_manifest(HERE / "assets")
        entry, *imports = chunks_of(manifest, ENTRY)
        templates = page_templates(HERE)
        return templates.get_template("page.html").render(
            entry=self._assets.url(entry.file),
            preloads=[self._assets.url(chunk.file) for chunk in imports],
            styles=[self._assets.url(name) for chunk in (entry, *imports) for name in chunk.css],
            icon=self._assets.url(manifest[ICON].file),
        )


@cache
def routes() -> Sequence[BaseRoute]:
    """The panel with and without a slash behind its path. One process reads the bundle once."""
    app = PanelApp()
    return (Route(PATH, app), Mount(PATH, app=app))
