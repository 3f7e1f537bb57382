"""`/production/documents`: the documents that a merchant sends for the review, validated by content and encrypted."""

import hashlib
import re
import unicodedata
from typing import Annotated

import anyio.to_thread
from pydantic import BeforeValidator, Field, PlainSerializer, Strict
from pydantic.json_schema import SkipJsonSchema
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import InvalidInput
from gateway.models.accounts import ProductionStatus
from gateway.models.database import Statement
from gateway.models.production import DocumentType, production_documents
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input, Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.production.document_storage import confirm_file, discard_file, upload_file
from gateway.resolvers.production.file_types import RecognizedFile, recognize
from gateway.resolvers.production.status import ACCEPTS_DOCUMENTS, lock_store, status_error
from gateway.resolvers.production.views import DOCUMENT_COLUMNS, DocumentView
from gateway.values.ids import new_id

MAX_FILE_BYTES = 10 * 1024 * 1024
"""Contract section 3: 10 MB."""
MAX_FILE_NAME_LENGTH = 120
UPLOADS_PER_STORE = (60, 3600)
"""Uploads, and seconds. Each file is validated, encrypted and stored."""
_PATH = re.compile(r"[\\/]")

_D = production_documents
_of_type = (_D.c.user_id == bindparam("user_id"), _D.c.type == bindparam("type"))
LIST = Statement(select(*DOCUMENT_COLUMNS).where(_D.c.user_id == bindparam("user_id")).order_by(_D.c.type))
EARLIER = Statement(select(_D.c.object_key, _D.c.sha256).where(*_of_type))
_insert = insert(_D).values({column.name: bindparam(column.name, type_=column.type) for column in _D.c})
SAVE = Statement(
    _insert.on_conflict_do_update(
        constraint="uq_production_documents_user_id",
        set_={column.name: _insert.excluded[column.name] for column in _D.c if column.name not in {"user_id", "type"}},
    ).returning(*DOCUMENT_COLUMNS)
)


def _file_name(value: object) -> str:
    """The name without folders, and without invisible and control characters."""
    name = _PATH.split(value)[-1] if isinstance(value, str) else ""
    visible = "".join(each for each in name if unicodedata.category(each)[0] != "C" and each not in "\u2028\u2029")
    return visible.strip()[:MAX_FILE_NAME_LENGTH] or "documento"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


FileContent = Annotated[bytes, Strict(), PlainSerializer(_digest, when_used="json")]
"""A whole file. An `Idempotency-Key` recognizes it by its digest."""


class UploadDocument(Input):
    """Um documento da loja.

    `POST /production/documents` (multipart). The file's type is recognized by content; the form's declaration is
    ignored.
    """

    type: DocumentType = Field(description="Que documento é.")
    file: FileContent = Field(description="PDF, JPEG ou PNG de até 10 MB.")
    file_name: SkipJsonSchema[Annotated[str, BeforeValidator(_file_name)]] = "documento"


@operation("production.list_documents", Permission.holder)
async def list_documents(ctx: Context, _: Nothing) -> Page[DocumentView]:
    """List the stored documents: the last of each type. Only staff downloads their files."""
    rows = await ctx.database.all(LIST, user_id=ctx.store_id)
    return Page([DocumentView.of(row) for row in rows], limit=len(rows))


@operation("production.upload_document", Permission.holder, creates=True)
async def upload_document(ctx: Context, order: UploadDocument) -> DocumentView:
    """Store a document; it replaces the earlier one of its type.

    Raises `UnderReview` and `Conflict` under review and after approval, and `InvalidInput` for a file that is neither
    PDF, JPEG nor PNG.
    """
    _require_open(ctx.actor.production.status)
    await ctx.services.limiter.hit(f"document:{ctx.store_id}", *UPLOADS_PER_STORE)
    file, digest = await anyio.to_thread.run_sync(_validated, order.file)
    stored = await upload_file(ctx, file.content)
    async with ctx.database.transaction() as transaction:
        store = await lock_store(transaction, ctx.store_id)
        _require_open(ProductionStatus(store["production_status"]))
        earlier = await transaction.one(EARLIER, user_id=ctx.store_id, type=order.type)
        row = await transaction.one(
            SAVE,
            id=new_id(),
            user_id=ctx.store_id,
            type=order.type,
            file_name=order.file_name,
            content_type=file.type,
            size=len(file.content),
            sha256=digest,
            object_key=stored.object_key,
            file_key=stored.file_key,
            uploaded_at=ctx.real_clock.now(),
        )
        assert row is not None
        document = DocumentView.of(row)
        await confirm_file(transaction, stored.object_key)
        if earlier is not None:
            await discard_file(ctx, transaction, earlier["object_key"])
        changes = {"type": order.type, "sha256": {"from": earlier["sha256"] if earlier else None, "to": digest}}
        await record(ctx, transaction, "production.document_uploaded", document.id, changes=changes)
        await idempotency.conclude(ctx, transaction, document)
    return document


def _require_open(status: ProductionStatus) -> None:
    if status not in ACCEPTS_DOCUMENTS:
        raise status_error(status)


def _validated(content: bytes) -> tuple[RecognizedFile, str]:
    """The file, and the SHA-256 of its stored content."""
    try:
        file = recognize(content)
    except ValueError as reason:
        raise InvalidInput(("file", str(reason))) from None
    return file, _digest(file.content)
