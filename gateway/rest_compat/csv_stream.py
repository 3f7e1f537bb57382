"""Streamed CSV: RFC 4180 in UTF-8, or for a Brazilian Excel (`formato=excel`). Memory stays constant.

Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). Spreadsheets in
Portuguese separate cells by semicolons, so text after a semicolon is escaped as well. To restore the text, remove one
apostrophe at each such position, as `scripts/verify_audit.py` does.

A store has at most two exports at a time in a process. A third waits without a database connection.
"""

import asyncio
import codecs
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, tzinfo
from typing import Any
from weakref import WeakValueDictionary

import orjson
from msgspec import Struct
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from gateway.errors import ExportsUnderway, GatewayError, InvalidInput
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.exports import Export, ExportFormat
from gateway.rest_compat.envelope import failure, prefers
from gateway.telemetry import log

MEDIA_TYPE = "text/csv; charset=utf-8"
FORMAT_PARAMETER, COLUMNS_PARAMETER = "formato", "columns"
EXPORT_PARAMETERS = frozenset({FORMAT_PARAMETER, COLUMNS_PARAMETER})
SEND_TIMEOUT_SECONDS = 30.0
"""The time for a client to read a chunk; a database connection waits for it."""
MAX_EXPORT_SECONDS = 900.0
"""For a whole export: a million rows over a slow line."""
MAX_EXPORTS_PER_STORE = 2
"""Concurrent exports of a store in a process: all stores share few connections for cursors."""
MAX_WAIT_SECONDS = 50.0
"""For a slot; proxies cancel a response that doesn't start within a minute."""
_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
"""By store, while it exports or waits."""
MAX_CHUNK_CHARACTERS, MAX_CHUNK_ROWS = 64 * 1024, 500
"""Other requests wait some milliseconds for a chunk."""
_DOCUMENTS = (
    (re.compile(r"(\d{3})(\d{3})(\d{3})(\d{2})"), r"\1.\2.\3-\4"),
    (re.compile(r"(\w{2})(\w{3})(\w{3})(\w{4})(\d{2})"), r"\1.\2.\3/\4-\5"),
)
_PHONES = ((re.compile(r"(\d{2})(\d{4,5})(\d{4})"), r"(\1) \2-\3"),)
_PUNCTUATION = {
    **dict.fromkeys(("cpf", "cnpj", "customer_cpf", "pix_key"), _DOCUMENTS),
    **dict.fromkeys(("phone", "customer_phone"), _PHONES),
}
"""Punctuation of documents and phone numbers, by column."""
_SIGNS = "=+@＝＋－＠-"
_FORMULA_AT_START = re.compile(rf"""'*(?:[\t\r]|"*[{_SIGNS}])""")
_BEFORE_FORMULA = re.compile(rf"""[;\t\r\n](?='*"*[{_SIGNS}])""")
"""It starts with a character class, so that a search is fast in long cells."""


def read_format(text: str | None) -> ExportFormat:
    """The value of `formato`. Raises `InvalidInput`."""
    if text is None:
        return ExportFormat.csv
    if text not in set(ExportFormat):
        values = " ou ".join(f"'{each}'" for each in ExportFormat)
        raise InvalidInput((FORMAT_PARAMETER, f"use um destes valores: {values}"))
    return ExportFormat(text)


def wants_csv(accept: str) -> bool:
    """Whether an `Accept` header names `text/csv`, and doesn't prefer JSON."""
    return prefers(accept, "text/csv")


@asynccontextmanager
async def export_slot(store_id: str, receive: Receive, *, max_wait: float = MAX_WAIT_SECONDS) -> AsyncIterator[None]:
    """Hold one of the store's slots, granted in order. Raises `ExportsUnderway` after `max_wait` seconds, and
    `ClientDisconnect` if the client leaves.
    """
    slots = _slots.setdefault(store_id, asyncio.Semaphore(MAX_EXPORTS_PER_STORE))
    await _wait(slots, receive, max_wait)
    try:
        yield
    finally:
        slots.release()


async def _wait(slots: asyncio.Semaphore, receive: Receive, max_wait: float) -> None:
    if not slots.locked():
        await slots.acquire()
        return
    waiting = asyncio.timeout(max_wait)
    disconnected = asyncio.create_task(_stop_if_disconnected(receive, waiting))
    try:
        async with waiting:
            await slots.acquire()
    except TimeoutError:
        raise ClientDisconnect if disconnected.done() else ExportsUnderway from None
    finally:
        disconnected.cancel()


async def _stop_if_disconnected(receive: Receive, waiting: asyncio.Timeout) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    if not waiting.expired():
        waiting.reschedule(asyncio.get_running_loop().time())


