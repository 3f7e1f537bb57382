"""What the processes tell of themselves: structured logs and Prometheus metrics.

Logs are one JSON object a line, or text in a terminal. Nothing that identifies a payer and no secret is ever logged:
no document, e-mail, key, token or body; ids and counts only. A line of a request has its caller's address, by which a
guesser is found.
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
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

log = structlog.get_logger("gateway")
_WATCHED_PATHS = ("/health", "/metrics", "/docs/assets", "/graphql/assets", "/pay/assets")
"""Polled by machines, or files of a page: left out of a terminal's log."""
_DETAIL = re.compile(r"\nDETAIL:.*?(?=\nHINT:|\n\n|\Z)", re.DOTALL)

ENGINE_FAILURES = Counter("gateway_engine_failures", "Calls to a payment engine that failed.", ["engine", "error"])
IDENTITY_FAILURES = Counter("gateway_identity_failures", "Questions that the identity service didn't answer.", ["why"])
REQUESTS = Histogram(
    "gateway_request_seconds",
    "Time to answer a request.",
    ["transport", "method", "status"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
UNEXPECTED = Counter("gateway_unexpected_errors", "Requests answered with a controlled 500.")
CHARGES_PAID = Counter("gateway_charges_paid", "Charges that became paid.", ["environment"])
BILLED = Counter("gateway_subscriptions_billed", "Subscriptions that billing looked at, by outcome.", ["outcome"])
ENGINE_NOTIFICATIONS = Counter(
    "gateway_engine_notices", "Inbound notices of engines, by what became of them.", ["engine", "outcome"]
)
RECONCILIATION_CHECKS = Counter(
    "gateway_reconciliation_looks",
    "Charges looked at again at their engine, by what came of it.",
    ["environment", "outcome"],
)
OPEN_DISCREPANCIES = Gauge(
    "gateway_differences_open",
    "What differs from the engines, waits for staff, and was not mended.",
    ["environment", "kind"],
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
    "gateway_webhook_receipt_seconds",
    "Time from an event to its receipt, where the first attempt delivered it.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300),
)
LOG_LINES_LOST = Counter("gateway_log_lines_lost", "Lines of the log that standard output didn't take.")
NOTIFICATIONS_LOST = Counter(
    "gateway_nudges_lost", "Hints to the workers that Redis did not take; each costs some latency."
)


def _outbox(name: str, says: str) -> Gauge:
    # Of the database and not of a process: of several processes, the one that looked last is right.
    return Gauge(f"gateway_webhook_{name}", says, multiprocess_mode="mostrecent")


OUTBOX_DUE = _outbox("due", "Deliveries that are due now; 50000 means at least so many.")
OUTBOX_SCHEDULED = _outbox("scheduled", "Deliveries whose next attempt is later.")
OUTBOX_IN_FLIGHT = _outbox("in_flight", "Deliveries under way.")
OUTBOX_OLDEST = _outbox("oldest_due_seconds", "For how long the oldest due delivery waits.")
OUTBOX_STUCK = _outbox("stuck_endpoints", "Endpoints with deliveries that no worker claims.")
ENDPOINTS_DEGRADED = _outbox("degraded_endpoints", "Active endpoints whose breaker is open: one request at a time.")

MAILS = Counter("gateway_mails", "Mails, by what became of an attempt to send them.", ["kind", "outcome"])
MAILS_WAITING = Gauge("gateway_mail_waiting", "Mails that wait to be sent.")
MAILS_OLDEST = Gauge("gateway_mail_oldest_waiting_seconds", "Age of the oldest mail that waits.")
MAIL_RELAY = Gauge("gateway_mail_relay_up", "Whether the relay served the last time that mails were brought to it.")


@lru_cache(1024)  # Asking a metric for its labels costs as much as counting.
def request_observer(transport: str, method: str, status: int) -> Callable[[float], None]:
    """What takes the seconds of one request."""
    return REQUESTS.labels(transport, method, str(status)).observe


def exposition() -> bytes:
    """What has been counted, in Prometheus' text format: by all processes of this API,
    or by this one if it is alone.
    """
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):  # Set by gateway.server.serve where there are several.
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # untyped in the library.
    return generate_latest(registry)


def serve_metrics(host: str, port: int) -> None:
    """Tell this process's metrics on a port of their own, for processes without an API."""
    start_http_server(port, host)


class Output:
    """Where lines of the log go. It never fails: a line that the stream doesn't take, a pipe without a reader or a file
    on a full disk, is counted and lost, and its operation goes on.

    It writes past the stream's buffer, which would keep what has failed and fail with it again, at the exit at the
    latest.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO = getattr(stream, "raw", stream)
        self._torn = False

    def write(self, lines: bytes) -> None:
        """Write whole lines; what was taken of a torn one gets its end first, so that the next is one of its own."""
        begin = int(self._torn)
        data = memoryview(b"\n" + lines if begin else lines)
        at = 0
        try:
            while at < len(data):
                at += self._stream.write(data[at:]) or _refused()
        except (OSError, ValueError):
            LOG_LINES_LOST.inc(bytes(data[max(at, begin) :]).count(b"\n"))
        if at:
            self._torn = data[at - 1] != ord("\n")

    def flush(self) -> None:
        """Nothing is buffered."""


def _refused() -> NoReturn:
    raise BlockingIOError  # As a buffer does where a full pipe takes nothing, and doesn't wait.


class AccessLog:
    """One line per request, in the form of all other lines; silent until `configure_logging` has opened it.

    It passes structlog by, and the lines of one turn of the event loop go out in one write: 5 µs a request instead of
    25 (docs/performance.md).
    """

    def __init__(self) -> None:
        self._stream: Output | None = None
        self._as_text = False
        self._lines: list[bytes] = []

    def open(self, stream: Output | None, *, as_text: bool = False) -> None:
        """Write to `stream` from now on; None is silence."""
        self._stream, self._as_text = stream, as_text

    def write(self, request_id: str, ip: str | None, method: str, path: str, status: int, seconds: float) -> None:
        """Note one answered request, and the address that it came from by what trusted proxies say."""
        if self._stream is None or (self._as_text and path.lower().startswith(_WATCHED_PATHS)):
            return
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._flush)
        if self._as_text:
            text = f"{datetime.now():%H:%M:%S} {status} {method} {_printable(path)} {seconds * 1000:.0f} ms\n"  # noqa: DTZ005  # For who sits before it.
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


def _printable(path: str) -> str:
    return path if path.isprintable() else ascii(path)


access_log = AccessLog()


def configure_logging(level: str, log_format: str = "json") -> None:
    """Send structlog and the standard library's loggers to standard output: as JSON lines, or as text for a terminal,
    which at the level `info` has requests and warnings only.
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
    # It logs every request with its URL, and an engine's URLs name payers' documents.
    for talkative in ("httpx", "httpcore", "alembic.runtime.plugins"):
        logging.getLogger(talkative).setLevel(max(threshold, logging.WARNING))


def _text_renderer() -> list[Any]:
    console = structlog.dev.ConsoleRenderer(
        colors=sys.stdout.isatty(), pad_event=0, exception_formatter=structlog.dev.plain_traceback
    )
    return [structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), console, _encode]


def _encode(_logger: Any, _method: str, text: str) -> bytes:
    return text.encode(errors="backslashreplace")


class _Standard(logging.Handler):
    """Hands records of libraries to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        logger.log(record.levelno, record.getMessage(), exc_info=record.exc_info or None)


def _without_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """PostgreSQL's DETAIL quotes the row that it refused: a payer's document, an e-mail.
    The rest of the trace stays.
    """
    if "exception" in event:
        event["exception"] = _DETAIL.sub("", event["exception"])
    return event


def _dumps(event: dict[str, Any], **_: Any) -> bytes:
    return orjson.dumps(event, default=repr)


_json_timestamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
_json_renderer = structlog.processors.JSONRenderer(serializer=_dumps)
