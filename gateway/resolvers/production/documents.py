"""`/production/documents`: the documents that a merchant sends for the review, validated by content and encrypted."""

import hashlib

import anyio.to_thread
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import FileTooLarge, InvalidInput
from gateway.models.accounts import ProductionStatus
from gateway.models.database import Statement
from gateway.models.production import production_documents
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.tickets import UPLOAD_LIFETIME, UploadTicketView, issue_ticket, redeem_ticket
from gateway.resolvers.core.views import Page
from gateway.resolvers.production.document_storage import confirm_file, discard_file, upload_file
from gateway.resolvers.production.file_types import RecognizedFile, recognize
from gateway.resolvers.production.status import ACCEPTS_DOCUMENTS, lock_store, status_error
from gateway.resolvers.production.types import (
    DOCUMENT_COLUMNS,
    MAX_FILE_BYTES,
    BeginUpload,
    DocumentView,
    UploadByTicket,
    UploadDocument,
)
from gateway.values.ids import new_id

UPLOADS_PER_STORE = (60, 3600)
"""Uploads, and seconds. Each file is validated, encrypted and stored."""

_D = production_documents
_of_type = (_D.c.user_id == bindparam("user_id"), _D.c.type == bindparam("type"))
LIST = Statement(select(*DOCUMENT_COLUMNS).where(_D.c.user_id == bindparam("user_id")).order_by(_D.c.type))
EARLIER = Statement(select(_D.c.object_key, _D.c.sha256).where(*_of_type))
_insert = insert(_D).values({column.name: bindparam(column.name) for column in _D.c})
SAVE = Statement(
    _insert.on_conflict_do_update(
        constraint="uq_production_documents_user_id",
        set_={column.name: _insert.excluded[column.name] for column in _D.c if column.name not in {"user_id", "type"}},
    ).returning(*DOCUMENT_COLUMNS)
)


@operation("production.list_documents", Permission.owner)
async def list_documents(ctx: Context, _: Empty) -> Page[DocumentView]:
    """List the stored documents: the last of each type. Only staff downloads their files."""
    rows = await ctx.database.all(LIST, user_id=ctx.store_id)
    return Page([DocumentView.of(row) for row in rows], limit=len(rows))


@operation("production.upload_document", Permission.owner, idempotent=True)
async def upload_document(ctx: Context, order: UploadDocument) -> DocumentView:
    """Store a document; it replaces the earlier one of its type.

    Raises `UnderReview` and `Conflict` under review and after approval, and `InvalidInput` for a file that is neither
    PDF, JPEG nor PNG.
    """
    require_open(ctx.actor.production.status)
    await ctx.services.limiter.hit(f"document:{ctx.store_id}", *UPLOADS_PER_STORE)
    file, digest = await anyio.to_thread.run_sync(_validated, order.file)
    stored = await upload_file(ctx, file.content)
    async with ctx.database.transaction() as transaction:
        store = await lock_store(transaction, ctx.store_id)
        require_open(ProductionStatus(store["production_status"]))
        earlier = await transaction.one(EARLIER, user_id=ctx.store_id, type=order.type)
        row = await transaction.single(
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
        document = DocumentView.of(row)
        await confirm_file(transaction, stored.object_key)
        if earlier is not None:
            await discard_file(ctx, transaction, earlier["object_key"])
        changes = {"type": order.type, "sha256": {"from": earlier["sha256"] if earlier else None, "to": digest}}
        await record(ctx, transaction, "production.document_uploaded", document.id, changes=changes)
        await idempotency.complete(ctx, transaction, document)
    return document


@operation("production.begin_upload", Permission.owner)
async def begin_upload(ctx: Context, order: BeginUpload) -> UploadTicketView:
    """Return an address that takes one document by `PUT`, for 10 minutes."""
    require_open(ctx.actor.production.status)
    if order.size > MAX_FILE_BYTES:
        raise FileTooLarge
    arguments = {"type": order.type.value, "file_name": order.file_name, "size": order.size}
    ticket, expires_at = issue_ticket(ctx, upload_document, arguments, UPLOAD_LIFETIME)
    return UploadTicketView.of({"url": f"{ctx.settings.base_url}/uploads/{ticket}", "expires_at": expires_at})


@operation("production.upload_by_ticket", Permission.public)
async def upload_by_ticket(ctx: Context, order: UploadByTicket) -> DocumentView:
    """Store the document of a ticket, as the session that began it. The file must have the size that was announced."""
    caller, ticket = await redeem_ticket(ctx, order.ticket, upload_document)
    if len(order.file) != ticket.arguments["size"]:
        raise InvalidInput(("file", "o arquivo não tem o tamanho informado"))
    return await upload_document(caller, ticket.arguments | {"file": order.file})


def require_open(status: ProductionStatus) -> None:
    """Raise `UnderReview` or `Conflict` unless the store may send documents now."""
    if status not in ACCEPTS_DOCUMENTS:
        raise status_error(status)


def _validated(content: bytes) -> tuple[RecognizedFile, str]:
    """The file, and the SHA-256 of its stored content."""
    try:
        file = recognize(content)
    except ValueError as reason:
        raise InvalidInput(("file", str(reason))) from None
    return file, hashlib.sha256(file.content).hexdigest()
