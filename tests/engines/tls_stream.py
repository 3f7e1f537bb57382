"""The server's side of a TLS connection that sends its alerts. asyncio's own drops the connection instead."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

CHUNK = 65_536


class TlsStream:
    """Read and write like asyncio's streams, after `handshake`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, context: ssl.SSLContext) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._buffer = b""

    async def handshake(self) -> None:
        try:
            await self._run(self._tls.do_handshake)
        except ssl.SSLError:
            # Read what the client has sent: unread data would reset the connection, and the alert would be lost.
            with suppress(OSError):
                self._writer.write_eof()
                while await self._reader.read(CHUNK):
                    pass
            raise

    @property
    def common_name(self) -> str:
        """The common name in the client's certificate."""
        certificate: Any = self._tls.getpeercert() or {}
        return str(dict(pair for names in certificate.get("subject", ()) for pair in names).get("commonName", ""))

    async def readuntil(self, separator: bytes) -> bytes:
        while separator not in self._buffer:
            await self._fill()
        return self._take(self._buffer.index(separator) + len(separator))

    async def readexactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            await self._fill()
        return self._take(count)

    async def send(self, data: bytes) -> None:
        await self._run(self._tls.write, data)

    def _take(self, count: int) -> bytes:
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    async def _fill(self) -> None:
        data = await self._run(self._tls.read, CHUNK)
        if not data:
            raise asyncio.IncompleteReadError(self._buffer, None)
        self._buffer += data

    async def _run(self, action: Callable[..., Any], *arguments: Any) -> Any:
        while True:
            try:
                return action(*arguments)
            except ssl.SSLWantReadError:
                await self._flush()
                data = await self._reader.read(CHUNK)
                if not data:
                    raise asyncio.IncompleteReadError(b"", None) from None
                self._incoming.write(data)
            finally:
                await self._flush()

    async def _flush(self) -> None:
        data = self._outgoing.read()
        if data:
            self._writer.write(data)
            await self._writer.drain()
