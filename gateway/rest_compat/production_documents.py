"""Files over HTTP: a document comes in as a multipart form, and goes out as an attachment."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import Response
from starlette.types import Receive

from gateway.errors import FileTooLarge, InvalidInput, NotAForm
from gateway.http.request_body import next_part, require_uncompressed
from gateway.resolvers.production.types import MAX_FILE_BYTES
from gateway.rest_compat.door import Call

UPLOAD_PATH = "/production/documents"
LARGEST_FORM = MAX_FILE_BYTES + 64 * 1024
"""Bytes: the file, and what a form has around it."""
_LONGEST_FIELD = 1024
_MOST_WHOLE = 4
"""Files that one process has in memory at a time. While they arrive they are on the disk, in files without a name."""
_whole = asyncio.Semaphore(_MOST_WHOLE)
_UNREADABLE = "O formulário não pode ser lido."


async def upload(call: Call) -> Response:
    """Read the form of a caller who has been admitted, no further than it may go."""
    parser = _Form(call.headers, _bounded(call.receive))
    try:
        ctx, form = await call.let_in(partial(_read, call.headers, parser))
        async with _whole:
            result = await call.endpoint.operation.run(ctx, await _draft(form))
    finally:
        parser.close()
    return call.succeed(result, call.endpoint.status, ctx)


async def download(call: Call) -> Response:
    """Answer the file as an attachment: no browser shows it, and nobody keeps a copy on the way."""
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
    """Starlette's parser for one file and a few short fields, that lets go of its file whatever became of the form."""

    def __init__(self, headers: Headers, stream: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers, stream, max_files=1, max_fields=8, max_part_size=_LONGEST_FIELD)

    def close(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()


async def _read(headers: Headers, parser: _Form) -> FormData:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        raise NotAForm
    require_uncompressed(headers.get("content-encoding"))
    try:
        return await parser.parse()
    except (
        MultiPartException,
        UnicodeError,
        LookupError,
    ):  # The sender names the letters' encoding, and may invent one.
        raise InvalidInput(message=_UNREADABLE) from None


async def _bounded(receive: Receive) -> AsyncGenerator[bytes, None]:
    """The body, refused as soon as it is too large for a form with the largest file."""
    size = 0
    while True:
        message = await next_part(receive)
        body: bytes = message.get("body", b"")
        size += len(body)
        if size > LARGEST_FORM:
            raise FileTooLarge
        yield body
        if not message.get("more_body"):
            return


async def _draft(form: FormData) -> dict[str, Any]:
    draft: dict[str, Any] = dict(form)
    file = form.get("file")
    if isinstance(file, UploadFile):
        if (file.size or 0) > MAX_FILE_BYTES:
            raise FileTooLarge
        draft["file"], draft["file_name"] = await file.read(), file.filename
    return draft
