"""Static files of our own pages: read once, addressed by content, cacheable for ever.

The path of a file carries a hash of the whole folder, so a browser never asks twice for the same release and never mixes
two. Each file is gzipped at most once per process, when a browser first asks for it.
"""

import gzip
import hashlib
import mimetypes
from functools import cached_property
from pathlib import Path

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.errors import MethodNotAllowed, NotFound

# Not left to `mimetypes` alone: it reads the machine's own tables, and a script with the wrong type doesn't run under nosniff.
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


class Asset:
    """One file: its bytes, its type and, on demand, its gzipped form."""

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        self.media_type = (
            MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        )

    @cached_property
    def gzipped(self) -> bytes:
        return gzip.compress(self.content, compresslevel=9, mtime=0)

    def response(self) -> Response:
        return Response(self.content, media_type=self.media_type, headers=HEADERS)

    def gzipped_response(self) -> Response:
        return Response(self.gzipped, media_type=self.media_type, headers={**HEADERS, "Content-Encoding": "gzip"})


class Assets:
    """A folder of files as an ASGI application, to be mounted at `base`.

    `url("boot.js")` is where a page finds a file: `{base}/{version}/boot.js`. Another version is a 404, because an answer
    cached for ever must never hold another release's bytes.
    """

    def __init__(self, folder: Path, base: str) -> None:
        self.base = base
        self._files = {
            path.relative_to(folder).as_posix(): Asset(path) for path in sorted(folder.rglob("*")) if path.is_file()
        }
        self.version = _fingerprint(self._files)

    def url(self, name: str) -> str:
        """The path of a file of the folder; a name that isn't there is a `KeyError`, at import rather than in a browser."""
        if name not in self._files:
            raise KeyError(name)
        return f"{self.base}/{self.version}/{name}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(scope)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed(("GET",))
        version, _, name = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/").partition("/")
        asset = self._files.get(name)
        if asset is None or version != self.version:
            raise NotFound("Endereço não encontrado.")
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            return await to_thread.run_sync(asset.gzipped_response)  # A megabyte takes 50 ms: not on the event loop.
        return asset.response()


def content_security_policy(**directives: str) -> str:
    """The policy of a page of ours: nothing but its own files, plus the directives given (`img_src="'self' data:"`)."""
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    policy.update({name.replace("_", "-"): sources for name, sources in directives.items()})
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())


def page_headers(**directives: str) -> dict[str, str]:
    """The headers of an HTML page of ours, with its policy."""
    return {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": content_security_policy(**directives),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _fingerprint(files: dict[str, Asset]) -> str:
    digest = hashlib.sha256()
    for name, asset in files.items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(asset.content).digest())
    return digest.hexdigest()[:12]
