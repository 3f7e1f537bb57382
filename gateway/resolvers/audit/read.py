"""`GET /audit` and `GET /audit/{id}`: the audit trail of the caller's store and environment."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Text, Uuid, and_, bindparam, cast, func, literal_column, or_, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.audit import ActorType, audit_chain, audit_records
from gateway.models.database import Statement
from gateway.resolvers.audit.chain import FIELDS, text_of
from gateway.resolvers.audit.hash_chain_writer import chain_own_records
from gateway.resolvers.audit.types import AuditRecordView, ListAudit, WhichAuditRecord
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import FormSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.values.ids import is_id

_R, _C = audit_records, audit_chain
_hex: ColumnElement[str] = literal_column("'hex'")
_COLUMNS = [
    *(_R.c[name] for name in FIELDS),
    _C.c.position,
    func.encode(_C.c.prev_hash, _hex).label("prev_hash"),
    func.encode(_C.c.hash, _hex).label("hash"),
]
_with_chain = _R.outerjoin(_C, _C.c.record_id == _R.c.id)
_scope = (_R.c.store_id == bindparam("user_id", type_=_R.c.store_id.type), equals(_R.c.environment))
_q = bindparam("q", type_=Text())
_ADDRESS = re.compile(r"\d{1,3}(\.\d{0,3}){1,3}|[\da-f]{0,4}(:[\da-f]{0,4}){1,7}", re.IGNORECASE)


def _form_of(q: str) -> str:
    """The form of a search text: an id, or a prefix of an IP address or of an action."""
    if is_id(q):
        return "id"
    return "address" if _ADDRESS.fullmatch(q) else "action"


def _begins(column: ColumnElement[str]) -> ColumnElement[bool]:
    # A range, so that an index is used: no address or action has a character above `~`.
    return and_(column >= _q, column < _q.concat(literal_column("'~'")))


AUDIT = Listing(
    audit_records,
    _COLUMNS,
    relation=_with_chain,
    scope=_scope,
    filters={
        "action": equals(_R.c.action),
        "actor_type": one_of(_R.c.actor_type, ActorType),
        "actor_id": equals(_R.c.actor_id),
        "resource_type": equals(_R.c.resource_type),
        "resource_id": equals(_R.c.resource_id),
        "source": equals(_R.c.source),
    },
    search=FormSearch(
        _form_of,
        {
            "id": or_(_R.c.resource_id == _q, _R.c.id == cast(_q, Uuid(as_uuid=False))),
            "address": _begins(_R.c.ip),
            "action": _begins(_R.c.action),
        },
    ),
)
BY_ID = Statement(select(*_COLUMNS).select_from(_with_chain).where(*_scope, _R.c.id == bindparam("id")))


@operation("audit.list", Permission.read)
async def list_audit(ctx: Context, request: ListAudit) -> Page[AuditRecordView]:
    """List what was done in the store."""
    await chain_own_records(ctx)
    return await page_of(ctx, AUDIT, request, AuditRecordView.adopt)


@operation("audit.read", Permission.read)
async def read_audit_record(ctx: Context, which: WhichAuditRecord) -> AuditRecordView:
    """Read one record of what was done in the store."""
    await chain_own_records(ctx)
    row = await ctx.database.one(BY_ID, **ctx.scope, id=which.id)
    if row is None:
        raise NotFound("Registro de auditoria não encontrado.")
    return AuditRecordView.of(row)


EXPORTED = ExportTable.of("auditoria", AuditRecordView, (*FIELDS, "position", "prev_hash", "hash"))


@operation("audit.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_audit(ctx: Context, request: ListAudit) -> Export:
    """Export the audit trail of the store. The export is recorded in it, too."""
    export = await export_of(ctx, AUDIT, request, EXPORTED, "audit.exported")
    await chain_own_records(ctx)
    return replace(export, rows=_as_hashed(export.rows))


async def _as_hashed(rows: AsyncGenerator[Mapping[str, Any], None]) -> AsyncGenerator[Mapping[str, Any], None]:
    """The rows, with `changes` as the hashed text."""
    async with aclosing(rows):
        async for row in rows:
            yield {**row, "changes": text_of(row["changes"])}
