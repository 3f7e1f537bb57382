"""The outcome of one POST, as the attempt log stores it."""

import logging
import ssl
from collections.abc import Mapping

import httpcore
from msgspec import Struct

from gateway.integrations.egress.addresses import BlockedAddress
from gateway.integrations.egress.connection import TlsFailure
from gateway.integrations.egress.resolver import NameNotResolved
from gateway.integrations.egress.urls import RefusedUrl

logger = logging.getLogger(__name__)

# The first matching class gives the code. In the order of a request, up to its status line.
FAILURES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (RefusedUrl, "invalid_url"),
    (NameNotResolved, "dns_failure"),
    (BlockedAddress, "blocked_address"),
    ((TlsFailure, ssl.SSLError), "tls_failure"),
    ((TimeoutError, httpcore.TimeoutException), "timeout"),
    (ConnectionRefusedError, "connection_refused"),
    ((OSError, httpcore.NetworkError, httpcore.ConnectionNotAvailable, httpcore.ProxyError), "connection_failed"),
    ((httpcore.ProtocolError, httpcore.UnsupportedProtocol), "protocol_error"),
)


class DeliveryResponse(Struct, frozen=True):
    """The outcome of one attempt. It is delivered if a 2xx status line came in time, even if the body failed.

    `status`: of the final response; None without one. `error_code`: None when delivered, `redirect` for 3xx,
    `http_status` for any other status, else a code of `FAILURES` (or `internal_error`, which is logged).
    `retry_after`: the header as sent, at most 128 characters. `excerpt`: the first 2 KiB of the body as sent, any
    bytes. `address`: the last one that was dialled. `duration_ms`: of the whole call, with DNS. `headers`: those of the
    response, with lower-case names, at most 4 KiB.
    """

    status: int | None
    error_code: str | None
    retry_after: str | None
    excerpt: bytes
    address: str | None
    duration_ms: int
    headers: Mapping[str, str] = {}

    @property
    def delivered(self) -> bool:
        return self.error_code is None


def status_error(status: int) -> str | None:
    """The error code of a status. A redirect is a failure, because it is not followed."""
    if 200 <= status < 300:
        return None
    return "redirect" if 300 <= status < 400 else "http_status"


def failure_code(error: Exception) -> str:
    """The error code of an attempt that ended before its status line."""
    for kind, code in FAILURES:
        if isinstance(error, kind):
            return code
    logger.error("a delivery failed unexpectedly", exc_info=error)
    return "internal_error"
