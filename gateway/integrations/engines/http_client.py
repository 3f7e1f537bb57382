"""HTTP to an engine, for all adapters: bounded calls, and the errors of failed ones.

A write without a clear response is `EngineOutcomeUnknown`, a read is `EngineUnavailable`.
"""

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from gateway import __version__
from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.http_json import parse_object, read_response

MAX_BODY_BYTES = 8 * 1024 * 1024
"""A page of a thousand payments has less than a third."""
MAX_DETAIL_LENGTH = 300
MAX_CONCURRENT_CALLS = 20
"""Per process. Asaas answers 429 to more than 50 concurrent GETs, and there are at least two processes."""
MAX_WAIT_SECONDS = 2.0
"""How long a call waits for its turn."""
MAX_BACKOFF_SECONDS = 15 * 60.0
"""An engine may ask for hours; a request every 15 minutes notices earlier that the quota was raised."""
# No compression: a small response could unpack to gigabytes.
_HEADERS = {"user-agent": f"pix-gateway/{__version__}", "accept": "application/json", "accept-encoding": "identity"}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class Refused(EngineRefused):
    """A 4xx. `code` is the engine's own, such as `invalid_customer` or `CobOperacaoInvalida`, or empty."""

    def __init__(self, message: str, status: int, code: str = "", *, reason: str = "") -> None:
        super().__init__(message, reason=reason)
        self.status = status
        self.code = code


class MissingResource(Refused):
    """The engine has no such object, for sure."""


class Unauthorized(EngineMisconfigured):
    """A 401 or 403: a wrong key or token, a wrong environment, or a missing permission."""

    def __init__(self, message: str, status: int, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Throttled(EngineBusy):
    """A 429."""


class InvalidResponse(EngineUnavailable):
    """A response lacks a required member, or has an unknown value that decides. A write uses `unknown_if_invalid`."""


@contextmanager
def unknown_if_invalid() -> Iterator[None]:
    """For the response to a write: if it is invalid, the outcome is unknown."""
    try:
        yield
    except InvalidResponse as error:
        raise EngineOutcomeUnknown(str(error)) from error


class HttpClient:
    """Sends the requests of one environment. `deadline`: seconds for a whole call; `connect`: for its connection."""

    def __init__(self, *, deadline: float, connect: float) -> None:
        self._deadline = deadline
        self._timeout = httpx.Timeout(connect=connect, read=deadline, write=5, pool=MAX_WAIT_SECONDS)
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CALLS)
        self.responding = True
        """Whether the last call got a usable response."""

    async def _send(
        self, http: httpx.AsyncClient, request: httpx.Request, *, writes: bool
    ) -> tuple[int, httpx.Headers, bytes]:
        request.headers.update(_HEADERS)
        request.extensions = {"timeout": self._timeout.as_dict()}
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise EngineBusy("too many calls at a time in this process") from None
        try:
            async with asyncio.timeout(self._deadline):
                response = await http.send(request, stream=True)
                try:
                    return response.status_code, response.headers, await read_response(response, MAX_BODY_BYTES)
                finally:
                    await response.aclose()
        # OSError: httpx passes a TLS alert on as it is.
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            self.responding = False
            raise _error_from_transport(error, writes=writes) from error
        finally:
            self._slots.release()

    def _parse(self, status: int, body: bytes, *, writes: bool) -> dict[str, Any]:
        """The object in the body of a 2xx."""
        data = parse_object(body)
        if data is None:
            self.responding = False
            raise _no_response(f"{status} with a body that is no JSON object", writes=writes)
        return data


def fill_path(path: str, ids: Mapping[str, str]) -> str:
    """`/payments/{id}` with its ids, quoted."""
    return path.format(**{name: quote(value, safe="") for name, value in ids.items()})


def parse_seconds(header: str | None) -> float | None:
    """The whole seconds of a header; None for anything else."""
    return float(header) if header and header.isascii() and header.isdecimal() and len(header) <= 9 else None


async def wait_for_quota(seconds: float) -> None:
    """Wait until the quota allows a call. Raises `EngineBusy` at once if that is too long."""
    if seconds > MAX_WAIT_SECONDS:
        raise EngineBusy(f"the quota is spent; next try in {seconds:.0f} s")
    if seconds > 0:
        await asyncio.sleep(seconds)


def error_from_status(status: int, message: str, code: str, *, writes: bool) -> EngineError | None:
    """The error that the status of a failed response decides alone; None for a refusal of the request."""
    if status in {401, 403}:
        return Unauthorized(message, status, code)
    if status == 429:
        return Throttled(message)
    if status == 408 or status >= 500:
        return _no_response(message, writes=writes)
    if not 400 <= status < 500:
        # No engine sends redirects or 1xx.
        return EngineMisconfigured(f"{message}: this is not the API; look at its URL")
    return None


def _no_response(reason: str, *, writes: bool) -> EngineError:
    """The error of a request that was sent and got no clear response."""
    return EngineOutcomeUnknown(reason) if writes else EngineUnavailable(reason)


def _error_from_transport(error: Exception, *, writes: bool) -> EngineError:
    alert = _tls_alert(error)
    if alert:
        # The engine refuses the certificate before it reads the request.
        return EngineMisconfigured(f"the bank refuses the client certificate: {alert}")
    if isinstance(error, _NOT_SENT):
        return EngineUnavailable(f"not reached: {type(error).__name__} {str(error)[:200]}")
    return _no_response(f"no answer: {type(error).__name__}", writes=writes)


def _tls_alert(error: BaseException | None) -> str:
    """The TLS alert about our certificate, such as `SSLV3_ALERT_CERTIFICATE_EXPIRED`; empty if there is none."""
    while error is not None:
        reason = error.reason if isinstance(error, ssl.SSLError) else ""
        if reason and "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
            return str(reason)
        error = error.__cause__ or error.__context__
    return ""
