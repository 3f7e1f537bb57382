"""`GET /admin/lojistas`: the review queue, one merchant with documents and history, and the files of documents."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import field
from sqlalchemy import BigInteger, Column, ColumnElement, bindparam, case, cast, extract, func, literal_column, select

from gateway.errors import ArchiveUnavailable, NotFound
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Row, Statement
from gateway.models.production import FileType, production_documents, production_status_changes
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.cursors import Order
from gateway.resolvers.core.listing.definition import Listing, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.tickets import DOWNLOAD_LIFETIME, DownloadView, WhichTicket, issue_ticket, redeem_ticket
from gateway.resolvers.core.views import Page, View
from gateway.resolvers.production.document_storage import StoredFile, download_file
from gateway.resolvers.production.types import DOCUMENT_COLUMNS, DocumentView
from gateway.resolvers.staff.types import (
    DETAIL_COLUMNS,
    HISTORY_COLUMNS,
    MERCHANT_COLUMNS,
    DocumentFile,
    ListMerchants,
    MerchantDetailView,
    MerchantOrder,
    MerchantView,
    ProductionMoveView,
    WhichDocument,
    WhichMerchant,
)
from gateway.telemetry import log
from gateway.values.ids import Id

MISSING = "Lojista não encontrado."
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER_QUEUE = 10**17
"""Microseconds: the year 5138. Merchants outside the queue are ordered by this minus their creation."""
_EXTENSIONS = {FileType.pdf: "pdf", FileType.jpeg: "jpg", FileType.png: "png"}


class ReviewQueueOrder(Order, frozen=True):
    """Pending reviews by the microsecond of their request, then all other merchants, the newest first."""

    column: Column[Any] = field(default_factory=lambda: Column("queue", BigInteger, nullable=False))
    descending: bool = False

    @property
    def name(self) -> str:
        return MerchantOrder.queue.value

    @property
    def expression(self) -> ColumnElement[Any]:
        pending = users.c.production_status == ProductionStatus.pending.value
        since = func.coalesce(users.c.production_requested_at, users.c.created_at)
        later = literal_column(str(_AFTER_QUEUE), BigInteger) - _sql_microseconds(users.c.created_at)
        return case((pending, _sql_microseconds(since)), else_=later)

    def position(self, view: View) -> int:
        row: Any = view
        if row.production_status == ProductionStatus.pending:
            return _microseconds(row.production_requested_at or row.created_at)
        return _AFTER_QUEUE - _microseconds(row.created_at)


def _sql_microseconds(timestamp: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(extract("epoch", timestamp) * literal_column("1000000"), BigInteger)


def _microseconds(timestamp: datetime) -> int:
    return (timestamp - _EPOCH) // timedelta(microseconds=1)


_U, _D, _C = users, production_documents, production_status_changes
MERCHANTS = Listing(
    users,
    MERCHANT_COLUMNS,
    scope=(),  # Staff sees every store.
    filters={
        "status": one_of(_U.c.production_status, ProductionStatus),
    },
    search=search(_U.c.name, _U.c.email, _U.c.company, _U.c.id, _U.c.cnpj),
    orders=(ReviewQueueOrder(),),
)
BY_ID = Statement(select(*DETAIL_COLUMNS).where(_U.c.id == bindparam("id")))
DOCUMENTS = Statement(select(*DOCUMENT_COLUMNS).where(_D.c.user_id == bindparam("id")).order_by(_D.c.type))
HISTORY = Statement(select(*HISTORY_COLUMNS).where(_C.c.user_id == bindparam("id")).order_by(_C.c.created_at, _C.c.id))
FIND_FILE = Statement(
    select(_D.c.id, _D.c.type, _D.c.content_type, _D.c.sha256, _D.c.object_key, _D.c.file_key).where(
        _D.c.user_id == bindparam("user_id"), _D.c.id == bindparam("id")
    )
)


@operation("staff.list_merchants", Permission.staff)
async def list_merchants(ctx: Context, request: ListMerchants) -> Page[MerchantView]:
    """List the merchants, by default those first who have waited longest for a review."""
    return await page_of(ctx, MERCHANTS, request, MerchantView.adopt)


EXPORTED = ExportTable.of("lojistas", MerchantView)


@operation("staff.export_merchants", Permission.staff, table=EXPORTED)
async def export_merchants(ctx: Context, request: ListMerchants) -> Export:
    """Export the merchants."""
    return await export_of(ctx, MERCHANTS, request, EXPORTED, "merchant.exported")


@operation("staff.read_merchant", Permission.staff)
async def read_merchant(ctx: Context, which: WhichMerchant) -> MerchantDetailView:
    """Read one merchant with documents and history."""
    return await merchant_detail(ctx, which.id)


@operation("staff.download_document", Permission.staff)
async def download_document(ctx: Context, which: WhichDocument) -> DocumentFile:
    """Return a document's file, after the download is in the audit trail."""
    row = await ctx.database.one(FIND_FILE, user_id=which.id, id=which.document_id)
    if row is None:
        raise NotFound("Documento não encontrado.")
    content = await download_file(ctx, StoredFile(row["object_key"], row["file_key"]))
    if hashlib.sha256(content).hexdigest() != row["sha256"]:
        log.error("archive_object_changed", document_id=row["id"])
        raise ArchiveUnavailable
    changes = {"type": row["type"], "sha256": row["sha256"]}
    await record(ctx, ctx.database, "production.document_downloaded", row["id"], changes=changes, store_id=which.id)
    return DocumentFile.of({"name": _file_name(row), "content_type": row["content_type"], "content": content})


@operation("staff.begin_download", Permission.staff)
async def begin_download(ctx: Context, which: WhichDocument) -> DownloadView:
    """Return an address that downloads a document once, within a minute."""
    row = await ctx.database.one(FIND_FILE, user_id=which.id, id=which.document_id)
    if row is None:
        raise NotFound("Documento não encontrado.")
    arguments = {"id": which.id, "document_id": which.document_id}
    ticket, expires_at = issue_ticket(ctx, download_document, arguments, DOWNLOAD_LIFETIME)
    url = f"{ctx.settings.base_url}/downloads/{ticket}"
    return DownloadView.of({"url": url, "file_name": _file_name(row), "expires_at": expires_at})


@operation("staff.download_by_ticket", Permission.public)
async def download_by_ticket(ctx: Context, which: WhichTicket) -> DocumentFile:
    """Return the document of a ticket, as the session that began the download."""
    caller, ticket = await redeem_ticket(ctx, which.ticket, download_document)
    return await download_document(caller, ticket.arguments)


def _file_name(document: Row) -> str:
    """Not the merchant's file name, whose extension may be any."""
    return f"{document['type']}-{document['id']}.{_EXTENSIONS[FileType(document['content_type'])]}"


async def merchant_detail(ctx: Context, merchant_id: Id) -> MerchantDetailView:
    """One merchant, or `NotFound`."""
    row = await ctx.database.one(BY_ID, id=merchant_id)
    if row is None:
        raise NotFound(MISSING)
    documents = [DocumentView.of(each) for each in await ctx.database.all(DOCUMENTS, id=merchant_id)]
    history = [ProductionMoveView.of(each) for each in await ctx.database.all(HISTORY, id=merchant_id)]
    return MerchantDetailView.of(dict(row) | {"documents": documents, "history": history})
