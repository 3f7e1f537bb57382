"""What surrounds every request, in one pure-ASGI layer: request id, context, headers, access log, the last resort.

One layer instead of six, because each wrapping of `send` is paid by every request (docs/performance.md).
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
from gateway.http.error_body import error_body
from gateway.http.request_body import MAXIMUM_BODY
from gateway.http.response_headers import OURS
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context, Origin, Services
from gateway.rest_compat.production_documents import LARGEST_FORM, UPLOAD_PATH
from gateway.settings import Network, within
from gateway.telemetry import UNEXPECTED, access_log, log, request_observer
from gateway.values.ids import new_id

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
GONE = 499
"""The status in log and metrics of a request whose sender left before it had come whole. It was not carried out."""
_NAMES = frozenset(name for name, _ in OURS)
Wrapper: TypeAlias = Callable[[ASGIApp], ASGIApp]


def _bare(app: ASGIApp) -> ASGIApp:
    return app


class Gate:
    """Gives each request its id and its `Context` (in `scope["gateway.context"]`), and answers what nobody caught."""

    def __init__(self, app: ASGIApp, services: Callable[[], Services], around: Wrapper = _bare) -> None:
        """`around` wraps the application, and the Gate's own answers too: a panel's
        script reads those like any other.
        """
        self._app = around(app)
        self._services = services
        self._around = around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = answered = time.perf_counter()
        headers = _by_name(scope["headers"])
        if len(headers) < len(scope["headers"]):
            scope["headers"] = list(headers.items())  # Each door then reads the same.
        request_id = _request_id(headers)
        door = _door(scope["path"])
        status, address = 0, None
        sending = CompressingSend(send, headers.get(b"accept-encoding"))

        async def send_with_headers(message: Message) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                status, answered = message["status"], time.perf_counter()
                message["headers"] = _with_ours(message.get("headers", []), request_id)
            await sending(message)

        try:
            scope["gateway.context"] = context = self._context(scope, headers, request_id, door)
            address = context.origin.ip
            _refuse_announced_size(headers, scope["path"])
            await self._app(scope, receive, send_with_headers)
        except GatewayError as error:
            # A payer's browser shows what it gets: it gets a page.
            page = door == "checkout"
            refusal = render_error(error, back_link(scope)) if page else _refusal(scope, error)
            await self._around(refusal)(scope, receive, send_with_headers)
        except ClientDisconnect:
            status, answered = GONE, time.perf_counter()  # Nobody is there to be answered.
        except Exception as error:  # noqa: BLE001  # The last resort: the caller gets a code, the log gets the reason.
            UNEXPECTED.inc()
            log.error("unexpected_error", request_id=request_id, path=scope["path"], exc_info=error)
            if status == 0 or sending.is_waiting:
                broken = _answer(scope, 500, {"message": UNEXPECTED_MESSAGE, "id": request_id})
                await self._around(broken)(scope, receive, send_with_headers)
        finally:
            # Until the answer began: an event stream then lasts as long as its reader cares to listen.
            elapsed = answered - started
            request_observer(door, scope["method"], status)(elapsed)
            access_log.write(request_id, address, scope["method"], scope["path"], status, elapsed)

    def _context(self, scope: Scope, headers: dict[bytes, bytes], request_id: str, door: str) -> Context:
        services = self._services()
        authenticator = RequestAuthenticator(
            services, _text(headers.get(b"authorization")), _text(headers.get(b"x-store"))
        )
        origin = Origin(
            request_id,
            door,
            caller_address(scope, services.settings.trusted_proxies),
            (_text(headers.get(b"user-agent")) or "")[:300] or None,
        )
        return Context(services, origin, authenticator, idempotency_key=_text(headers.get(b"idempotency-key")))


def _by_name(pairs: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name. Those that came in several lines are joined (RFC 9110, section 5.3): two keys, credentials or
    stores are then none that could be meant, instead of whichever came last.
    """
    headers = dict(pairs)
    if len(headers) == len(pairs):
        return headers
    values: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(lines) for name, lines in values.items()}


_WITH_PORT = re.compile(r"\[(?P<v6>[0-9a-fA-F:.]+)\](?::[0-9]+)?|(?P<v4>[0-9.]+):[0-9]+")


def caller_address(scope: Scope, trusted: tuple[Network, ...]) -> str | None:
    """The caller's address: the nearest hop of `X-Forwarded-For` that isn't a trusted proxy, if the peer is one."""
    client = scope.get("client")
    address = client[0] if client else None
    if not trusted or address is None:
        return address
    # Each proxy may add a line of its own instead of lengthening the last one.
    told = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
    hops = [hop.strip() for hop in told.split(",") if hop.strip()]
    while hops and within(address, trusted):
        told_by_proxy = _without_port(hops.pop())
        if told_by_proxy is None:
            break
        address = told_by_proxy
    return address


def _without_port(hop: str) -> str | None:
    """The address of a hop, which some proxies tell with its port: a caller has another port with each connection."""
    if found := _WITH_PORT.fullmatch(hop):
        hop = found["v6"] or found["v4"]
    try:
        return str(ip_address(hop))
    except ValueError:
        return None


def _door(path: str) -> str:
    folded = path[:8].lower()
    if folded.startswith("/pay/") or folded == "/pay":
        return "checkout"
    return "graphql" if folded == "/graphql" else "rest"


def _request_id(headers: dict[bytes, bytes]) -> str:
    given = headers.get(b"x-request-id")
    return given.decode() if given and _REQUEST_ID.fullmatch(given) else new_id()


def _refuse_announced_size(headers: dict[bytes, bytes], path: str) -> None:
    announced = headers.get(b"content-length", b"0")
    if not announced.isdigit() or int(announced) <= MAXIMUM_BODY:
        return
    if path.rstrip("/").lower() != UPLOAD_PATH:
        raise BodyTooLarge
    if int(announced) > LARGEST_FORM:
        raise FileTooLarge


def _with_ours(headers: Any, request_id: str) -> list[tuple[bytes, bytes]]:
    told = [*headers, (b"x-request-id", request_id.encode())]
    names = {name for name, _ in told}
    told += OURS if names.isdisjoint(_NAMES) else [header for header in OURS if header[0] not in names]
    return told


def _text(value: bytes | None) -> str | None:
    return value.decode("latin-1") if value is not None else None


def _refusal(scope: Scope, error: GatewayError) -> ASGIApp:
    return _answer(scope, error.status, error.body(), error.headers)


def _answer(scope: Scope, status: int, error: dict[str, Any], headers: dict[str, str] | None = None) -> ASGIApp:
    body = error_body(scope["path"], status, error)
    return Response(orjson.dumps(body, default=str), status, headers=headers, media_type="application/json")
