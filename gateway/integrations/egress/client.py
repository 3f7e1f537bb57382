"""POST to a stranger's server, safely and under a deadline.

Straight on httpcore's connection, one per delivery. Without a pool there is no open connection to hand to another
merchant, none to outlive the check of its address, no proxy from the environment, no redirect that anything follows,
and no private API; and it costs less than half the CPU of an httpx client.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping

import httpcore

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.answers import Answer, failure_code, status_error
from gateway.integrations.egress.dial import CONNECT_SECONDS, PinnedBackend
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import require_target

DEADLINE_SECONDS = 10.0
# The body is a courtesy to the merchant who debugs: it must not hold a delivery slot until the deadline.
BODY_SECONDS = 2.0
BODY_BYTES = 16 * 1024
EXCERPT_BYTES = 2 * 1024
RETRY_AFTER_LENGTH = 128


class EgressClient:
    """Posts to merchants' servers. Holds no connection, so there is nothing to close; shared by all tasks of a loop.

    One TLS context for all: building one costs more CPU than ten deliveries. `ssl_context` replaces the default, which
    trusts the system's and Mozilla's authorities; either speaks TLS 1.2 or newer.
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
    ) -> Answer:
        """Send `body` and say what came of it, within `deadline` seconds, DNS and dialling included.

        Every network failure is an `Answer`; only cancellation propagates. `headers` are added to `Host`,
        `Content-Length`, `Accept-Encoding` and `Connection`, which are ours.
        """
        started = time.perf_counter()
        backend = PinnedBackend(self._guard, self._resolver, self._connect_seconds)
        reply = _Reply()
        failure = None
        try:
            async with asyncio.timeout(deadline) as timer:
                await self._exchange(_request(url, body, headers), backend, reply, timer)
        except Exception as error:  # noqa: BLE001 -- any failure must become an attempt row.
            failure = failure_code(error)
        finally:
            backend.abort()
        return reply.answer(failure, backend.address, round((time.perf_counter() - started) * 1000))

    async def _exchange(
        self, request: httpcore.Request, backend: PinnedBackend, reply: "_Reply", timer: asyncio.Timeout
    ) -> None:
        connection = httpcore.AsyncHTTPConnection(
            request.url.origin, ssl_context=self._ssl_context, network_backend=backend
        )
        response = await connection.handle_async_request(request)
        reply.begin(response)
        _bring_forward(timer, self._body_seconds)
        async for chunk in response.aiter_stream():
            if reply.take(chunk):
                backend.abort()  # The next read finds the end, and httpcore's generators unwind by themselves.


class _Reply:
    """What has been learned so far, so that an error half-way through the body does not undo a status."""

    __slots__ = ("_excerpt", "_length", "_retry_after", "_status")

    def __init__(self) -> None:
        self._status: int | None = None
        self._retry_after: str | None = None
        self._excerpt = bytearray()
        self._length = 0

    def begin(self, response: httpcore.Response) -> None:
        self._status = response.status
        self._retry_after = _retry_after(response)

    def take(self, chunk: bytes) -> bool:
        """Keep what belongs to the excerpt; True once `BODY_BYTES` were read."""
        self._excerpt += chunk[: EXCERPT_BYTES - len(self._excerpt)]
        self._length += len(chunk)
        return self._length >= BODY_BYTES

    def answer(self, failure: str | None, address: str | None, duration_ms: int) -> Answer:
        error = failure if self._status is None else status_error(self._status)
        return Answer(self._status, error, self._retry_after, bytes(self._excerpt), address, duration_ms)


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> httpcore.Request:
    parts = require_target(url)
    own = {
        "Host": parts.authority,
        "Content-Length": str(len(body)),
        "Accept-Encoding": "identity",  # A compressed answer could unpack to gigabytes; none is ever unpacked.
        "Connection": "close",
    }
    return httpcore.Request(
        "POST",
        httpcore.URL(scheme=parts.scheme, host=parts.host, port=parts.port, target=parts.target),
        headers=list({**headers, **own}.items()),
        content=body,
    )


def _retry_after(response: httpcore.Response) -> str | None:
    for name, value in response.headers:
        if name.lower() == b"retry-after":
            return value.decode("latin-1")[:RETRY_AFTER_LENGTH]
    return None


def _bring_forward(timer: asyncio.Timeout, seconds: float) -> None:
    when = timer.when()
    assert when is not None, "a deadline was set"
    timer.reschedule(min(when, asyncio.get_running_loop().time() + seconds))
