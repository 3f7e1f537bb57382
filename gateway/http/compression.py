"""Gzips responses that `Accept-Encoding` allows. Streams are not compressed."""

import re
import zlib
from collections.abc import Iterator
from functools import lru_cache

from anyio import to_thread
from starlette.types import Message, Send

from gateway.http.accept import parse_weights

MIN_COMPRESSED_BYTES = 1024
"""A shorter response fits one packet."""
MAX_INLINE_BYTES = 128 * 1024
"""A longer response is compressed in a thread, so that the event loop waits at most a millisecond."""
_LEVEL = 1
_GZIP = 16 + zlib.MAX_WBITS
_TYPES = re.compile(
    rb"(?:text/(?!event-stream)|application/(?:[a-z0-9.-]+\+)?json|application/javascript|image/svg)", re.IGNORECASE
)


@lru_cache(maxsize=256)
def takes_gzip(accepted: str) -> bool:
    """Whether an `Accept-Encoding` allows gzip and doesn't prefer identity (RFC 9110, section 12.5.3)."""
    weights = parse_weights(accepted)
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


class CompressingSend:
    """An ASGI `send` that compresses longer responses in one chunk. `accepted` is the `Accept-Encoding`."""

    def __init__(self, send: Send, accepted: bytes | None) -> None:
        self._send = send
        self._takes_gzip = accepted is not None and takes_gzip(accepted.decode("latin-1"))
        self._start: Message | None = None
        """The start of a response that waits for its body."""

    @property
    def is_waiting(self) -> bool:
        """Whether the start of a response is held back."""
        return self._start is not None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_compressible(message["headers"]):
            _add_vary(message["headers"])
            if self._takes_gzip:
                self._start = message
                return
        elif self._start is not None:
            start, self._start = self._start, None
            if not message.get("more_body"):
                start, message = await _compress(start, message)
            await self._send(start)
        await self._send(message)


def _is_compressible(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a response is long, of a compressible type, and not encoded. Streams have no length."""
    length, kind = 0, b""
    for name, value in headers:
        if name == b"content-length":
            length = int(value)
        elif name == b"content-type":
            kind = value
        elif name == b"content-encoding":
            return False
    return length >= MIN_COMPRESSED_BYTES and _TYPES.match(kind) is not None


def _add_vary(headers: list[tuple[bytes, bytes]]) -> None:
    """Mark a response as dependent on `Accept-Encoding`."""
    if not any(name == b"vary" and b"accept-encoding" in value.lower() for name, value in headers):
        headers.append((b"vary", b"Accept-Encoding"))


async def _compress(start: Message, body: Message) -> tuple[Message, Message]:
    content: bytes = body["body"]
    packed = _gzip(content) if len(content) <= MAX_INLINE_BYTES else await to_thread.run_sync(_gzip, content)
    return {**start, "headers": list(_headers_of_gzip(start["headers"], len(packed)))}, {**body, "body": packed}


def _gzip(content: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packer.compress(content) + packer.flush()


def _headers_of_gzip(headers: list[tuple[bytes, bytes]], size: int) -> Iterator[tuple[bytes, bytes]]:
    yield b"content-encoding", b"gzip"
    for name, value in headers:
        if name == b"content-length":
            yield name, b"%d" % size
        elif name == b"etag" and not value.startswith(b"W/"):
            yield name, b"W/" + value  # Weak: the bytes differ.
        else:
            yield name, value
