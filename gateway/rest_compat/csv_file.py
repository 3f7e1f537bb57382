"""CSV answers, streamed: RFC 4180 in UTF-8 for programs, or as a Brazilian Excel opens it (`formato=excel`). Memory
stays constant, and a caller who leaves frees the connection at once.

Text that a spreadsheet would run as a formula gets an apostrophe before it (OWASP, CSV injection): a payer chooses
their own name, and the merchant opens the file. Spreadsheets in Portuguese expect semicolons between cells, so for them
a cell begins after each, quoted or not. Who takes one apostrophe away in each such place has the text as it was:
`scripts/verify_audit.py` does.

Two exports of one store are under way in a process at most. Another one waits for its turn, and holds no connection
meanwhile.
"""

import asyncio
import codecs
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any
from weakref import WeakValueDictionary

import orjson
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from gateway.errors import ExportsUnderway, InvalidInput
from gateway.resolvers.core.listing.exports import Export
from gateway.rest_compat.accept import prefers
from gateway.telemetry import log

MEDIA_TYPE = "text/csv; charset=utf-8"
FORMAT_PARAMETER = "formato"
LONGEST_SEND = 30.0
"""Seconds until a caller who doesn't read is given up: a connection to the database waits for them."""
LONGEST_EXPORT = 900.0
"""Seconds for the whole of it, which a million rows take over a slow line: others may wait for their turn."""
MOST_OF_ONE = 2
"""Exports of one store side by side in a process: all stores share the few connections that cursors may keep."""
LONGEST_WAIT = 50.0
"""Seconds until a turn: proxies give an answer up that hasn't begun after a minute."""
_places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
"""Of each store that is exporting or waiting to."""
MAX_CHUNK_CHARACTERS, MAX_CHUNK_ROWS = 64 * 1024, 500
"""Other requests wait while one chunk is written: some milliseconds."""
_DOCUMENTS = (
    (re.compile(r"(\d{3})(\d{3})(\d{3})(\d{2})"), r"\1.\2.\3-\4"),
    (re.compile(r"(\w{2})(\w{3})(\w{3})(\w{4})(\d{2})"), r"\1.\2.\3/\4-\5"),
)
_PHONES = ((re.compile(r"(\d{2})(\d{4,5})(\d{4})"), r"(\1) \2-\3"),)
_PUNCTUATION = {
    **dict.fromkeys(("cpf", "cnpj", "customer_cpf", "pix_key"), _DOCUMENTS),
    **dict.fromkeys(("phone", "customer_phone"), _PHONES),
}
"""How the columns of documents and phone numbers are written for people."""
_SIGNS = "=+@＝＋－＠-"
_FORMULA_AT_START = re.compile(rf"""'*(?:[\t\r]|"*[{_SIGNS}])""")
_BEFORE_FORMULA = re.compile(rf"""[;\t\r\n](?='*"*[{_SIGNS}])""")
"""Begins with a set of characters, which a search for it skips to: a cell may hold many kilobytes."""


class Format(StrEnum):
    """How an export is written."""

    csv = "csv"
    """For programs: commas, points in numbers, ISO 8601 with the offset."""
    excel = "excel"
    """For a Brazilian Excel: a byte order mark, semicolons, decimal commas, dates as it reads them."""


def read_format(text: str | None) -> Format:
    """The value of `formato`. Raises `InvalidInput`."""
    if text is None:
        return Format.csv
    if text not in set(Format):
        values = " ou ".join(f"'{each}'" for each in Format)
        raise InvalidInput((FORMAT_PARAMETER, f"use um destes valores: {values}"))
    return Format(text)


def wants_csv(accept: str) -> bool:
    """Whether an `Accept` header names `text/csv`, and doesn't prefer JSON."""
    return prefers(accept, "text/csv")


@asynccontextmanager
async def turn_of(store_id: str, receive: Receive, *, longest: float = LONGEST_WAIT) -> AsyncIterator[None]:
    """Around an export of the store's, in the order in which they came. Raises `ExportsUnderway` where it can't have
    its turn in time, and `ClientDisconnect` where whoever asked for it has gone.
    """
    places = _places.setdefault(store_id, asyncio.Semaphore(MOST_OF_ONE))
    await _wait(places, receive, longest)
    try:
        yield
    finally:
        places.release()


async def _wait(places: asyncio.Semaphore, receive: Receive, longest: float) -> None:
    if not places.locked():
        await places.acquire()  # Which is at once.
        return
    waiting = asyncio.timeout(longest)
    gone = asyncio.create_task(_give_up_if_gone(receive, waiting))
    try:
        async with waiting:
            await places.acquire()
    except TimeoutError:
        raise ClientDisconnect if gone.done() else ExportsUnderway from None
    finally:
        gone.cancel()


async def _give_up_if_gone(receive: Receive, waiting: asyncio.Timeout) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    if not waiting.expired():
        waiting.reschedule(asyncio.get_running_loop().time())


class CsvFile(StreamingResponse):
    """The download of one export."""

    def __init__(
        self,
        export: Export,
        written: Format = Format.csv,
        *,
        patience: float = LONGEST_SEND,
        longest: float = LONGEST_EXPORT,
    ) -> None:
        self._patience = patience
        self._longest = longest
        self._chunks = _excel_chunks(export) if written is Format.excel else _chunks(export, _cells, ",")
        disposition = f'attachment; filename="{export.name}.csv"'
        super().__init__(self._chunks, headers={"content-disposition": disposition}, media_type=MEDIA_TYPE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            async with asyncio.timeout(self._patience):
                await send(message)

        async with aclosing(self._chunks):
            try:
                async with asyncio.timeout(self._longest):
                    await super().__call__(scope, receive, send_soon)
            except TimeoutError:
                log.warning("export_abandoned", path=scope["path"])


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
                await asyncio.sleep(0)  # The rows of a batch come without a pause, and a send need not wait.
        yield "".join(lines).encode()


def _line(cells: Iterable[str], separator: str) -> str:
    return separator.join([_quoted(each, separator) for each in cells]) + "\r\n"


def _quoted(text: str, separator: str) -> str:
    """A cell after RFC 4180. `csv.writer` writes the same, in thirty times the time for a long cell."""
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
    """One value as a cell: nothing is empty, a time is ISO 8601, an object is JSON, no text is a formula."""
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
    """Put an apostrophe wherever a formula would begin."""
    if _FORMULA_AT_START.match(text):
        text = f"'{text}"
    return _BEFORE_FORMULA.sub(r"\g<0>'", text)


def _excel_cell(name: str, value: Any, zone: tzinfo) -> str:
    if isinstance(value, bool):
        return "sim" if value else "não"
    if isinstance(value, datetime):
        return value.astimezone(zone).strftime("%d/%m/%Y %H:%M:%S")
    # Excel reads bare digits as a number, without the zeros in front.
    for bare, punctuated in _PUNCTUATION.get(name, ()) if isinstance(value, str) else ():
        value = bare.sub(punctuated, value) if bare.fullmatch(value) else value
    return cell(value, zone)
