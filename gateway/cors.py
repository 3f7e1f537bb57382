"""Letting the panels of `GATEWAY_CORS_ORIGINS` call from a browser. Credentials travel
in a header, never in cookies.
"""

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

METHODS = ("GET", "POST", "PUT", "DELETE")
EXPOSED_HEADERS = (
    "etag",
    "location",
    "x-request-id",
    "idempotent-replayed",
    "retry-after",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
)
_REFUSED = '{"error":{"message":"Esta origem não pode chamar a API de um navegador."}}'


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
        return Response(_REFUSED, judged.status_code, kept, "application/json")
