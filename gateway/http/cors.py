"""CORS for the origins of `GATEWAY_CORS_ORIGINS`. Credentials are in a header, never in cookies.

The panel's cookie is for its own origin only: no response allows another origin to send it.
"""

import orjson
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.http.responses import error_body

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
EXPOSED_HEADERS = (
    "content-disposition",
    "etag",
    "location",
    "x-request-id",
    "idempotent-replayed",
    "retry-after",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
)
_REFUSED = {"message": "Esta origem não pode chamar a API de um navegador, ou não com este método."}


class Cors(CORSMiddleware):
    """Starlette's middleware with our error format."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            # Tracing and GraphQL libraries add headers.
            allow_headers=("*",),
            expose_headers=EXPOSED_HEADERS,
            max_age=600,
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """204 if allowed, else a 400 in the format of other errors."""
        response = super().preflight_response(request_headers)
        headers = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
        if response.status_code == 200:
            return Response(None, 204, headers)
        return _RefusedPreflight(None, response.status_code, headers)


class _RefusedPreflight(Response):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name: value for name, value in self.headers.items() if name != "content-length"}
        body = orjson.dumps(error_body(scope["path"], self.status_code, _REFUSED))
        await Response(body, self.status_code, headers, "application/json")(scope, receive, send)
