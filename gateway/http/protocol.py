"""uvicorn's HTTP protocol with limits: of heads, trailers and chunks, and of the time in which a request arrives.

It refuses a request that a proxy in front may read differently: where it ends, and for which host it is.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import AddressValueError, IPv6Address
from typing import NoReturn

import orjson

from gateway.http.responses import DEFAULT_HEADERS, error_body
from gateway.http.send_buffer_limit import SendBufferLimit
from gateway.values.ids import new_id

AT_SHUTDOWN = "gateway.at_shutdown"
"""Key of the scope for the function that ends an endless response. It is called when the server stops."""
MAX_HEAD_BYTES = 64 * 1024
"""Bytes of a request's line and headers, and of its trailers."""
MAX_HEADERS = 100
_SMALL_CHUNKS, _MIN_CHUNK_BYTES = 1000, 128
"""A body with more chunks needs so many bytes in each, on average."""
_MIN_REQUEST_BYTES_PER_SECOND = 500.0
_BAD_REQUEST = "400 Bad Request"
_NOT_HTTP = (_BAD_REQUEST, "A requisição não é HTTP válida.")
_TOO_SLOW = ("408 Request Timeout", "A requisição demorou demais para chegar inteira.")
_TOO_LARGE = ("431 Request Header Fields Too Large", "O cabeçalho da requisição passa de 64 KiB.")
_TOO_MANY = ("431 Request Header Fields Too Large", f"A requisição tem mais de {MAX_HEADERS} cabeçalhos.")
_TINY_CHUNKS = (_BAD_REQUEST, "O corpo vem em pedaços pequenos demais.")

_HOST = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+)(?::([0-9]{0,5}))?")
"""`uri-host [ ":" port ]` (RFC 9110, section 7.2) without the comma, which joins two values."""
_MAX_PORT = 65535


class HttpProtocol(SendBufferLimit):
    """What `gateway serve` passes to uvicorn."""

    read_timeout = 20.0
    """Seconds for a request to arrive, and one more for each 500 bytes of it."""
    url = b""
    _unparsed = _chunks = _chunk_bytes = 0
    _in_body = False
    _refusal = _NOT_HTTP
    _timer: asyncio.TimerHandle | None = None
    """Runs while a request is incomplete. One that comes in one piece does not start it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # As in uvicorn.
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(self.read_timeout, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._cancel_timer()

    def data_received(self, data: bytes) -> None:
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > MAX_HEAD_BYTES:
            self._refuse(*_TOO_LARGE)
        if not self._in_body and not self._unparsed:
            self._cancel_timer()
            return
        if self._timer is None:
            self._deadline = self.loop.time() + self.read_timeout
            self._timer = self.loop.call_at(self._deadline, self._check_deadline)
        self._deadline += len(data) / _MIN_REQUEST_BYTES_PER_SECOND

    def _check_deadline(self) -> None:
        if self.loop.time() < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._check_deadline)
        else:
            self._refuse(*_TOO_SLOW)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= MAX_HEADERS:
            self._stop(_TOO_MANY)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > MAX_HEAD_BYTES:
            self._stop(_TOO_LARGE)
        if error := find_head_error(self.parser.get_http_version(), self.headers):
            self._stop((_BAD_REQUEST, error))
        super().on_headers_complete()
        self._unparsed, self._in_body, self._chunks, self._chunk_bytes = 0, True, 0, 0
        self.headers = []  # For trailers, which must not extend headers set by a proxy.

    def on_chunk_header(self) -> None:
        if self._chunks >= _SMALL_CHUNKS and self._chunk_bytes < self._chunks * _MIN_CHUNK_BYTES:
            self._stop(_TINY_CHUNKS)
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        self._unparsed = 0
        self._chunk_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed, self._in_body = 0, False
        super().on_message_complete()

    def _stop(self, refusal: tuple[str, str]) -> NoReturn:
        """Leave the parser; uvicorn calls `send_400_response`."""
        self._refusal = refusal
        raise ValueError

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(*self._refusal)

    def _refuse(self, status: str, message: str) -> None:
        """Close, with an error unless the client would take it for the response to an earlier request."""
        if self._in_body:
            is_expected = not self.cycle.response_started and not self.pipeline
        else:
            is_expected = self._unparsed > 0 and (self.cycle is None or self.cycle.response_complete)
        if is_expected and not self.transport.is_closing():
            path = self.url.partition(b"?")[0].decode("latin-1")
            body = orjson.dumps(error_body(path, int(status[:3]), {"message": message}))
            headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
            headers += [(b"x-request-id", new_id().encode()), (b"connection", b"close"), *DEFAULT_HEADERS]
            head = b"".join(b"%b: %b\r\n" % header for header in headers)
            self.transport.write(b"HTTP/1.1 %b\r\n%b\r\n%b" % (status.encode(), head, body))
        self.transport.close()

    def shutdown(self) -> None:
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete and AT_SHUTDOWN in self.cycle.scope:
            self.cycle.scope[AT_SHUTDOWN]()  # type: ignore[literal-required]  # A key of ours.


def find_head_error(version: str, headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """What is wrong with a request of this HTTP version (RFC 9112, sections 3.2 and 6.1). Names are in lower case."""
    hosts = [value for name, value in headers if name == b"host"]
    encodings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    if version not in {"1.1", "1.0"}:
        return "A requisição não é HTTP válida."
    if (version == "1.1" or hosts) and (len(hosts) != 1 or not _is_host(hosts[0])):
        return "A requisição deve ter exatamente um cabeçalho Host, com um nome ou endereço válido."
    if encodings and (encodings != [b"chunked"] or version == "1.0"):
        return "Transfer-Encoding deve ser apenas chunked, uma vez, em HTTP/1.1."
    return None


def _is_host(value: bytes) -> bool:
    found = _HOST.fullmatch(value)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return False
    with suppress(AddressValueError):
        return found[1] is None or IPv6Address(found[1].decode()) is not None
    return False