class CsvFile(StreamingResponse):
    """The download of one export."""

    def __init__(
        self,
        export: Export,
        csv_format: ExportFormat = ExportFormat.csv,
        *,
        send_seconds: float = SEND_TIMEOUT_SECONDS,
        max_seconds: float = MAX_EXPORT_SECONDS,
    ) -> None:
        self._send_seconds = send_seconds
        self._max_seconds = max_seconds
        self._chunks = _excel_chunks(export) if csv_format is ExportFormat.excel else _chunks(export, _cells, ",")
        disposition = f'attachment; filename="{export.name}.csv"'
        super().__init__(self._chunks, headers={"content-disposition": disposition}, media_type=MEDIA_TYPE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            async with asyncio.timeout(self._send_seconds):
                await send(message)

        async with aclosing(self._chunks):
            try:
                async with asyncio.timeout(self._max_seconds):
                    await super().__call__(scope, receive, send_soon)
            except TimeoutError:
                log.warning("export_abandoned", path=scope["path"])


class Download(Struct, frozen=True):
    """The response of an export: the file, once the store has a free slot."""

    ctx: Context
    store_id: str
    open_file: Callable[[float], Awaitable[Response]]
    """Runs the export; its argument is how many seconds the slot took."""
    max_wait: float = MAX_WAIT_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.monotonic()
        try:
            async with export_slot(self.store_id, receive, max_wait=self.max_wait):
                response = await self._respond(time.monotonic() - began)
                await response(scope, receive, send)
        except ExportsUnderway as error:
            await failure(error, self.ctx.reply)(scope, receive, send)

    async def _respond(self, waited: float) -> Response:
        try:
            return await self.open_file(waited)
        except GatewayError as error:
            return failure(error, self.ctx.reply)


async def _excel_chunks(export: Export) -> AsyncGenerator[bytes, None]:
    yield codecs.BOM_UTF8
    async with aclosing(_chunks(export, _excel_cells, ";")) as chunks:
        async for chunk in chunks:
            yield chunk


async def _chunks(
    export: Export, cells: Callable[[Export, Mapping[str, Any]], Iterable[str]], separator: str
) -> AsyncGenerator[bytes, None]:
    async with aclosing(export.rows) as rows:
        lines = [_line(export.columns, separator)]
        size = 0
        async for row in rows:
            line = _line(cells(export, row), separator)
            lines.append(line)
            size += len(line)
            if size >= MAX_CHUNK_CHARACTERS or len(lines) >= MAX_CHUNK_ROWS:
                yield "".join(lines).encode()
                lines.clear()
                size = 0
                await asyncio.sleep(0)  # Rows of a batch and sends may not yield to other tasks.
        yield "".join(lines).encode()


def _line(cells: Iterable[str], separator: str) -> str:
    return separator.join([_quoted(each, separator) for each in cells]) + "\r\n"


def _quoted(text: str, separator: str) -> str:
    """A cell by RFC 4180; faster than `csv.writer` for long cells."""
    if '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return f'"{text}"' if separator in text or "\n" in text or "\r" in text else text


def _cells(export: Export, row: Mapping[str, Any]) -> list[str]:
    return [_money(row[name]) if name in export.money else cell(row[name], export.zone) for name in export.columns]


def _excel_cells(export: Export, row: Mapping[str, Any]) -> list[str]:
    return [
        _money(row[name]).replace(".", ",") if name in export.money else _excel_cell(name, row[name], export.zone)
        for name in export.columns
    ]


def _money(centavos: int | None) -> str:
    if centavos is None:
        return ""
    whole, rest = divmod(abs(centavos), 100)
    return f"{'-' if centavos < 0 else ''}{whole}.{rest:02d}"


def cell(value: Any, zone: tzinfo = UTC) -> str:
    """A value as a cell: null is empty, a time ISO 8601, an object JSON, and no text a formula."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _without_formulas(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat()
    return _without_formulas(orjson.dumps(value).decode())


def _without_formulas(text: str) -> str:
    """Put an apostrophe where a formula would begin."""
    if _FORMULA_AT_START.match(text):
        text = f"'{text}"
    return _BEFORE_FORMULA.sub(r"\g<0>'", text)


def _excel_cell(name: str, value: Any, zone: tzinfo) -> str:
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, datetime):
        return value.astimezone(zone).strftime("%d/%m/%Y %H:%M:%S")
    # Excel reads bare digits as a number, without leading zeros.
    for bare, punctuated in _PUNCTUATION.get(name, ()) if isinstance(value, str) else ():
        value = bare.sub(punctuated, value) if bare.fullmatch(value) else value
    return cell(value, zone)
