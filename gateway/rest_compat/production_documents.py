"""Upload of documents as a multipart form, and their download as an attachment."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any

from anyio import to_thread
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import Response
from starlette.types import Receive

from gateway.errors import FileTooLarge, InvalidInput, NotAForm
from gateway.http.request_body import read_chunk, require_uncompressed
from gateway.resolvers.core.tickets import read_ticket
from gateway.resolvers.production.documents import upload_document
from gateway.resolvers.production.types import MAX_FILE_BYTES
from gateway.rest_compat.app import Call

UPLOAD_PATH = "/production/documents"
TICKET_UPLOADS = "/uploads/"
MAX_FORM_BYTES = MAX_FILE_BYTES + 64 * 1024
"""The largest file, and the rest of the form."""
_MAX_FIELD_BYTES = 1024
_MAX_BYTES_IN_MEMORY = 64 * 1024
"""Of a file that is being received by a ticket; the rest is on disk."""
_MAX_FILES_IN_MEMORY = 4
"""Limit of one process. During the upload a file is on disk, unnamed."""
_memory_slots = asyncio.Semaphore(_MAX_FILES_IN_MEMORY)
_UNREADABLE = "O formulário não pode ser lido."


async def upload(call: Call) -> Response:
    """Authorize the caller, read the form up to its limit, and store the file."""
    parser = _Form(call.headers, _bounded(call.receive, MAX_FORM_BYTES))
    try:
        ctx, form = await call.authorize_and_read(partial(_read, call, parser))
        async with _memory_slots:
            result = await call.endpoint.operation.run(ctx, await _raw_input(form))
    finally:
        parser.close()
    return call.succeed(result, call.endpoint.status, ctx)


async def upload_by_ticket(call: Call) -> Response:
    """Check the ticket, read the body up to its limit, and store the file."""
    read_ticket(call.ctx, call.parameters["ticket"], upload_document)
    call.query(call.endpoint.operation)
    require_uncompressed(call.headers.get("content-encoding"))
    with SpooledTemporaryFile(max_size=_MAX_BYTES_IN_MEMORY) as file:
        async for chunk in _bounded(call.receive, MAX_FILE_BYTES):
            await to_thread.run_sync(file.write, chunk)
        async with _memory_slots:
            file.seek(0)
            raw = call.parameters | {"file": await to_thread.run_sync(file.read)}
            result = await call.endpoint.operation(call.ctx, raw)
    return call.succeed(result, call.endpoint.status, call.ctx)


async def download(call: Call) -> Response:
    """Send the file as an attachment that isn't displayed or cached."""
    operation = call.endpoint.operation
    ctx = await operation.admit(call.ctx)
    file = await operation.run(ctx, call.query(operation) | call.parameters)
    headers = {
        "content-disposition": f'attachment; filename="{file.name}"',
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }
    return Response(file.content, media_type=file.content_type, headers=headers)


class _Form(MultiPartParser):
    """Starlette's parser for one file and a few short fields. `close` removes the file."""

    def __init__(self, headers: Headers, stream: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers, stream, max_files=1, max_fields=8, max_part_size=_MAX_FIELD_BYTES)

    def close(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()


async def _read(call: Call, parser: _Form) -> FormData:
    call.query(call.endpoint.operation)
    if call.headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        raise NotAForm
    require_uncompressed(call.headers.get("content-encoding"))
    try:
        return await parser.parse()
    except (
        MultiPartException,
        UnicodeError,
        LookupError,
    ):  # The form may name an unknown encoding.
        raise InvalidInput(message=_UNREADABLE) from None


async def _bounded(receive: Receive, limit: int) -> AsyncGenerator[bytes, None]:
    """The body, with `FileTooLarge` as soon as it exceeds the limit."""
    size = 0
    while True:
        message = await read_chunk(receive)
        body: bytes = message.get("body", b"")
        size += len(body)
        if size > limit:
            raise FileTooLarge
        yield body
        if not message.get("more_body"):
            return


async def _raw_input(form: FormData) -> dict[str, Any]:
    raw: dict[str, Any] = dict(form)
    file = form.get("file")
    if isinstance(file, UploadFile):
        if (file.size or 0) > MAX_FILE_BYTES:
            raise FileTooLarge
        raw["file"], raw["file_name"] = await file.read(), file.filename
    return raw
