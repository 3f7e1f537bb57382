"""The middleware of every request: request id, context, headers, compression, access log, unexpected errors.

It is one layer, because each wrapper of `send` costs time in every request.
"""

import re
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any, TypeAlias

import orjson
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.checkout.rendering import render_error
from gateway.checkout.request import back_link
from gateway.errors import UNEXPECTED_MESSAGE, BodyTooLarge, FileTooLarge, GatewayError
from gateway.http.compression import CompressingSend
from gateway.http.request_body import MAX_BODY_BYTES
from gateway.http.responses import DEFAULT_HEADERS, error_body
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context, RequestMetadata, Services
from gateway.rest_compat.production_documents import MAX_FORM_BYTES, TICKET_UPLOADS, UPLOAD_PATH
from gateway.settings import Network, within
from gateway.telemetry import UNEXPECTED, access_log, log, request_observer
from gateway.values.ids import new_request_id

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_SECRET_IN_PATH = re.compile("(/notifications/[^/]*/|/(?:uploads|downloads|exports)/).+", re.IGNORECASE | re.DOTALL)
CLIENT_CLOSED_REQUEST = 499
"""The logged status of a request whose client disconnected before sending all of it. It is not executed."""
Wrapper: TypeAlias = Callable[[ASGIApp], ASGIApp]


def _unchanged(app: ASGIApp) -> ASGIApp:
    return app


class RequestMiddleware:
    """Sets `scope["gateway.context"]`, and responds to uncaught errors."""

    def __init__(self, app: ASGIApp, services: Callable[[], Services], around: Wrapper = _unchanged) -> None:
        """`around` (CORS) wraps the application and the responses of this middleware."""
        self._app = around(app)
        self._services = services
        self._around = around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = responded = time.perf_counter()
        headers = _join_headers(scope["headers"])
        if len(headers) < len(scope["headers"]):
            scope["headers"] = list(headers.items())  # All transports read the same.
        request_id = _request_id(headers)
        transport = _transport(scope["path"])
        status, address = 0, None
        sending = CompressingSend(send, headers.get(b"accept-encoding"))

        async def send_with_headers(message: Message) -> None:
            nonlocal status, responded
            if message["type"] == "http.response.start":
                status, responded = message["status"], time.perf_counter()
                message["headers"] = _with_default_headers(message.get("headers", []), request_id)
            await sending(message)

        try:
            scope["gateway.context"] = context = self._context(scope, headers, request_id, transport)
            address = context.origin.ip
            _refuse_large_body(headers, scope["path"])
            await self._app(scope, receive, send_with_headers)
        except GatewayError as error:
            if transport == "checkout":
                response: ASGIApp = render_error(error, back_link(scope))
            else:
                response = _json_error(scope, error.status, error.body(), error.headers)
            await self._around(response)(scope, receive, send_with_headers)
        except ClientDisconnect:
            status, responded = CLIENT_CLOSED_REQUEST, time.perf_counter()
        except Exception as error:  # noqa: BLE001  # The client gets an id, the log the reason.
            UNEXPECTED.inc()
            log.error("unexpected_error", request_id=request_id, path=_loggable(scope["path"]), exc_info=error)
            if status == 0 or sending.is_waiting:
                response = _json_error(scope, 500, {"message": UNEXPECTED_MESSAGE, "id": request_id})
                await self._around(response)(scope, receive, send_with_headers)
        finally:
            # Until the response started, for an event stream may last long.
            elapsed = responded - started
            request_observer(transport, scope["method"], status)(elapsed)
            access_log.write(request_id, address, scope["method"], _loggable(scope["path"]), status, elapsed)

    def _context(self, scope: Scope, headers: dict[bytes, bytes], request_id: str, transport: str) -> Context:
        services = self._services()
        authenticator = RequestAuthenticator(
            services, _text(headers.get(b"authorization")), _text(headers.get(b"x-store"))
        )
        origin = RequestMetadata(
            request_id,
            transport,
            client_ip(scope, services.settings.trusted_proxies),
            (_text(headers.get(b"user-agent")) or "")[:300] or None,
            _text(headers.get(b"host")),
        )
        return Context(services, origin, authenticator, idempotency_key=_text(headers.get(b"idempotency-key")))


def _join_headers(pairs: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name. Repeated ones are joined (RFC 9110, section 5.3), so two credentials or keys are invalid."""
    headers = dict(pairs)
    if len(headers) == len(pairs):
        return headers
    values: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(lines) for name, lines in values.items()}


_WITH_PORT = re.compile(r"\[(?P<v6>[0-9a-fA-F:.]+)\](?::[0-9]+)?|(?P<v4>[0-9.]+):[0-9]+")


def client_ip(scope: Scope, trusted: tuple[Network, ...]) -> str | None:
    """The client's address. If the peer is a trusted proxy: the last hop of `X-Forwarded-For` that isn't one."""
    client = scope.get("client")
    address = client[0] if client else None
    if not trusted or address is None:
        return address
    # Each proxy may add its own line.
    forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    while hops and within(address, trusted):
        hop_address = _without_port(hops.pop())
        if hop_address is None:
            break
        address = hop_address
    return address


def _without_port(hop: str) -> str | None:
    """The address of a hop, which some proxies send with its port."""
    if found := _WITH_PORT.fullmatch(hop):
        hop = found["v6"] or found["v4"]
    try:
        return str(ip_address(hop))
    except ValueError:
        return None


def _transport(path: str) -> str:
    folded = path[:8].lower()
    if folded.startswith("/pay/") or folded == "/pay":
        return "checkout"
    return "graphql" if folded == "/graphql" else "rest"


def _request_id(headers: dict[bytes, bytes]) -> str:
    request_id = headers.get(b"x-request-id")
    return request_id.decode() if request_id and _REQUEST_ID.fullmatch(request_id) else new_request_id()


def _refuse_large_body(headers: dict[bytes, bytes], path: str) -> None:
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) <= MAX_BODY_BYTES:
        return
    folded = path.rstrip("/").lower()
    if folded != UPLOAD_PATH and not folded.startswith(TICKET_UPLOADS):
        raise BodyTooLarge
    if int(length) > MAX_FORM_BYTES:
        raise FileTooLarge


def _with_default_headers(headers: Any, request_id: str) -> list[tuple[bytes, bytes]]:
    names = {name for name, _ in headers}
    missing = [header for header in DEFAULT_HEADERS if header[0] not in names]
    return [*headers, (b"x-request-id", request_id.encode()), *missing]


def _loggable(path: str) -> str:
    """The path without the token of a bank's callbacks or the ticket of a one-time address."""
    return _SECRET_IN_PATH.sub(r"\1…", path)


def _text(value: bytes | None) -> str | None:
    return value.decode("latin-1") if value is not None else None


def _json_error(scope: Scope, status: int, error: dict[str, Any], headers: dict[str, str] | None = None) -> ASGIApp:
    body = error_body(scope["path"], status, error)
    return Response(orjson.dumps(body, default=str), status, headers=headers, media_type="application/json")
