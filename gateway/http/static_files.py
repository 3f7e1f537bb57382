"""Static files and static responses: held in memory, with ETags, gzipped on first use.

A file's path contains a hash of its folder, so that browsers cache it for ever and never mix two releases.
"""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from anyio import to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.errors import MethodNotAllowed, NotFound
from gateway.http.compression import takes_gzip

# `mimetypes` reads the machine's tables, and under nosniff a script with the wrong type doesn't run.
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
    "X-Content-Type-Options": "nosniff",
}


class StaticResponse(Response):
    """A response that is the same for all clients. Its `ETag` is a hash of the content, different for each encoding."""

    def __init__(self, content: bytes, media_type: str, headers: Mapping[str, str]) -> None:
        self._digest = hashlib.sha256(content).hexdigest()[:32]
        self._common = {**headers, "Vary": "Accept-Encoding"}
        super().__init__(content, media_type=media_type, headers={**self._common, "ETag": f'"{self._digest}"'})

    @cached_property
    def _gzipped(self) -> Response:
        packed = gzip.compress(self.body, compresslevel=9, mtime=0)
        headers = {**self._common, "ETag": f'"{self._digest}-gzip"', "Content-Encoding": "gzip"}
        return Response(packed, media_type=self.media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        gzipped = takes_gzip(headers.get("accept-encoding", ""))
        if self._is_cached_by(headers):
            etag = f'"{self._digest}-gzip"' if gzipped else f'"{self._digest}"'
            await Response(None, 304, {**self._common, "ETag": etag})(scope, receive, send)
        elif gzipped:
            packed = await to_thread.run_sync(lambda: self._gzipped)  # A megabyte takes 50 ms.
            await packed(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def _is_cached_by(self, headers: Headers) -> bool:
        """Whether `If-None-Match` names this content in any encoding (RFC 9110, section 13.1.2)."""
        value = headers.get("if-none-match", "").strip()
        tags = {tag.strip().removeprefix("W/").strip('"').removesuffix("-gzip") for tag in value.split(",")}
        return value == "*" or self._digest in tags


def _asset(path: Path) -> StaticResponse:
    guessed = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return StaticResponse(path.read_bytes(), guessed, HEADERS)


class Assets:
    """A folder of files as an ASGI application, mounted at `base`. A file is at `{base}/{version}/{name}`; another
    version is a 404. With `hashed_names`, as a bundler gives them, it is at `{base}/{name}`.
    """

    def __init__(self, folder: Path, base: str, *, hashed_names: bool = False) -> None:
        self.base = base
        self._hashed_names = hashed_names
        self._files = {
            path.relative_to(folder).as_posix(): _asset(path) for path in sorted(folder.rglob("*")) if path.is_file()
        }
        self.version = _fingerprint(self._files)

    def url(self, name: str) -> str:
        """The path of a file. Raises `KeyError` for an unknown name."""
        if name not in self._files:
            raise KeyError(name)
        return f"{self.base}/{name}" if self._hashed_names else f"{self.base}/{self.version}/{name}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._find(scope)(scope, receive, send)

    def _find(self, scope: Scope) -> StaticResponse:
        if scope["method"] not in {"GET", "HEAD"}:
            raise MethodNotAllowed(("GET",))
        path = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        version, _, name = (self.version, "", path) if self._hashed_names else path.partition("/")
        asset = self._files.get(name)
        if asset is None or version != self.version:
            raise NotFound("Endereço não encontrado.")
        return asset


def content_security_policy(**directives: str) -> str:
    """The policy of our pages: their own files only, and the passed directives (`img_src="'self' data:"`)."""
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
    """The headers of our HTML pages."""
    return {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": content_security_policy(**directives),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def page_templates(folder: Path) -> Environment:
    """The Jinja templates of our HTML pages: they escape values, and raise for unknown names."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _fingerprint(files: dict[str, StaticResponse]) -> str:
    digest = hashlib.sha256()
    for name, asset in files.items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(asset.body).digest())
    return digest.hexdigest()[:12]
