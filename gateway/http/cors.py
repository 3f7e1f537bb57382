"""Letting the panels of `GATEWAY_CORS_ORIGINS` call from a browser. Credentials travel
in a header, never in cookies.
"""

import orjson
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.http.error_body import error_body

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
    """Starlette's, answering in our form."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            # Any: tracing and GraphQL libraries add headers of their own, and an unknown one does nothing here.
            allow_headers=("*",),
            expose_headers=EXPOSED_HEADERS,
            max_age=600,
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """204 for what is allowed; a 400 in the form of every other error for what isn't."""
        judged = super().preflight_response(request_headers)
        kept = {name: value for name, value in judged.headers.items() if not name.startswith("content-")}
        if judged.status_code == 200:
            return Response(None, 204, kept)
        return _Refusal(None, judged.status_code, kept)


class _Refusal(Response):
    """A refused preflight, in the form of the path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kept = {name: value for name, value in self.headers.items() if name != "content-length"}
        body = orjson.dumps(error_body(scope["path"], self.status_code, _REFUSED))
        await Response(body, self.status_code, kept, "application/json")(scope, receive, send)
