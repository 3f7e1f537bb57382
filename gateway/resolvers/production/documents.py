"""`/production/documents`: a merchant's documents, recognised by their content and kept
encrypted, and what they are called.
"""

import hashlib

import anyio.to_thread
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import InvalidInput
from gateway.models.accounts import ProductionStatus
from gateway.models.database import Statement
from gateway.models.production import production_documents
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.production.archiving import discard, keep, store
from gateway.resolvers.production.file_types import Recognised, recognise
from gateway.resolvers.production.inputs import UploadDocument
from gateway.resolvers.production.standing import lock_standing, settled
from gateway.resolvers.production.states import TAKES_DOCUMENTS
from gateway.resolvers.production.views import DOCUMENT_COLUMNS, DocumentView
from gateway.values.ids import new_id

_D = production_documents
_of_type = (_D.c.user_id == bindparam("user_id"), _D.c.type == bindparam("type"))
SENT = Statement(select(*DOCUMENT_COLUMNS).where(_D.c.user_id == bindparam("user_id")).order_by(_D.c.type))
EARLIER = Statement(select(_D.c.object_key, _D.c.sha256).where(*_of_type))
_given = insert(_D).values({column.name: bindparam(column.name, type_=column.type) for column in _D.c})
PUT = Statement(
    _given.on_conflict_do_update(
        constraint="uq_production_documents_user_id",
        set_={column.name: _given.excluded[column.name] for column in _D.c if column.name not in {"user_id", "type"}},
    ).returning(*DOCUMENT_COLUMNS)
)
UPLOADS_PER_STORE = (60, 3600)
"""How many, in how many seconds: each of up to 10 MB is examined, encrypted and sent to the archive."""


@operation("production.list_documents", Permission.holder)
async def list_documents(ctx: Context, _: Nothing) -> Page[DocumentView]:
    """List the documents that lie there: the last of each type, whatever has become of the
    request. Their files are staff's.
    """
    rows = await ctx.database.all(SENT, user_id=ctx.store_id)
    return Page([DocumentView.of(row) for row in rows], limit=len(rows))


@operation("production.upload_document", Permission.holder, creates=True)
async def upload_document(ctx: Context, order: UploadDocument) -> DocumentView:
    """Keep a document; it takes the place of the earlier one of its type.

    Raises `UnderReview` and `Conflict` where staff looks at the documents or has approved them, and `InvalidInput` for
    a file that is neither PDF, JPEG nor PNG.
    """
    _refuse_unless_open(ctx.actor.production.status)
    await ctx.services.limiter.hit(f"document:{ctx.store_id}", *UPLOADS_PER_STORE)
    file, digest = await anyio.to_thread.run_sync(_examined, order.file)
    stored = await store(ctx, file.content)
    async with ctx.database.transaction() as transaction:
        standing = await lock_standing(transaction, ctx.store_id)
        _refuse_unless_open(ProductionStatus(standing["production_status"]))
        earlier = await transaction.one(EARLIER, user_id=ctx.store_id, type=order.type)
        row = await transaction.one(
            PUT,
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
        await keep(transaction, stored.object_key)
        if earlier is not None:
            await discard(ctx, transaction, earlier["object_key"])
        told = {"type": order.type, "sha256": {"from": earlier["sha256"] if earlier else None, "to": digest}}
        await record(ctx, transaction, "production.document_uploaded", document.id, changes=told)
        await idempotency.conclude(ctx, transaction, document)
    return document


def _refuse_unless_open(status: ProductionStatus) -> None:
    if status not in TAKES_DOCUMENTS:
        raise settled(status)


def _examined(content: bytes) -> tuple[Recognised, str]:
    """The file and the SHA-256 of what is kept of it."""
    try:
        file = recognise(content)
    except ValueError as reason:
        raise InvalidInput(("file", str(reason))) from None
    return file, hashlib.sha256(file.content).hexdigest()
