"""uvicorn's HTTP protocol, writing head and body of an answer at once, and reading requests that end, and in time.

uvicorn hands the transport the head, then the body, and each becomes a system call and a TCP segment of its own that
wakes the client: for a short answer, that is a tenth of the server's time (docs/performance.md).

uvicorn also keeps what comes before a head's end however much it is, and takes the trailers of a chunked body for
headers of the request: where a proxy's header says whose request it is, the caller's own word would stand after it. And
it waits for ever for the rest of a request, so that a caller with a thousand connections and a byte for each of them
now and then keeps all others out. And it keeps what was answered for as long as nobody reads it: a caller who asks for
long lists and reads none fills the memory of all.
"""

import asyncio
import fcntl
import re
import socket
import struct
import termios
from collections.abc import Callable
from ipaddress import AddressValueError, IPv6Address
from typing import Any, NoReturn, cast

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway.error_body import error_body
from gateway.headers import OURS
from gateway.ids import new_id

AT_SHUTDOWN = "gateway.at_shutdown"
"""Where a request that would last for ever puts into its scope what ends it, to be called when the server stops."""

LONGEST_HEAD = 64 * 1024
"""Bytes of a request's line and headers. Also of what may come between two parts of a body, and after its last one."""

MAX_HEADERS = 100
"""Header lines of a request, and trailers after its body. Each line costs time in every layer that reads headers."""

MIN_CHUNK_BYTES = 128
_MAX_SMALL_CHUNKS = 1000
"""A body's chunks have to hold so many bytes each, on average, once there are more than so many of them."""

SLOWEST = 500.0
"""Bytes a second, on average, at which a request has to come, after the `patience` for its beginning: a document on
a bad mobile connection does.
"""

_TAKEN_WITHIN, _LEAST_TAKEN = 600.0, 1024
"""An answer has to be read within so many seconds, and so many bytes of it in each."""

_NOT_HTTP = ("400 Bad Request", "A requisição não é HTTP válida.")
_TOO_SLOW = ("408 Request Timeout", "A requisição demorou demais para chegar inteira.")
_TOO_LONG = ("431 Request Header Fields Too Large", "O cabeçalho da requisição passa de 64 KiB.")
_TOO_MANY = ("431 Request Header Fields Too Large", f"A requisição tem mais de {MAX_HEADERS} cabeçalhos.")
_SMALL_CHUNKS = ("400 Bad Request", "O corpo vem em pedaços pequenos demais.")
_WRONG_HOST = ("400 Bad Request", "A requisição deve ter exatamente um cabeçalho Host, com um nome ou endereço válido.")
_WRONG_ENCODING = ("400 Bad Request", "Transfer-Encoding deve ser apenas chunked, uma vez, em HTTP/1.1.")

_HOST = re.compile(rb"(?:\[([0-9A-Fa-f:.]+)\]|(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+)(?::([0-9]{0,5}))?")
"""`uri-host [ ":" port ]` (RFC 9110, section 7.2) without the comma, which joins two values."""
_MAX_PORT = 65535


def _is_host(value: bytes) -> bool:
    """Whether it can be the value of a `Host` header."""
    found = _HOST.fullmatch(value)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return False
    try:
        return found[1] is None or IPv6Address(found[1].decode()) is not None
    except AddressValueError:
        return False


class Joined:
    """A transport that writes what was written in one turn of the event loop as one. All else passes through."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)

    def close(self) -> None:
        """Close once everything has been written."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.write(b"".join(pieces))


class Unsent:
    """The connections of a process whose answers wait to be read, each with how much that was when it began to wait.

    Nearly every longer answer waits for a moment, so the sum is kept at hand; it is never less than what there is.
    """

    def __init__(self) -> None:
        self._held: dict[HttpProtocol, int] = {}
        self._sum = 0

    def add(self, connection: "HttpProtocol", size: int) -> None:
        self._held[connection] = size
        self._sum += size

    def discard(self, connection: "HttpProtocol") -> None:
        self._sum -= self._held.pop(connection, 0)

    def keep_within(self, most: int) -> None:
        """Cut off the readers who have most before them, until what is kept for all is within bounds."""
        if self._sum <= most:
            return
        held = {connection: connection.unsent_bytes() for connection in self._held}
        while sum(held.values()) > most:
            largest = max(held, key=held.__getitem__)
            largest.transport.abort()
            del held[largest]


_all_unsent = Unsent()


def _in_the_kernel(connection: socket.socket) -> int:
    """Bytes that were sent and not acknowledged (tcp(7), SIOCOUTQ); 0 where the system doesn't tell."""
    try:
        (held,) = struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))
    except OSError:
        return 0
    return int(held)


def _nothing() -> None:
    """What most requests have to do when the server stops."""


class HeadRefused(Exception):
    """Raised through the parser, which then reads no further. The arguments are those of `_refuse`."""


