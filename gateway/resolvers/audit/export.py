"""`GET /audit` as CSV: the records with their seals, as `docs/audit.md` verifies them."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from msgspec.structs import replace

from gateway.models.api_keys import Scope
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.chain import FIELDS, text_of
from gateway.resolvers.audit.inputs import ListAudit
from gateway.resolvers.audit.reading import AUDIT
from gateway.resolvers.audit.sealing import seal_own_trail
from gateway.resolvers.audit.trail import record
from gateway.resolvers.audit.views import AuditRecordView
from gateway.resolvers.context import Context
from gateway.resolvers.listing.exports import Export, export_of
from gateway.resolvers.operation import operation

COLUMNS = (*FIELDS, "position", "prev_hash", "hash")


@operation("audit.export", Permission.finance, scope=Scope.read)
async def export_audit(ctx: Context, asked: ListAudit) -> Export:
    """Export the audit trail of the store; that, too, is on record, and in the export."""
    await record(ctx, ctx.database, "audit.exported", None)
    await seal_own_trail(ctx)
    export = export_of(ctx, AUDIT, asked, AuditRecordView, "auditoria", COLUMNS)
    return replace(export, rows=_as_hashed(export.rows))


async def _as_hashed(rows: AsyncGenerator[Mapping[str, Any], None]) -> AsyncGenerator[Mapping[str, Any], None]:
    """With `changes` as the text that the hash is over."""
    async with aclosing(rows):
        async for row in rows:
            yield {**row, "changes": text_of(row["changes"])}
