"""POST to a merchant's server, within a deadline.

Each delivery has its own httpcore connection, so none is shared between merchants or outlives the check of its address.
Proxies of the environment and redirects are ignored. It costs less than half the CPU of an httpx client.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping

import httpcore

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.connection import CONNECT_SECONDS, PinnedBackend
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.response import DeliveryResponse, failure_code, status_error
from gateway.integrations.egress.urls import require_target

DEADLINE_SECONDS = 10.0
# The body only helps merchants to debug, so it must not occupy a delivery slot until the deadline.
BODY_SECONDS = 2.0
BODY_BYTES = 16 * 1024
EXCERPT_BYTES = 2 * 1024
MAX_HEADERS_LENGTH = 4 * 1024
"""Characters of the names and values of the response's headers that are returned."""
RETRY_AFTER_LENGTH = 128


class EgressClient:
    """Sends POST requests to merchants' servers. All tasks of a loop share it. It holds no connection.

    All requests share one TLS context, because creating one costs more CPU than ten deliveries. `ssl_context` replaces
    the default, which trusts the system's and Mozilla's authorities. TLS 1.2 is the minimum.
    """

    def __init__(
        self,
        guard: AddressGuard,
        resolver: Resolver,
        *,
        ssl_context: ssl.SSLContext | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._guard = guard
        self._resolver = resolver
        self._ssl_context = ssl_context or httpcore.default_ssl_context()
        self._ssl_context.minimum_version = max(self._ssl_context.minimum_version, ssl.TLSVersion.TLSv1_2)
        self._connect_seconds = connect_seconds
        self._body_seconds = body_seconds

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, deadline: float = DEADLINE_SECONDS
    ) -> DeliveryResponse:
        """Send `body` and return the outcome, within `deadline` seconds, DNS and dialling included.

        Every network failure is a `DeliveryResponse`; only cancellation propagates. `headers` can't replace `Host`,
        `Content-Length`, `Accept-Encoding` and `Connection`.
        """
        started = time.perf_counter()
        backend = PinnedBackend(self._guard, self._resolver, self._connect_seconds)
        partial = _PartialResponse()
        failure = None
        try:
            async with asyncio.timeout(deadline) as timer:
                await self._exchange(_request(url, body, headers), backend, partial, timer)
        except Exception as error:  # noqa: BLE001 -- any failure must become an attempt row.
            failure = failure_code(error)
        finally:
            backend.abort()
        return partial.finish(failure, backend.address, round((time.perf_counter() - started) * 1000))

    async def _exchange(
        self, request: httpcore.Request, backend: PinnedBackend, partial: "_PartialResponse", timer: asyncio.Timeout
    ) -> None:
        connection = httpcore.AsyncHTTPConnection(
            request.url.origin, ssl_context=self._ssl_context, network_backend=backend
        )
        response = await connection.handle_async_request(request)
        partial.start(response)
        when = timer.when()
        assert when is not None, "a deadline was set"
        timer.reschedule(min(when, asyncio.get_running_loop().time() + self._body_seconds))
        async for chunk in response.aiter_stream():
            if partial.add(chunk):
                backend.abort()  # The next read returns the end, so httpcore closes its generators.


class _PartialResponse:
    """What has arrived of a response: an error in the body doesn't discard the status."""

    __slots__ = ("_excerpt", "_headers", "_length", "_retry_after", "_status")

    def __init__(self) -> None:
        self._status: int | None = None
        self._headers: dict[str, str] = {}
        self._retry_after: str | None = None
        self._excerpt = bytearray()
        self._length = 0

    def start(self, response: httpcore.Response) -> None:
        self._status = response.status
        self._headers = _headers(response)
        self._retry_after = _retry_after(response)

    def add(self, chunk: bytes) -> bool:
        """Add a chunk to the excerpt. True once `BODY_BYTES` were read."""
        self._excerpt += chunk[: EXCERPT_BYTES - len(self._excerpt)]
        self._length += len(chunk)
        return self._length >= BODY_BYTES

    def finish(self, failure: str | None, address: str | None, duration_ms: int) -> DeliveryResponse:
        error = failure if self._status is None else status_error(self._status)
        excerpt = bytes(self._excerpt)
        return DeliveryResponse(self._status, error, self._retry_after, excerpt, address, duration_ms, self._headers)


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> httpcore.Request:
    parts = require_target(url)
    own = {
        "Host": parts.authority,
        "Content-Length": str(len(body)),
        "Accept-Encoding": "identity",  # A compressed response could unpack to gigabytes.
        "Connection": "close",
    }
    return httpcore.Request(
        "POST",
        httpcore.URL(scheme=parts.scheme, host=parts.host, port=parts.port, target=parts.target),
        headers=list({**headers, **own}.items()),
        content=body,
    )


def _headers(response: httpcore.Response) -> dict[str, str]:
    """The headers up to `MAX_HEADERS_LENGTH`. Values of one name are joined with commas."""
    headers: dict[str, str] = {}
    length = 0
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        length += len(name) + len(value)
        if length > MAX_HEADERS_LENGTH:
            break
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _retry_after(response: httpcore.Response) -> str | None:
    for name, value in response.headers:
        if name.lower() == b"retry-after":
            return value.decode("latin-1")[:RETRY_AFTER_LENGTH]
    return None
