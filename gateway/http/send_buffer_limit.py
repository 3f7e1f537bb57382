"""Close a connection whose client does not read its response, and limit what all of them hold in memory."""

import asyncio
import fcntl
import struct
import termios
from contextlib import suppress

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SEND_TIMEOUT_SECONDS = 600.0
_MIN_SEND_BYTES_PER_SECOND = 1024
"""A client reads a waiting response within this time, and so much of it in each second."""

_waiting: set["SendBufferLimit"] = set()
"""Connections of this process with a response that waits for its client."""


class SendBufferLimit(HttpToolsProtocol):
    """uvicorn's protocol with these limits."""

    check_interval = 15.0
    """Seconds from one check of a client to the next."""
    max_unsent_bytes = 256 * 1024 * 1024
    """Of waiting responses in a process. The connection with the most is closed first."""
    _send_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_checking()

    def pause_writing(self) -> None:
        super().pause_writing()
        _waiting.add(self)
        min_bytes = max(_MIN_SEND_BYTES_PER_SECOND, self._buffer_size() / _SEND_TIMEOUT_SECONDS)
        self._check_later(min_bytes * self.check_interval, self._unread_bytes())
        buffers = {each: each._buffer_size() for each in _waiting}  # noqa: SLF001  # Of this class.
        while sum(buffers.values()) > self.max_unsent_bytes:
            largest = max(buffers, key=buffers.__getitem__)
            largest.transport.abort()
            del buffers[largest]

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_checking()

    def _stop_checking(self) -> None:
        _waiting.discard(self)
        if self._send_timer is not None:
            self._send_timer.cancel()

    def _check_later(self, min_bytes: float, unread: int) -> None:
        self._send_timer = self.loop.call_later(self.check_interval, self._check_client, min_bytes, unread)

    def _check_client(self, min_bytes: float, unread_before: int) -> None:
        unread = self._unread_bytes()
        if unread_before - unread < min_bytes:
            self.transport.abort()
        else:
            self._check_later(min_bytes, unread)

    def _buffer_size(self) -> int:
        return self.transport.get_write_buffer_size()

    def _unread_bytes(self) -> int:
        """Bytes in this process and in the kernel (tcp(7), SIOCOUTQ), which takes more only in steps of megabytes."""
        unsent = bytes(4)
        with suppress(OSError):
            unsent = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, unsent)
        return self._buffer_size() + int(struct.unpack("i", unsent)[0])
