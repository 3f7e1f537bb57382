"""`GET /admin/lojistas/{id}/documentos/{document_id}`: a document's file, for staff alone and never without a trace."""

import hashlib

from sqlalchemy import bindparam, select

from gateway.errors import ArchiveUnavailable, NotFound
from gateway.models.database import Statement
from gateway.models.production import FileType, production_documents
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.production.archiving import Stored, fetch
from gateway.resolvers.staff.inputs import WhichDocument
from gateway.resolvers.staff.views import DocumentFile
from gateway.telemetry import log

_D = production_documents
FIND = Statement(
    select(_D.c.id, _D.c.type, _D.c.content_type, _D.c.sha256, _D.c.object_key, _D.c.file_key).where(
        _D.c.user_id == bindparam("user_id"), _D.c.id == bindparam("id")
    )
)
_ENDINGS = {FileType.pdf: "pdf", FileType.jpeg: "jpg", FileType.png: "png"}


@operation("staff.download_document", Permission.staff)
async def download_document(ctx: Context, which: WhichDocument) -> DocumentFile:
    """Hand a document's file out, once the trail knows of it."""
    row = await ctx.database.one(FIND, user_id=which.id, id=which.document_id)
    if row is None:
        raise NotFound("Documento não encontrado.")
    content = await fetch(ctx, Stored(row["object_key"], row["file_key"]))
    if hashlib.sha256(content).hexdigest() != row["sha256"]:
        log.error("archive_object_changed", document_id=row["id"])
        raise ArchiveUnavailable
    told = {"type": row["type"], "sha256": row["sha256"]}
    await record(ctx, ctx.database, "production.document_downloaded", row["id"], changes=told, store_id=which.id)
    # The name is ours: the merchant's could end in anything.
    name = f"{row['type']}-{row['id']}.{_ENDINGS[FileType(row['content_type'])]}"
    return DocumentFile.of({"name": name, "content_type": row["content_type"], "content": content})
