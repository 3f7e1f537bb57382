"""Structured logs and Prometheus metrics.

Logs are one JSON object a line, or text in a terminal. They contain no secrets and no payer data: no document, email,
key, token or body; only ids and counts. A request's line has the client address, to find attackers.
"""

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, BinaryIO, NoReturn

import orjson
import structlog
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

log = structlog.get_logger("gateway")
_QUIET_PATHS = ("/health", "/metrics", "/docs/assets", "/graphql/assets", "/pay/assets")
"""Polled by machines, or assets of a page: not logged in a terminal."""
_DETAIL = re.compile(r"\nDETAIL:.*?(?=\nHINT:|\n\n|\Z)", re.DOTALL)

ENGINE_FAILURES = Counter("gateway_engine_failures", "Calls to a payment engine that failed.", ["engine", "error"])
IDENTITY_FAILURES = Counter("gateway_identity_failures", "Calls that the identity service didn't answer.", ["why"])
REQUESTS = Histogram(
    "gateway_request_seconds",
    "Time to answer a request.",
    ["transport", "method", "status"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
UNEXPECTED = Counter("gateway_unexpected_errors", "Requests answered with a controlled 500.")
CHARGES_PAID = Counter("gateway_charges_paid", "Charges that became paid.", ["environment"])
BILLED = Counter("gateway_subscriptions_billed", "Subscriptions that billing processed, by outcome.", ["outcome"])
ENGINE_NOTIFICATIONS = Counter(
    "gateway_engine_notifications", "Inbound notifications of engines, by outcome.", ["engine", "outcome"]
)
RECONCILIATION_CHECKS = Counter(
    "gateway_reconciliation_checks",
    "Charges checked at their engine, by outcome.",
    ["environment", "outcome"],
)
OPEN_DISCREPANCIES = Gauge(
    "gateway_differences_open",
    "Open discrepancies with the engines, which staff has to resolve.",
    ["environment", "kind"],
    multiprocess_mode="mostrecent",
)
CERTIFICATE_EXPIRY = Gauge(
    "gateway_bank_certificate_expiry_timestamp_seconds",
    "When the client certificate for the bank's API expires.",
    ["environment"],
    multiprocess_mode="mostrecent",
)
DELIVERIES = Counter("gateway_webhook_deliveries", "Webhook attempts, by outcome.", ["outcome"])
DELIVERY_SECONDS = Histogram(
    "gateway_webhook_attempt_seconds",
    "Duration of an attempt, by whether it delivered.",
    ["delivered"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
EVENT_TO_DELIVERY_SECONDS = Histogram(
    "gateway_webhook_delivery_seconds",
    "Time from an event to its receipt, where the first attempt delivered it.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300),
)
LOG_LINES_LOST = Counter("gateway_log_lines_lost", "Log lines that standard output refused.")
NOTIFICATIONS_LOST = Counter(
    "gateway_worker_notifications_lost", "Notifications to workers that Redis refused; each costs some latency."
)


def _outbox(name: str, description: str) -> Gauge:
    # A value of the database, not of a process: the most recent one of all processes is right.
    return Gauge(f"gateway_webhook_{name}", description, multiprocess_mode="mostrecent")


OUTBOX_DUE = _outbox("due", "Deliveries that are due now; 50000 means at least so many.")
OUTBOX_SCHEDULED = _outbox("scheduled", "Deliveries whose next attempt is later.")
OUTBOX_IN_FLIGHT = _outbox("in_flight", "Deliveries in progress.")
OUTBOX_OLDEST = _outbox("oldest_due_seconds", "Age of the oldest due delivery.")
OUTBOX_STUCK = _outbox("stuck_endpoints", "Endpoints with deliveries that no worker claims.")
ENDPOINTS_DEGRADED = _outbox("degraded_endpoints", "Active endpoints whose breaker is open: one request at a time.")

MAILS = Counter("gateway_mails", "Emails, by outcome of the attempt to send them.", ["kind", "outcome"])
MAILS_WAITING = Gauge("gateway_mail_waiting", "Emails waiting to be sent.")
MAILS_OLDEST = Gauge("gateway_mail_oldest_waiting_seconds", "Age of the oldest waiting email.")
MAIL_RELAY = Gauge("gateway_mail_relay_up", "Whether the relay accepted the last connection.")


@lru_cache(1024)  # `labels()` costs as much as `observe()`.
def request_observer(transport: str, method: str, status: int) -> Callable[[float], None]:
    """The `observe` method for one kind of request."""
    return REQUESTS.labels(transport, method, str(status)).observe


def exposition() -> bytes:
    """The metrics of all processes of this API, in Prometheus' text format."""
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):  # gateway.server.serve sets it for several processes.
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # untyped in the library.
    return generate_latest(registry)


class Output:
    """The stream of the log. It never raises: lines that a closed pipe or a full disk refuses are counted and dropped.

    It bypasses the stream's buffer, which would retry the failed lines and raise at exit.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO = getattr(stream, "raw", stream)
        self._is_partial = False

    def write(self, lines: bytes) -> None:
        """Write whole lines. Ends a partly written line first."""
        begin = int(self._is_partial)
        data = memoryview(b"\n" + lines if begin else lines)
        at = 0
        try:
            while at < len(data):
                at += self._stream.write(data[at:]) or _refused()
        except (OSError, ValueError):
            LOG_LINES_LOST.inc(bytes(data[max(at, begin) :]).count(b"\n"))
        if at:
            self._is_partial = data[at - 1] != ord("\n")

    def flush(self) -> None:
        """Nothing is buffered."""


def _refused() -> NoReturn:
    raise BlockingIOError  # Like a buffer on a full non-blocking pipe.


class AccessLog:
    """One line per request, in the format of all other lines. Disabled until `configure_logging` opens it.

    For speed, it bypasses structlog, and writes the lines of one event loop iteration together (docs/performance.md).
    """

    def __init__(self) -> None:
        self._stream: Output | None = None
        self._as_text = False
        self._lines: list[bytes] = []

    def open(self, stream: Output | None, *, as_text: bool = False) -> None:
        """Write to `stream` from now on, or to nothing if None."""
        self._stream, self._as_text = stream, as_text

    def write(self, request_id: str, ip: str | None, method: str, path: str, status: int, seconds: float) -> None:
        """Log one request. `ip` is the client address by the trusted proxies."""
        if self._stream is None or (self._as_text and path.lower().startswith(_QUIET_PATHS)):
            return
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._flush)
        if self._as_text:
            printable = path if path.isprintable() else ascii(path)
            text = f"{datetime.now():%H:%M:%S} {status} {method} {printable} {seconds * 1000:.0f} ms\n"  # noqa: DTZ005  # Local time, for a terminal.
            self._lines.append(text.encode())
            return
        line = {
            "request_id": request_id,
            "ip": ip,
            "method": method,
            "path": path,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "event": "request",
            "level": "info",
            "timestamp": datetime.now(UTC),
        }
        self._lines.append(orjson.dumps(line, default=repr, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE))

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if self._stream is not None:
            self._stream.write(b"".join(lines))


access_log = AccessLog()


def configure_logging(level: str, log_format: str = "json") -> None:
    """Send structlog and the standard library's loggers to standard output, as JSON lines or as text for a terminal.

    The text at level `info` has only requests and warnings.
    """
    threshold = getattr(logging, level.upper())
    as_text = log_format == "text" or (log_format == "auto" and sys.stdout.isatty())
    output = Output(sys.stdout.buffer)
    access_log.open(output if threshold <= logging.INFO else None, as_text=as_text)
    if as_text and threshold == logging.INFO:
        threshold = logging.WARNING
    render = _text_renderer() if as_text else [_json_timestamp, _json_renderer]
    structlog.configure(
        cache_logger_on_first_use=True,
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            _without_values,
            *render,
        ],
        logger_factory=structlog.BytesLoggerFactory(output),  # type: ignore[arg-type]  # It has write and flush.
    )
    logging.basicConfig(level=threshold, handlers=[_Standard()], force=True)
    # They log each request's URL, and URLs of engines contain payers' documents.
    for name in ("httpx", "httpcore", "alembic.runtime.plugins"):
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))


def _text_renderer() -> list[Any]:
    console = structlog.dev.ConsoleRenderer(
        colors=sys.stdout.isatty(), pad_event=0, exception_formatter=structlog.dev.plain_traceback
    )
    return [structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), console, _encode]


def _encode(_logger: Any, _method: str, text: str) -> bytes:
    return text.encode(errors="backslashreplace")


class _Standard(logging.Handler):
    """Passes records of libraries to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        logger.log(record.levelno, record.getMessage(), exc_info=record.exc_info or None)


def _without_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove PostgreSQL's DETAIL from tracebacks: it quotes the refused row, with documents and emails."""
    if "exception" in event:
        event["exception"] = _DETAIL.sub("", event["exception"])
    return event


def _dumps(event: dict[str, Any], **_: Any) -> bytes:
    return orjson.dumps(event, default=repr)


_json_timestamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
_json_renderer = structlog.processors.JSONRenderer(serializer=_dumps)
