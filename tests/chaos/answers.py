"""How a merchant's server can respond. Each mode is a function of one connection after its request.

It returns the status that it sent, or None if it never did.
"""

import asyncio
import gzip
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from typing import Any

Mode = Callable[..., Awaitable[int | None]]
Options = dict[str, Any]

CHUNK = b"x" * 65536
DROP_SECONDS = 0.05


async def say(writer: StreamWriter, status: int, body: bytes = b"", *headers: str) -> int:
    lines = "".join(f"{header}\r\n" for header in headers)
    writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body)
    await writer.drain()
    return status


async def ok(_: StreamReader, writer: StreamWriter, options: Options) -> int:
    return await say(writer, 200, b"o" * options.get("size", 2))


async def delay(_: StreamReader, writer: StreamWriter, options: Options) -> int:
    await asyncio.sleep(options["seconds"])
    return await say(writer, 200, b"ok")


async def hang(reader: StreamReader, _: StreamWriter, __: Options) -> None:
    await reader.read()


async def status(_: StreamReader, writer: StreamWriter, options: Options) -> int:
    return await say(writer, options["code"], b"no")


async def fail_first(_: StreamReader, writer: StreamWriter, options: Options) -> int:
    """500 to the first `times` requests with the same webhook-id, then 200."""
    return await say(writer, 500 if options["seen"] <= options["times"] else 200)


async def redirect(_: StreamReader, writer: StreamWriter, options: Options) -> int:
    return await say(writer, options["code"], b"", f"Location: {options['to']}")


async def drip_body(_: StreamReader, writer: StreamWriter, __: Options) -> int:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    await _repeat(writer, b"x", DROP_SECONDS)
    return 200


async def drip_header(_: StreamReader, writer: StreamWriter, __: Options) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    await _repeat(writer, b"x", DROP_SECONDS)


async def flood_1xx(_: StreamReader, writer: StreamWriter, __: Options) -> None:
    await _repeat(writer, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)


async def endless(_: StreamReader, writer: StreamWriter, __: Options) -> int:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    await _repeat(writer, b"10000\r\n" + CHUNK + b"\r\n")
    return 200


async def huge(_: StreamReader, writer: StreamWriter, __: Options) -> int:
    """A failure with a Content-Length of a gigabyte."""
    writer.write(b"HTTP/1.1 500 X\r\nContent-Length: 1073741824\r\n\r\n")
    await _repeat(writer, CHUNK)
    return 500


async def gzip_bomb(_: StreamReader, writer: StreamWriter, __: Options) -> int:
    """64 MiB of zeroes in 64 KiB."""
    return await say(writer, 200, BOMB, "Content-Encoding: gzip", "Content-Type: application/json")


async def garbage(_: StreamReader, writer: StreamWriter, __: Options) -> None:
    writer.write(bytes(range(256)) * 16)
    await writer.drain()


async def early_close(_: StreamReader, writer: StreamWriter, __: Options) -> None:
    writer.transport.abort()


async def nul_body(_: StreamReader, writer: StreamWriter, __: Options) -> int:
    """A failure with a body that is no valid text in PostgreSQL: NUL and invalid UTF-8."""
    return await say(writer, 500, b"\x00\xff\xfe\xc3\x28 \x00")


async def _repeat(writer: StreamWriter, piece: bytes, pause: float = 0.0) -> None:
    try:
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
    except OSError:
        return


BOMB = gzip.compress(bytes(64 * 1024 * 1024))
HOSTILE = (drip_body, drip_header, flood_1xx, endless, huge, gzip_bomb, garbage, early_close, nul_body)
MODES: dict[str, Mode] = {mode.__name__: mode for mode in (ok, delay, hang, status, fail_first, redirect, *HOSTILE)}
