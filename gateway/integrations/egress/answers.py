"""What became of one POST, as the attempt log keeps it."""

import logging
import ssl

import httpcore
from msgspec import Struct

from gateway.integrations.egress.addresses import BlockedAddress
from gateway.integrations.egress.dial import TlsFailure
from gateway.integrations.egress.resolver import NameNotResolved
from gateway.integrations.egress.urls import RefusedUrl

logger = logging.getLogger(__name__)

# The first class that fits names the failure; what happens before the status line, in the order of a request.
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


class Answer(Struct, frozen=True):
    """Outcome of one attempt. Delivered means a 2xx status line came in time, even if the body failed.

    `status`: of the final answer; None if none came. `error_code`: None when delivered, `redirect` for 3xx,
    `http_status` for any other status, else a code of `FAILURES` (or `internal_error`, which is logged).
    `retry_after`: the header as sent, at most 128 characters. `excerpt`: the first 2 KiB of the body as sent, any
    bytes. `address`: the one dialled last. `duration_ms`: from the call to the end, DNS included.
    """

    status: int | None
    error_code: str | None
    retry_after: str | None
    excerpt: bytes
    address: str | None
    duration_ms: int

    @property
    def delivered(self) -> bool:
        return self.error_code is None


def status_error(status: int) -> str | None:
    """Error code of a response. A redirect is a failure too: it is not followed."""
    if 200 <= status < 300:
        return None
    return "redirect" if 300 <= status < 400 else "http_status"


def failure_code(error: Exception) -> str:
    """Code of an attempt that ended before its status line."""
    for kind, code in FAILURES:
        if isinstance(error, kind):
            return code
    logger.error("a delivery failed unexpectedly", exc_info=error)
    return "internal_error"