class HttpProtocol(HttpToolsProtocol):
    """What `gateway serve` tells uvicorn to speak HTTP with."""

    patience = 20.0
    """Seconds for a request to come, or for the first one to begin; more for each byte of it (`SLOWEST`)."""

    look = 15.0
    """Seconds from one look to the next at whether an answer is being read."""
    most_unsent = 256 * 1024 * 1024
    """Bytes of answers that a process keeps for callers who take their time. Who has most of it is cut off first."""

    url = b""
    """Also where nothing has come that is one."""

    _unread = 0
    """Bytes since the last head, part of a body or request was whole."""
    _body_is_coming = False
    _chunks = 0
    _chunk_bytes = 0
    _refusal = _NOT_HTTP
    """What to answer when the parser stops."""
    _due = 0.0
    _held = 0
    """Bytes of an answer that had to wait to be read."""
    _left = 0
    """What was left of it at the last look, with what the kernel holds."""
    _reading: asyncio.TimerHandle | None = None
    """Runs while there is more to be sent than the transport cares to hold."""
    _limit: asyncio.TimerHandle | None = None
    """Runs until the first request, and then while one is incomplete: one that comes at once never sets it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it, too.
        super().connection_made(cast("asyncio.Transport", Joined(transport, self.loop)))
        self._expect(b"")

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._expect_no_more()
        self._all_was_read()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._held, self._left = self.unsent_bytes(), self._unread_bytes()
        self._reading = self.loop.call_later(self.look, self._judge_reader)
        _all_unsent.add(self, self._held)
        _all_unsent.keep_within(self.most_unsent)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._all_was_read()

    def _all_was_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
            _all_unsent.discard(self)

    def unsent_bytes(self) -> int:
        """How much of what was answered waits in this process for its reader."""
        return self.transport.get_write_buffer_size()

    def _unread_bytes(self) -> int:
        """The same with what the kernel holds, which takes more only when a third of its megabytes is read: a minute
        of a bad connection in which the process has just as much as before.
        """
        return self.unsent_bytes() + _in_the_kernel(self.transport.get_extra_info("socket"))

    def _judge_reader(self) -> None:
        """Cut off who takes too little of an answer. Nothing is added to it while it waits."""
        left = self._unread_bytes()
        if self._left - left < self.look * max(_LEAST_TAKEN, self._held / _TAKEN_WITHIN):
            self.transport.abort()
            return
        self._left = left
        self._reading = self.loop.call_later(self.look, self._judge_reader)

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        super().data_received(data)
        if self._unread > LONGEST_HEAD and not self.transport.is_closing():
            self._refuse(*_TOO_LONG)
        if self._body_is_coming or self._unread:
            self._expect(data)
        elif self._limit is not None:
            self._expect_no_more()

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= MAX_HEADERS:
            self._stop(_TOO_MANY)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        # What came at once with the head, or before it, counts with it: only then it is worth adding up.
        if self._unread > LONGEST_HEAD and self._length_of_head() > LONGEST_HEAD:
            self._stop(_TOO_LONG)
        self._check_head()
        super().on_headers_complete()
        self._unread, self._body_is_coming = 0, True
        self._chunks = self._chunk_bytes = 0
        self.headers = []  # Trailers go here, and not where the request's own headers are.

    def _check_head(self) -> None:
        """Refuse what a proxy in front may read differently: where a request ends, and for whom it is (RFC 9112,
        sections 3.2 and 6.1).
        """
        version = self.parser.get_http_version()
        if version not in {"1.1", "1.0"}:
            self._stop(_NOT_HTTP)
        hosts = [value for name, value in self.headers if name == b"host"]
        optional = version == "1.0" and not hosts
        if not optional and (len(hosts) != 1 or not _is_host(hosts[0])):
            self._stop(_WRONG_HOST)
        encodings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if encodings and (encodings != [b"chunked"] or version == "1.0"):
            self._stop(_WRONG_ENCODING)

    def _stop(self, refusal: tuple[str, str]) -> NoReturn:
        self._refusal = refusal
        raise HeadRefused(*refusal)

    def on_chunk_header(self) -> None:
        if self._chunks >= _MAX_SMALL_CHUNKS and self._chunk_bytes < self._chunks * MIN_CHUNK_BYTES:
            self._stop(_SMALL_CHUNKS)
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        self._chunk_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread, self._body_is_coming = 0, False
        super().on_message_complete()

    def _expect(self, data: bytes) -> None:
        """The rest of a request, of which this has come now."""
        if self._limit is None:
            self._due = self.loop.time() + self.patience
            self._limit = self.loop.call_at(self._due, self._judge_pace)
        self._due += len(data) / SLOWEST

    def _expect_no_more(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _judge_pace(self) -> None:
        if self.loop.time() < self._due:
            self._limit = self.loop.call_at(self._due, self._judge_pace)
        elif self._may_answer():
            self._refuse(*_TOO_SLOW)
        else:
            self.transport.close()

    def _may_answer(self) -> bool:
        """Whether a refusal would stand where an answer is expected: not in the middle of another,
        nor where nothing was asked.
        """
        if self._body_is_coming:
            return not self.cycle.response_started and not self.pipeline
        return self._unread > 0 and (self.cycle is None or self.cycle.response_complete)

    def _length_of_head(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + len(": \r\n") for name, value in self.headers)

    def shutdown(self) -> None:
        """Finish the request under way and close; one that waits for something to happen is told to end."""
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete:
            cast("Callable[[], None]", self.cycle.scope.get(AT_SHUTDOWN, _nothing))()

    def send_400_response(self, msg: str) -> None:
        """Answer what can't be read as HTTP."""
        del msg
        if not self._may_answer():
            self.transport.close()  # A refusal here would be read as the answer to an earlier request.
            return
        too_long = self._refusal is _NOT_HTTP and self._unread > LONGEST_HEAD
        self._refuse(*(_TOO_LONG if too_long else self._refusal))

    def _refuse(self, status: str, message: str) -> None:
        """Answer in the form of every other error, and close; the application never sees it."""
        path = self.url.partition(b"?")[0].decode("latin-1")
        body = orjson.dumps(error_body(path, int(status[:3]), {"message": message}))
        lines = (
            f"HTTP/1.1 {status}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            f"x-request-id: {new_id()}",
            "connection: close",
        )
        ours = b"".join(b"%b: %b\r\n" % header for header in OURS)
        self.transport.write("\r\n".join((*lines, "")).encode() + ours + b"\r\n" + body)
        self.transport.close()
